// The same machine in other words: results differ by no more than an error of 1e-8 in its properties makes (rotated, reordered, in
// other units), or by no more than the error of the step (other formulations, other steps).
#include <algorithm>

#include "random/checks.hpp"
#include "random/dice.hpp"

namespace flexloop::random {
namespace {

Matrix3d quarterTurns(Dice& dice) {
  Matrix3d R = Matrix3d::Identity();
  for (int i = 0; i < 3; ++i) {
    const Vector3d axis = Vector3d::Unit(dice.below(3));
    R = Eigen::AngleAxisd(0.5 * M_PI * dice.below(4), axis).toRotationMatrix() * R;
  }
  return R.array().round().matrix();
}

std::vector<double> sum(const std::vector<double>& a, const std::vector<double>& b, double factor) {
  std::vector<double> all(a);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += factor * b[i];
  return all;
}

// What a step errs normal to the joints is closed along tangents that may be old, and are renewed when an iteration with them
// contracts slower than by this; whether they are is decided by the last digits. So much of the error of a step is open.
constexpr double kOldTangents = 0.12;

void expectSame(Study& study, const std::string& what, const Writing& writing) {
  const std::vector<double> errors = study.compare(study.base(0), study.base(1));
  expectBelow(study, what, study.compare(study.base(), study.run(writing)),
              sum(study.floor(), errors, kOldTangents));
}

// The error of the finer of two runs of order 2 is a third of their difference, and so is that of the other formulation:
// together they stay below the sum of both differences.
void expectSameWithin(Study& study, const std::string& what, Writing writing) {
  const Trajectory& a0 = study.base(0);
  const Trajectory& a1 = study.base(1);
  writing.refinement = 0;
  const Trajectory& b0 = study.run(writing);
  writing.refinement = 1;
  const Trajectory& b1 = study.run(writing);
  const std::vector<double> errors = sum(study.compare(a0, a1), study.compare(b0, b1), 1.0);
  expectBelow(study, what, study.compare(a1, b1), sum(errors, study.floor(), 1.0));
}

}  // namespace

bool checkRotated(Study& study) {
  Dice dice(study.machine().seed + 31);
  Writing writing;
  writing.turn = study.machine().has(Trait::kHeldFreedoms) ? quarterTurns(dice) : dice.rotation();
  expectSame(study, "rotated", writing);
  return true;
}

bool checkReordered(Study& study) {
  Writing writing;
  writing.order = study.machine().seed + 57;
  expectSame(study, "reordered", writing);
  return true;
}

bool checkScaled(Study& study) {
  Dice dice(study.machine().seed + 83);
  constexpr int kBillion = 30;  // as a power of two
  const auto exponent = [&] { return kBillion * (dice.below(3) - 1); };
  for (int i = 0; i < 2; ++i) {
    Writing writing;
    writing.units = {exponent(), exponent(), exponent()};
    expectSame(study,
               "units of mass, length, time times 2^" + std::to_string(writing.units.mass) +
                   ", 2^" + std::to_string(writing.units.length) + ", 2^" +
                   std::to_string(writing.units.time),
               writing);
  }
  return true;
}

bool checkFormulations(Study& study) {
  for (const char* formulation : {"se3", "r3xso3", "local"}) {
    Writing writing;
    writing.formulation = formulation;
    expectSameWithin(study, formulation, writing);
  }
  for (const char* constraints : {"index3", "index2"}) {
    Writing writing;
    writing.constraints = constraints;
    expectSameWithin(study, constraints, writing);
  }
  return true;
}

// More and shorter steps: both errors stay below 4/3 of the difference to halved steps. What steps of other lengths excite in the multipliers
// of a scheme without damping stays, and is seen by halved steps of that run.
bool checkIdleParts(Study& study) {
  Writing writing;
  writing.hasIdleParts = true;
  const Trajectory& beside = study.run(writing);
  std::vector<double> error = study.compare(study.base(0), study.base(1));
  if (study.machine().has(Trait::kUndamped)) {
    writing.refinement = 1;
    error = sum(error, study.compare(beside, study.run(writing)), 1.0);
  }
  expectBelow(study, "with idle parts", study.compare(study.base(0), beside),
              sum(study.floor(), error, 8.0 / 3.0));
  return true;
}

}  // namespace flexloop::random
