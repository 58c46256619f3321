#include "random/study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/diagnostics.hpp"
#include "support/model_run.hpp"

namespace flexloop::random {
namespace {

// The square root of the rounding unit; Newton's tolerance of 1e-10 and the conditioning of a step stay below it.
constexpr double kBackwardError = 1e-8;

constexpr double kDigits = 16.0 * 2.2e-16;                // of a position, relative
constexpr double kAxialStiffness = 2.1e11 * 0.03 * 0.03;  // N, of the thickest beams of steel
// N, of all others and of springs, which move a kilogram with up to 90 rad/s (maker_beams.cpp), over a metre.
constexpr double kSoftStiffness = 90.0 * 90.0;

class Recorder final : public analysis::Observer {
 public:
  explicit Recorder(Trajectory& run, std::size_t columns) : run_(run) {
    run.columns.resize(columns);
  }

  void onStart(const solve::StartReport&) override {}
  void onRecord(const system::State& state, const std::vector<double>& outputs) override {
    if (run_.times.empty()) run_.first = state;
    run_.times.push_back(state.time);
    for (std::size_t i = 0; i < outputs.size(); ++i) run_.columns[i].push_back(outputs[i]);
    run_.last = state;
  }
  bool onStep(double) override { return true; }

 private:
  Trajectory& run_;
};

std::string describe(const Writing& writing) {
  std::string text = "refinement " + std::to_string(writing.refinement);
  if (!writing.cuts.empty()) text += ", with cuts";
  if (writing.hasIdleParts) text += ", with idle parts";
  if (writing.hasBalance) text += ", with the balance of energy";
  if (!writing.formulation.empty()) text += ", " + writing.formulation;
  if (!writing.constraints.empty()) text += ", " + writing.constraints;
  return text;
}

}  // namespace

Study::Study(Machine machine) : machine_(std::move(machine)) {
  makeGroups();
}

void Study::makeGroups() {
  int column = 0;
  for (const Output& output : machine_.outputs) {
    const bool isSignal = output.group == "signal";
    const std::string name = isSignal ? "signal " + output.name : output.group;
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& g) { return g.name == name; });
    if (group == groups_.end()) {
      groups_.push_back({name, output.dimension, {}});
      group = groups_.end() - 1;
    }
    for (int i = 0; i < (output.isVector ? 3 : 1); ++i) group->columns.push_back(column++);
  }
}

model::Model Study::build(const Writing& writing) const {
  try {
    return test::buildModel(writeModel(machine_, writing));
  } catch (const base::InputError& error) {
    throw Failure("the model is refused: " + std::string(error.what()));
  }
}

const Trajectory& Study::run(const Writing& writing) {
  const std::string text = writeModel(machine_, writing);
  if (const auto known = runs_.find(text); known != runs_.end()) return known->second;
  const model::Model model = build(writing);
  Trajectory run;
  Recorder recorder(run, model.outputs().names().size());
  run.report = analysis::runTime(model, *model.time(), recorder);
  if (!run.report.ok())
    throw Failure("run (" + describe(writing) + "): " + messageOf(run.report.failure));
  return runs_.emplace(text, turnBack(std::move(run), writing)).first->second;
}

const Trajectory& Study::base(int refinement) {
  Writing writing;
  writing.refinement = refinement;
  return run(writing);
}

Trajectory Study::turnBack(Trajectory run, const Writing& writing) const {
  for (double& t : run.times) t /= writing.units.factor(kTime);
  std::size_t column = 0;
  for (const Output& output : machine_.outputs) {
    const double factor = 1.0 / writing.units.factor(output.dimension);
    if (!output.isVector) {
      for (double& value : run.columns[column]) value *= factor;
      ++column;
      continue;
    }
    for (std::size_t i = 0; i < run.times.size(); ++i) {
      Vector3d v(run.columns[column][i], run.columns[column + 1][i], run.columns[column + 2][i]);
      v = factor * (writing.turn.transpose() * v);
      for (int k = 0; k < 3; ++k) run.columns[column + k][i] = v[k];
    }
    column += 3;
  }
  for (; column < run.columns.size(); ++column) {  // energy and work
    for (double& value : run.columns[column]) value /= writing.units.factor(kTorque);
  }
  return run;
}

std::vector<double> Study::compare(const Trajectory& a, const Trajectory& b) const {
  if (a.times.size() != b.times.size()) throw Failure("two runs record different numbers of times");
  // A point of the grid gives way to a break very near to it: such times are those of one run only.
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    if (std::abs(a.times[i] - b.times[i]) <= 1e-12 * machine_.end) rows.push_back(i);
  }
  if (rows.size() < 5) throw Failure("two runs record different times");
  std::vector<double> differences;
  for (const Group& group : groups_) {
    double largest = 0.0;
    for (const int column : group.columns) {
      double sum = 0.0;
      for (const std::size_t i : rows)
        sum += std::pow(a.columns[column][i] - b.columns[column][i], 2);
      // A number that is none counts as infinitely far.
      const double mean = std::sqrt(sum / static_cast<double>(rows.size()));
      largest = std::isfinite(mean) ? std::max(largest, mean) : HUGE_VAL;
    }
    differences.push_back(largest);
  }
  return differences;
}

double Study::scale(Dimension dimension) {
  if (scales_.empty()) makeScales();
  return scales_[dimension];
}

// What is zero but for rounding is measured against others of its kind: rotations against translations at a distance of a
// metre, torques against forces there, motions against forces. An angle of one radian and a distance of one metre are large.
void Study::makeScales() {
  scales_ = {{kNone, 1.0}, {kLength, 1.0}};
  const Trajectory& reference = base();
  for (const Group& group : groups_) {
    double& scale = scales_[group.dimension];
    for (const int column : group.columns) {
      for (const double value : reference.columns[column]) scale = std::max(scale, std::abs(value));
    }
  }
  // What forces could do to a kilogram within the run counts where nothing moves.
  double& force = scales_[kForce];
  force = std::max(
      {force, scales_[kTorque], scales_[kAcceleration], scales_[kVelocity] / machine_.end});
  // The last digits of positions make forces in beams and springs: a machine that starts at rest without any other force has
  // these, and what follows from them.
  const double stiffness = machine_.has(Trait::kStiff) ? kAxialStiffness : kSoftStiffness;
  force = std::max(force, kDigits * stiffness / kBackwardError);
  scales_[kAcceleration] = force;
  scales_[kVelocity] = std::max(scales_[kVelocity], force * machine_.end);
  for (const auto& [line, turn] :
       {std::pair{kVelocity, kRate}, {kAcceleration, kRate * kRate}, {kForce, kTorque}}) {
    scales_[line] = scales_[turn] = std::max(scales_[line], scales_[turn]);
  }
}

const std::vector<double>& Study::floor() {
  if (!floor_.empty()) return floor_;
  Writing writing;
  writing.noise = kBackwardError;
  floor_ = compare(base(), run(writing));
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    floor_[i] = std::max(floor_[i], kBackwardError * scale(groups_[i].dimension));
  }
  return floor_;
}

void expectBelow(const Study& study, const std::string& what, const std::vector<double>& found,
                 const std::vector<double>& allowed) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] <= allowed[i]) continue;
    char text[256];
    std::snprintf(text, sizeof text, "%s: %s is off by %.3g, allowed is %.3g", what.c_str(),
                  study.groups()[i].name.c_str(), found[i], allowed[i]);
    throw Failure(text);
  }
}

}  // namespace flexloop::random
