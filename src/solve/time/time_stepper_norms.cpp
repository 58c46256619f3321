// How large corrections of a step are: by class, relative to what was seen so far, and against round-off
// (docs/theory/09_time.md, sections 9.2 and 9.9).
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Round-off floor of corrections, in units of the last place of the positions.
constexpr double kFloorUlps = 16.0;
// A gap of positions that is round-off, in units of their last place.
constexpr double kGapUlps = 8.0;
// An iteration that contracts slower than this has come to its end.
constexpr double kStagnation = 0.3;
// Of the norm of one part: it is small enough, whatever others do.
constexpr double kSmallPart = 0.1;
// Signals beside motions may be off by this multiple of the tolerance: what measures a turning node ages
// faster than the tangents of the machine, and follows its motions at once.
constexpr double kSignalTolerance = 10.0;
// By which loops of signals may magnify round-off.
constexpr double kLargestLoopGain = 1e3;
// A size of a state or signal that has grown by more changes what is known of others; by less than a share, nothing.
constexpr double kMuchLarger = 8.0, kSameSize = 0.01;
// In a long chain some signal grows in every step, so that is looked at now and then only.
constexpr int kStepsOfDigits = 16;
// In place of zero, where nothing at all is allowed.
constexpr double kSmallestSquare = 1e-200;

double calcWeight(double allowed, int count) {
  return 1.0 / (count * std::max(allowed * allowed, kSmallestSquare));
}

}  // namespace

// The shift that closes positions counts as the accelerations that would make it, unless it is their last digits:
// what it leaves open in the velocities is not mistaken for a poor convergence.
TimeStepper::Norm TimeStepper::calcNorm(const Eigen::VectorXd& delta) const {
  const auto closing = (shift_.array().abs() > lastDigit_.array())
                           .select(shift_.array() / weights_.value.array(), 0.0);
  const auto square = normWeight_.array() * delta.array().square().max(closing.square());
  double multipliers = 0.0;
  for (const int u : multipliers_) multipliers += normWeight_[u] * delta[u] * delta[u];
  double mechanical = 0.0, others = 0.0, states = 0.0;
  if (classCount_[kState] + classCount_[kSignal] == 0) {
    mechanical = square.sum();
  } else {
    squares_ = square;
    for (int u = 0; u < delta.size(); ++u) {
      (class_[u] <= kMultiplier ? mechanical : others) += squares_[u];
      if (class_[u] == kState) states += squares_[u];
    }
  }
  const double motions = std::max(mechanical - multipliers, 0.0);
  if (hasDependentPose_) mechanical = motions;
  return {std::sqrt(mechanical + others),
          std::sqrt(mechanical),
          std::sqrt(others),
          std::sqrt(motions),
          std::sqrt(motions + states),
          std::sqrt(motions + others)};
}

// Constraints have units of their own, so each counts as a share of the size of the machine.
double TimeStepper::calcOpening(const Eigen::VectorXd& gap) const {
  double sum = 0.0;
  for (const int u : multipliers_) {
    const double size = u < moves_.size() ? partSizes_.of(u).length * moves_[u] + turns_[u] : 0.0;
    const double share = size > 0.0 ? gap[u] / size : gap[u];
    sum += share * share;
  }
  return std::sqrt(sum);
}

double TimeStepper::calcShiftNorm() const {
  return std::sqrt(shift_.cwiseQuotient(weights_.value).cwiseAbs2().dot(normWeight_));
}

double TimeStepper::calcNoise(const PartSize& size) const {
  return kEpsilon * size.length / (step_.h * step_.h * scheme_.motion.beta);
}

bool TimeStepper::isNoisy(double h) const {
  if (!isIndex3()) return false;
  const StepLength step{h, memory_[0].nominal, memory_[0].nominal};
  const double weight = h * h * adaptToStep(options_.scheme.motion, step).beta;
  double length = 0.0, acceleration = 0.0;
  for (const PartSize& size : partSizes_.all()) {
    length = std::max(length, size.length);
    acceleration = std::max(acceleration, size.translation);
  }
  return kEpsilon * length / weight > options_.tolerance * acceleration;
}

// Corrections of motions and multipliers can be round-off of the positions, magnified by 1/(βh²), and
// so can those of signals that measure them. Where velocities are constrained, only stiff parts magnify it: there
// the iteration continues until it no longer improves.
bool TimeStepper::isRoundOff(const Norm& norm, double rate) const {
  if (!hasMotions() || (!isIndex3() && rate < kStagnation)) return false;
  if (norm.others > std::max(1.0, norm.mechanical)) return false;
  const auto ofParts = factors_->noise.tail(partSizes_.count());
  const auto calcFloor = [&](int p) {
    const PartSize& size = partSizes_.all()[p];
    return std::min(kFloorUlps * calcNoise(size), ofParts[p]) /
           (options_.tolerance * size.translation);
  };
  if (partSizes_.count() == 1) return norm.mechanical <= calcFloor(0);
  partSquares_.assign(partSizes_.count(), 0.0);
  for (int u = 0; u < delta_.size(); ++u) {
    if (class_[u] > kMultiplier) continue;
    const double closing =
        std::abs(shift_[u]) > lastDigit_[u] ? shift_[u] / weights_.value[u] : 0.0;
    const double largest = std::max(std::abs(delta_[u]), std::abs(closing));
    partSquares_[partSizes_.part(u)] += normWeight_[u] * largest * largest;
  }
  for (int p = 0; p < partSizes_.count(); ++p) {
    const double largest = std::max(calcFloor(p), kSmallPart);
    if (!(partSquares_[p] <= largest * largest)) return false;
  }
  return true;
}

bool TimeStepper::isClosed(int u) const {
  if (u >= moves_.size()) return positionGap_[u] == 0.0;
  const double size = partSizes_.of(u).length * moves_[u] + turns_[u];
  return std::abs(positionGap_[u]) <= kGapUlps * kEpsilon * size;
}

// Rows that are closed count as well where others of the same machine are not: with part of their round-off left out, gaps
// would no longer agree with each other along a long chain, and closing them would move the machine far.
void TimeStepper::findOpenParts() {
  std::fill(isOpen_.begin(), isOpen_.end(), char{0});
  for (const int u : multipliers_) {
    if (!isClosed(u)) isOpen_[partSizes_.part(u)] = 1;
  }
}

// Where a machine starts from rest, nothing is large enough to judge corrections by. Positions that
// change by their last digits only are known, and so is what measures them: signals of accelerations
// carry the round-off of positions, magnified by 1/(βh²) and by gains.
bool TimeStepper::isLastDigit() {
  if (!hasMotions()) return false;
  const double digit = kFloorUlps * kEpsilon;
  signalDelta_.setZero();
  propagate(true, signalDelta_);
  for (int u = 0; u < delta_.size(); ++u) {
    const double change = std::abs(weights_.value[u] * delta_[u]);
    if (class_[u] == kTranslation && change > digit * partSizes_.of(u).length) return false;
    if (class_[u] == kRotation && change > digit) return false;
    const bool isOther = class_[u] == kSignal || class_[u] == kState;
    if (isOther && std::abs(delta_[u]) > kLargestLoopGain * signalDelta_[u]) return false;
  }
  return true;
}

const SignalTerms& TimeStepper::terms() {
  if (terms_ == nullptr || terms_->values() != matrix_.nonZeros()) {
    terms_ = std::make_unique<SignalTerms>(assembler_.system(), matrix_);
  }
  return *terms_;
}

// States and signals start from what is in `sizes`.
void TimeStepper::propagate(bool isNoise, Eigen::VectorXd& sizes) {
  for (int u = 0; u < sizes.size(); ++u) {
    if (class_[u] > kMultiplier) continue;
    const PartSize& part = partSizes_.of(u);
    const double acceleration =
        isNoise ? kFloorUlps * calcNoise(part) : options_.tolerance * part.translation;
    if (class_[u] == kTranslation) sizes[u] = acceleration;
    if (class_[u] == kRotation) {
      sizes[u] = isNoise ? acceleration / part.length : options_.tolerance * part.rotation;
    }
    if (class_[u] == kMultiplier) {
      sizes[u] = gradient_[u] > 0.0 ? part.mass * acceleration / gradient_[u] : 0.0;
    }
  }
  if (others_.empty() || !hasFactors()) return;
  terms().raise(factors_->matrix.values().data(), sizes);
}

// What is known of states and signals: the last digits of their own and of positions, and what the tolerance of motions and
// forces leaves open, as far as their equations pass it on.
void TimeStepper::renewDigits() {
  const double digit = kFloorUlps * kEpsilon;
  for (const int u : others_) {
    const double own = seen_[u] / weights_.value[u];
    digits_[u] = digit * std::max(own, positionTerms_[u]);
    if (hasFactors()) {
      const double unit = factors_->matrix.scaling().columns[u];
      digits_[u] = std::max(digits_[u], options_.tolerance * kEpsilon * unit);
    }
    seenByDigits_[u] = seen_[u];
  }
  areWeightsOld_ = true;
  digitsAge_ = 0;
  roundOff_ = digits_;
  propagate(true, roundOff_);
  propagate(false, digits_);
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
    if (class_[u] == kMultiplier) multipliers_.push_back(u);
    if (class_[u] > kRotation) notMotions_.push_back(u);
    if (class_[u] > kMultiplier) others_.push_back(u);
    if (class_[u] <= kMultiplier) size_[u] = std::numeric_limits<double>::infinity();
  }
}

// A size does not vanish where an acceleration passes zero: over a step it changes by more than a guess errs.
double TimeStepper::calcKept() const {
  return std::exp2(-step_.h / memory_[0].nominal);
}

// Corrections of motions and forces are judged against the largest seen lately in their part: after a blow, forces are as small
// as before. States and signals have units of their own, so each is judged by itself.
void TimeStepper::renewScales(const State& state, double kept) {
  partSizes_.raise(state, startAcceleration_, gradient_, memory_[0].nominal,
                   1.0 / options_.constraintScale, kept);
  const double digit = kFloorUlps * kEpsilon;
  for (int u = 0; u < lastDigit_.size(); ++u) {
    lastDigit_[u] = class_[u] == kTranslation ? digit * partSizes_.of(u).length : digit;
  }
  weighMechanics();
  if (!others_.empty()) renewSizes(state, kept);
}

void TimeStepper::weighMechanics() {
  const double tolerance = options_.tolerance;
  for (int u = 0; u < normWeight_.size(); ++u) {
    if (class_[u] > kMultiplier) continue;
    const PartSize& part = partSizes_.of(u);
    if (class_[u] == kTranslation) {
      normWeight_[u] = calcWeight(tolerance * part.translation, part.translations);
    } else if (class_[u] == kRotation) {
      normWeight_[u] = calcWeight(tolerance * part.rotation, part.rotations);
    } else {
      normWeight_[u] =
          calcWeight(tolerance * part.force, part.forces) * gradient_[u] * gradient_[u];
    }
  }
  // The share of redundant multipliers that no motion feels is round-off over ε; the rest of them is judged by the
  // motions.
  for (int i = 0; i < soft_.size(); ++i) normWeight_[soft_.row(i)] = 0.0;
}

// Of states and signals, as far as they have changed by more than a hair.
void TimeStepper::renewSizes(const State& state, double kept) {
  bool areDigitsOld = false;
  for (const int u : others_) {
    const double value = std::abs(state.value[u]);
    seen_[u] = std::max(seen_[u], value);
    recent_[u] = std::max(kept * recent_[u], value);
    areDigitsOld = areDigitsOld || seen_[u] > kMuchLarger * seenByDigits_[u];
    if (std::abs(seen_[u] - size_[u]) <= kSameSize * seen_[u]) continue;
    size_[u] = seen_[u];
    normWeight_[u] = calcOtherWeight(u, size_[u], digits_[u]);
  }
  ++digitsAge_;
  if (areDigitsOld && digitsAge_ >= kStepsOfDigits) renewDigits();
  if (areWeightsOld_) weighOthers();
}

void TimeStepper::weighOthers() {
  for (const int u : others_) normWeight_[u] = calcOtherWeight(u, size_[u], digits_[u]);
  areWeightsOld_ = false;
}

// Corrections of states are those of w; their values move by the weight of the step.
double TimeStepper::calcOtherWeight(int u, double size, double known) const {
  const double share = class_[u] == kSignal && hasMotions() ? kSignalTolerance : 1.0;
  const double allowed = share * options_.tolerance * size / weights_.value[u];
  return calcWeight(std::max(allowed, known), classCount_[class_[u]]);
}

bool TimeStepper::raiseSizes() {
  hasBegun_ = false;
  if (others_.empty()) return false;
  bool hasGrown = false;
  for (const int u : others_) {
    const double size = std::abs(trial_.value[u] + weights_.value[u] * delta_[u]);
    if (!(size > (1.0 + kSameSize) * size_[u])) continue;
    if (size > kMuchLarger * size_[u]) {
      hasGrown = true;
      const bool wasNone = options_.tolerance * size_[u] <= digits_[u];
      hasBegun_ = hasBegun_ || (class_[u] == kSignal && wasNone);
    }
    size_[u] = size;
    normWeight_[u] = calcOtherWeight(u, size_[u], digits_[u]);
  }
  return hasGrown;
}

}  // namespace flexloop::solve
