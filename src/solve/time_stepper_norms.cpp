// How large corrections of a step are: by class, relative to what was seen so far, and against round-off
// (docs/theory/09_time.md, section 9.2).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "solve/term_sizes.hpp"
#include "solve/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Round-off floor of corrections, in units of the last place of the positions.
constexpr double kFloorUlps = 16.0;
// An iteration that contracts slower than this has come to its end.
constexpr double kStagnation = 0.3;
// Signals beside motions may be off by this multiple of the tolerance: what measures a turning node ages
// faster than the tangents of the machine, and follows its motions at once.
constexpr double kSignalTolerance = 10.0;
// Turns move the machine over its size: neither they nor moves are judged as if they were alone.
constexpr double kShareOfOther = 0.1;

// One over the square, where there is any.
double calcWeight(double allowed) {
  return 1.0 / std::max(allowed * allowed, std::numeric_limits<double>::min());
}

}  // namespace

// The shift that closes positions counts as the accelerations that would make it, unless it is their last digits:
// what it leaves open in the velocities is not mistaken for a poor convergence.
TimeStepper::Norm TimeStepper::calcNorm(const Eigen::VectorXd& delta,
                                        const Eigen::VectorXd& shift) const {
  const double digit = kFloorUlps * kEpsilon;
  double mechanical = 0.0, others = 0.0;
  for (int u = 0; u < delta.size(); ++u) {
    const bool isShifted =
        std::abs(shift[u]) > (class_[u] == kTranslation ? digit * length_ : digit);
    const double closing = isShifted ? shift[u] / weights_.value[u] : 0.0;
    const double square = normWeight_[u] * std::max(delta[u] * delta[u], closing * closing);
    (class_[u] <= kMultiplier ? mechanical : others) += square;
  }
  return {std::sqrt(mechanical + others), std::sqrt(mechanical), std::sqrt(others)};
}

double TimeStepper::calcNoise() const {
  return kEpsilon * length_ / (step_.h * step_.h * scheme_.motion.beta);
}

bool TimeStepper::isNoisy(double h) const {
  if (!isIndex3()) return false;
  const StepLength step{h, memory_[0].nominal, memory_[0].nominal};
  const double weight = h * h * adaptToStep(options_.scheme.motion, step).beta;
  return kEpsilon * length_ / weight > options_.tolerance * seen_.translation;
}

// Corrections of motions and multipliers can be round-off of the positions, magnified by 1/(βh²), and
// so can those of signals that measure them. Where velocities are constrained, only stiff parts magnify it: there
// the iteration goes on until it no longer improves.
bool TimeStepper::isRoundOff(const Norm& norm, double rate) const {
  if (!hasMotions() || (isIndex2() && rate < kStagnation)) return false;
  return norm.mechanical * options_.tolerance * scales_.translation <= kFloorUlps * calcNoise() &&
         norm.others <= std::max(1.0, norm.mechanical);
}

// Whether what is left of every equation is the last digits of its terms (9.23): no iteration improves that. Positions have
// the digits of the size of the machine, magnified by 1/(βh²), and so has what measures them.
bool TimeStepper::isBalanced() {
  calcTermSizes(matrix_, factors_->matrix.values(), digits_, terms_);
  for (int u = 0; u < residual_.size(); ++u) {
    const double allowed = kFloorUlps * kEpsilon * terms_[u];
    if (std::abs(weights_.row[u] * residual_[u]) > allowed) return false;
    const bool hasGap = isIndex2() && class_[u] == kMultiplier;
    if (hasGap && std::abs(weights_.row[u] * positionGap_[u]) > allowed) return false;
  }
  return true;
}

void TimeStepper::classify() {
  const system::System& system = assembler_.system();
  class_.resize(system.unknowns());
  for (int u = 0; u < system.unknowns(); ++u) {
    switch (system.kinds()[u]) {
      case Kind::kMotion:
        class_[u] = system.isRotation(UnknownIndex{u}) ? kRotation : kTranslation;
        break;
      case Kind::kMultiplier:
        class_[u] = kMultiplier;
        break;
      case Kind::kState:
        class_[u] = kState;
        break;
      case Kind::kSignal:
        class_[u] = kSignal;
        break;
    }
    ++classCount_[class_[u]];
  }
}

// The largest accelerations, forces and values seen so far: corrections are judged against them. Nothing is judged by less than
// what moves the machine by its last digit in a step.
void TimeStepper::renewScales(const State& state) {
  double square = 0.0;
  for (const auto& frame : state.frames) square = std::max(square, frame.x.squaredNorm());
  length_ = std::max(length_, std::sqrt(square));
  const double last = kEpsilon * length_ / (step_.h * step_.h);
  seen_.translation = std::max({seen_.translation, assembler_.system().gravity().norm(), last});
  addSizes(startAcceleration_, state.value, seen_);
  scales_ = seen_;
  calcNormWeights();
}

// By the last correction and where it has led.
void TimeStepper::raiseScales() {
  addSizes(vectors_.algorithmic, trial_.value, scales_);
  terms_ = weights_.value.cwiseProduct(delta_);
  addSizes(delta_, terms_, scales_);
  calcNormWeights();
}

// Motions and multipliers count by their root mean squares, each state and signal by itself.
void TimeStepper::addSizes(const Eigen::VectorXd& acceleration, const Eigen::VectorXd& value,
                           Scales& scales) const {
  std::array<double, kClasses> sum{};
  for (int u = 0; u < value.size(); ++u) {
    if (class_[u] <= kMultiplier) {
      const double x = class_[u] == kMultiplier ? gradient_[u] * value[u] : acceleration[u];
      sum[class_[u]] += x * x;
    } else {
      scales.size[u] = std::max(scales.size[u], std::abs(value[u]));
    }
  }
  const auto raise = [&](double& scale, Class c) {
    if (classCount_[c] > 0) scale = std::max(scale, std::sqrt(sum[c] / classCount_[c]));
  };
  raise(scales.translation, kTranslation);
  raise(scales.rotation, kRotation);
  raise(scales.force, kMultiplier);
  if (length_ > 0.0) {
    scales.rotation = std::max(scales.rotation, kShareOfOther * scales.translation / length_);
    scales.translation = std::max(scales.translation, kShareOfOther * scales.rotation * length_);
  }
  scales.force = std::max(scales.force, meanMass_ * scales.translation);
}

// With new tangents: which force a multiplier makes, and what the last digits of all terms make of states and signals.
void TimeStepper::calcTerms(const State& at) {
  const std::vector<double>& values = factors_->matrix.values();
  for (int column = 0; column < matrix_.cols(); ++column) {
    if (class_[column] != kMultiplier) continue;
    double& largest = gradient_[column] = 0.0;
    for (int k = matrix_.outerIndexPtr()[column]; k < matrix_.outerIndexPtr()[column + 1]; ++k) {
      const Class rowClass = class_[matrix_.innerIndexPtr()[k]];
      if (rowClass > kRotation) continue;
      const double arm = rowClass == kRotation && length_ > 0.0 ? length_ : 1.0;
      largest = std::max(largest, std::abs(values[k]) / arm);
    }
  }
  const double place = 1.0 / (step_.h * step_.h * scheme_.motion.beta);
  for (int u = 0; u < digits_.size(); ++u) {
    switch (class_[u]) {
      case kTranslation:
        digits_[u] = length_ * place;
        break;
      case kRotation:
        digits_[u] = place;
        break;
      case kState:
        digits_[u] = scales_.size[u] / weights_.value[u];
        break;
      default:
        digits_[u] = std::abs(at.value[u]);
    }
  }
  if (classCount_[kState] + classCount_[kSignal] == 0) return;
  calcTermSizes(matrix_, values, digits_, terms_);
  for (int u = 0; u < terms_.size(); ++u) {
    if (class_[u] <= kMultiplier) terms_[u] = 0.0;
  }
  giveSigns(terms_);
  factors_->matrix.solve(terms_);
  noise_ = kFloorUlps * kEpsilon * weights_.value.cwiseProduct(terms_).cwiseAbs();
}

void TimeStepper::calcNormWeights() {
  const double tolerance = options_.tolerance;
  const double signals = hasMotions() ? kSignalTolerance * tolerance : tolerance;
  const std::array<double, 3> weights{calcWeight(tolerance * scales_.translation),
                                      calcWeight(tolerance * scales_.rotation),
                                      calcWeight(tolerance * scales_.force)};
  for (int u = 0; u < normWeight_.size(); ++u) {
    const Class c = class_[u];
    double weight = 0.0;
    if (c <= kRotation) {
      weight = weights[c];
    } else if (c == kMultiplier) {
      // The share of redundant multipliers that no motion feels is round-off over the compliance; the
      // rest of them is judged by the motions.
      if (compliance_[u] == 0.0) weight = weights[c] * gradient_[u] * gradient_[u];
    } else {
      // Corrections of states are those of w; their values move by the weight of the step.
      const double share = c == kState ? tolerance : signals;
      weight = calcWeight(std::max(share * scales_.size[u], noise_[u]) / weights_.value[u]);
    }
    normWeight_[u] = weight / classCount_[c];
  }
}

}  // namespace flexloop::solve
