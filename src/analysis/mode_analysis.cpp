#include "analysis/mode_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/all_roots.hpp"
#include "linalg/shift_invert.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;
using linalg::QuadraticPencil;

// Up to this size all roots are found; above, the nearest.
constexpr int kSmall = 240;
// If more than this share of the roots is asked for, all are found as well, up to the second size.
constexpr double kLargeShare = 0.2;
constexpr int kMedium = 1500;
// A double root at zero comes out as two of about the root of round-off.
constexpr double kZeroRoot = 1e-5;
constexpr double kZeroResidual = 1e-11;

// Whether the machine can stay displaced by z: then its root is zero, and no number beside it.
bool isRigid(const QuadraticPencil& pencil, const Eigenpair& pair, double scale) {
  return std::abs(pair.value) <= kZeroRoot * scale &&
         linalg::calcResidual(pencil, 0.0, pair.vector) <= kZeroResidual;
}

// A frequency of the machine, to judge zeros by.
double findScale(const std::vector<Eigenpair>& pairs) {
  double largest = 0.0;
  for (const Eigenpair& pair : pairs) largest = std::max(largest, std::abs(pair.value));
  return std::max(largest, 1.0);
}

// Each rigid motion is a double root; it counts once.
void mergeRigid(const QuadraticPencil& pencil, std::vector<Eigenpair>& pairs) {
  const double scale = findScale(pairs);
  std::vector<Eigenpair> kept;
  Eigen::MatrixXcd basis(pencil.size(), 0);
  for (Eigenpair& pair : pairs) {
    if (!isRigid(pencil, pair, scale)) {
      kept.push_back(std::move(pair));
      continue;
    }
    Eigen::VectorXcd rest = pair.vector.normalized();
    for (int k = 0; k < 2; ++k) rest -= basis * (basis.adjoint() * rest);
    if (rest.norm() < 1e-3) continue;
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols(1) = rest.normalized();
    pair.value = 0.0;
    pair.residual = linalg::calcResidual(pencil, 0.0, pair.vector);
    kept.push_back(std::move(pair));
  }
  pairs = std::move(kept);
}

// The largest displacement becomes one; where nothing is displaced, the largest entry.
void normalize(const system::System& system, Eigen::VectorXcd& shape) {
  Complex largest = 0.0, any = 0.0;
  for (int u = 0; u < shape.size(); ++u) {
    const bool isTranslation =
        system.kinds()[u] == system::Kind::kMotion && !system.isRotation({u});
    // A slightly larger entry that comes later does not take over: symmetric shapes keep their sign.
    if (isTranslation && std::abs(shape[u]) > 1.000001 * std::abs(largest)) largest = shape[u];
    if (std::abs(shape[u]) > std::abs(any)) any = shape[u];
  }
  if (std::abs(largest) < 1e-9 * std::abs(any)) largest = any;
  if (largest != 0.0) shape /= largest;
}

Mode makeMode(const system::System& system, const LinearModel& linear, const Eigenpair& pair) {
  Mode mode{pair.value, linear.expansion * pair.vector, pair.residual};
  normalize(system, mode.shape);
  return mode;
}

std::vector<Eigenpair> findSmall(const LinearModel& linear, const ModeOptions& options,
                                 const system::System& system, ModeResult& result) {
  const Complex point(0.0, 2.0 * std::numbers::pi * options.nearHz);
  linalg::AllRoots roots = linalg::findAllRoots(linear.pencil, point, options.count);
  if (!roots.ok) {
    result.trouble = "the linear equations of the machine determine nothing for any frequency";
    if (roots.singularEquation >= 0 && roots.singularEquation < linear.pencil.size()) {
      result.trouble += ": the equation '" + linear.equationName(system, roots.singularEquation) +
                        "' depends on others";
    }
    result.hint = "a freedom without mass, stiffness and damping, or a loop without a solution?";
    return {};
  }
  result.isComplete = true;
  return std::move(roots.pairs);
}

std::vector<Eigenpair> findLarge(const LinearModel& linear, const ModeOptions& options,
                                 ModeResult& result) {
  linalg::NearestOptions nearest;
  nearest.shift = Complex(0.0, 2.0 * std::numbers::pi * options.nearHz);
  nearest.count = options.count;
  nearest.groups = linear.groups;
  linalg::NearestResult found = linalg::findNearest(linear.pencil, nearest);
  if (!found.converged) result.trouble = found.trouble;
  return std::move(found.pairs);
}

}  // namespace

double Mode::frequencyHz() const {
  return std::abs(eigenvalue.imag()) / (2.0 * std::numbers::pi);
}

double Mode::dampingRatio() const {
  const double size = std::abs(eigenvalue);
  return size > 0.0 ? -eigenvalue.real() / size : 0.0;
}

void arrangeModes(std::vector<Mode>& modes) {
  std::stable_sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) {
    const double fa = std::abs(a.eigenvalue.imag()), fb = std::abs(b.eigenvalue.imag());
    if (fa != fb) return fa < fb;
    return std::abs(a.eigenvalue.real()) < std::abs(b.eigenvalue.real());
  });
}

ModeResult findModes(const model::Model& model, const system::State& state,
                     const ModeOptions& options) {
  system::Assembler assembler(model.system());
  const LinearModel linear = linearize(model, assembler, state, options.view);
  ModeResult result;
  result.unknowns = linear.pencil.size();
  const bool manyAsked = options.count > kLargeShare * linear.pencil.size();
  const bool isSmall =
      linear.pencil.size() <= kSmall || (manyAsked && linear.pencil.size() <= kMedium);
  std::vector<Eigenpair> pairs = isSmall ? findSmall(linear, options, model.system(), result)
                                         : findLarge(linear, options, result);
  if (!result.trouble.empty()) return result;
  mergeRigid(linear.pencil, pairs);
  if (static_cast<int>(pairs.size()) > options.count) pairs.resize(options.count);
  for (const Eigenpair& pair : pairs) {
    result.modes.push_back(makeMode(model.system(), linear, pair));
    if (pair.value == 0.0) ++result.rigidMotions;
  }
  arrangeModes(result.modes);
  result.ok = true;
  return result;
}

}  // namespace flexloop::analysis
