#include "solve/time/time_stepper.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "solve/redundancy.hpp"
#include "solve/time/pieces.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// The next step begins with new tangents where forces have grown or fallen by more than this.
constexpr double kForceRatio = 1.5;

std::vector<const system::InnerStates*> findInnerStates(const system::System& system) {
  std::vector<const system::InnerStates*> found;
  for (const auto& set : system.sets()) {
    const auto* inner = dynamic_cast<const system::InnerStates*>(set.get());
    if (inner != nullptr) found.push_back(inner);
  }
  return found;
}

}  // namespace

TimeStepper::TimeStepper(PreparedMachine& machine, const StepperOptions& options,
                         const State& start)
    : machine_(machine),
      assembler_(machine.assembler()),
      options_(options),
      massSystem_(machine.massSystem()),
      turnCounters_(system::findTurnCounters(assembler_.system())),
      axes_(assembler_.system()) {
  const system::System& system = assembler_.system();
  const int n = system.unknowns();
  for (Eigen::VectorXd* w : {&weights_.value,
                             &weights_.rate,
                             &weights_.acceleration,
                             &increment_,
                             &expected_,
                             &startAcceleration_,
                             &startRate_,
                             &startAlgorithmic_,
                             &vectors_.rate,
                             &vectors_.acceleration,
                             &vectors_.algorithmic,
                             &residual_,
                             &previousResidual_,
                             &inertia_,
                             &roundOff_,
                             &recent_,
                             &delta_,
                             &last_,
                             &lastShift_,
                             &signalDelta_,
                             &selfStress_,
                             &positionGap_,
                             &shift_,
                             &velocityDelta_,
                             &gap_,
                             &memory_[0].acceleration,
                             &memory_[0].value,
                             &memory_[1].acceleration,
                             &memory_[1].value,
                             &memory_[0].driven,
                             &memory_[1].driven,
                             &memory_[0].jump,
                             &memory_[1].jump,
                             &memory_[0].gap,
                             &memory_[1].gap,
                             &memory_[0].gapBefore,
                             &memory_[1].gapBefore,
                             &memory_[0].gapEarlier,
                             &memory_[1].gapEarlier,
                             &memory_[0].accelerationBefore,
                             &memory_[1].accelerationBefore,
                             &memory_[0].valueBefore,
                             &memory_[1].valueBefore,
                             &guess_,
                             &curvature_,
                             &stepGap_,
                             &gradient_,
                             &positionTerms_,
                             &seen_,
                             &size_,
                             &digits_,
                             &seenByDigits_,
                             &jump_}) {
    w->setZero(n);
  }
  weights_.row.setOnes(n);
  normWeight_.setZero(n);
  lastDigit_.setZero(n);
  classify();
  innerStates_ = findInnerStates(system);
  hasInnerStates_ = std::any_of(innerStates_.begin(), innerStates_.end(),
                                [](const auto* set) { return set->hasInnerStates(); });
  hasLoops_ = hasLoops(system);
  partSizes_ = PartSizes(system, massSystem_.parts().parts());
  isOpen_.assign(partSizes_.count(), 0);
  speed_.assign(partSizes_.count(), 0.0);
  spin_.assign(partSizes_.count(), 0.0);
  isStiff_.assign(partSizes_.count(), false);
  assembler_.setAugmentation(options.constraintScale, options.constraintPenalty);
  roundBodies_ = findRoundBodies(assembler_, system.start());
  static_cast<void>(assembler_.calcMotion(start));
  takePattern();
  const auto redundancy = machine.redundancy(start);
  machine.begin(start);
  soft_ = SoftConstraints(system, redundancy->dependentRows);
  all_ = SoftConstraints(system, listConstraints(system));
  moves_ = redundancy->moves;
  turns_ = redundancy->turns;
}

// Factors of another pattern are of no use.
void TimeStepper::takePattern() {
  const system::System& system = assembler_.system();
  patternCount_ = assembler_.patternCount();
  matrix_ = assembler_.pattern();
  noiseTerms_.stiffness = matrix_;
  rowAxes_ = RowAxes(system, matrix_);
  spinAxes_ = SpinAxes(system, roundBodies_, matrix_);
  findLaws();
  cache_ = StepFactorCache();
  // Adaptive steps keep their length for a while, and what borrowed factors leave open would add up in their impulses.
  cache_.setLending(!options_.estimatesError);
  factors_ = nullptr;
  if (SignalCorrection::isWorthwhile(system)) {
    for (StepFactors& slot : cache_.slots()) {
      slot.signals = std::make_unique<SignalCorrection>(system, matrix_);
    }
  }
  massSystem_.takePattern();
}

double TimeStepper::calcOpenShare(int constraint) const {
  const double length = partSizes_.of(constraint).length;
  const double size = length * moves_[constraint] + turns_[constraint];
  return std::abs(positionGap_[constraint]) / (size > 0.0 ? size : length);
}

int TimeStepper::findOpen(double share) const {
  // Of all constraints: those that are independent at the start may become dependent on the way.
  int worst = -1;
  for (int i = 0; i < all_.size(); ++i) {
    const int u = all_.row(i);
    const double open = calcOpenShare(u);
    if (open <= share) continue;
    share = open;
    worst = u;
  }
  return worst;
}

// What the last iteration found may have been closed by its correction.
int TimeStepper::findContradiction(const State& state, double share) {
  if (findOpen(share) < 0) return -1;
  assembler_.calcResidual(state, positionGap_);
  return findOpen(share);
}

void TimeStepper::setWeights(const StepLength& step) {
  if (factors_ != nullptr && step == step_ && !cache_.isBorrowed()) return;
  factors_ = &cache_.select(fillWeights(step));
}

WeightKey TimeStepper::fillWeights(const StepLength& step) {
  step_ = step;
  areWeightsOld_ = true;
  scheme_ = adaptToStep(options_.scheme, step);
  carry_ = carryOver(options_.scheme, step, scheme_);
  const MotionScheme& m = scheme_.motion;
  const StateScheme& s = scheme_.state;
  const double h = step.h;
  const WeightKey key{h * h * m.beta, h * m.gamma, (1.0 - m.alphaM) / (1.0 - m.alphaF), h * s.theta,
                      (1.0 - s.deltaM) / (1.0 - s.deltaF)};
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < weights_.value.size(); ++u) {
    weights_.row[u] = 1.0;
    switch (kinds[u]) {
      case Kind::kMotion:
        weights_.value[u] = key[0];
        weights_.rate[u] = key[1];
        weights_.acceleration[u] = key[2];
        break;
      case Kind::kState:
        weights_.value[u] = key[3];
        weights_.rate[u] = key[4];
        break;
      case Kind::kMultiplier:
        weights_.value[u] = 1.0;
        if (options_.scaleConstraints) weights_.row[u] = 1.0 / key[0];
        break;
      case Kind::kSignal:
        weights_.value[u] = 1.0;
        break;
    }
  }
  return key_ = key;
}

// The end of the step from its increment and its vectors.
void TimeStepper::move(const State& from) {
  const system::System& system = assembler_.system();
  system.advance(from, expected_, increment_, trial_);
  axes_.setTurns(from, trial_);
  moveRates();
  system::advanceTurns(turnCounters_, {system, from, increment_, trial_}, trial_);
}

void TimeStepper::moveRates() {
  trial_.rate = vectors_.rate;
  axes_.toEnd(trial_.rate);
  trial_.acceleration = vectors_.acceleration;
  axes_.toEnd(trial_.acceleration);
  axes_.removeTurnOf(trial_.rate, trial_.acceleration);
}

// Corrections are in body axes at the end of the step; vectors are added in those of its start.
void TimeStepper::update(const State& from, Eigen::VectorXd& delta) {
  axes_.toStart(delta);
  if (isIndex2()) axes_.toStart(shift_);
  add(from, delta, shift_);
}

void TimeStepper::addToVectors(Eigen::Index first, const Eigen::Ref<const Eigen::VectorXd>& delta) {
  const Eigen::Index count = delta.size();
  vectors_.algorithmic.segment(first, count) += delta;
  vectors_.rate.segment(first, count) += weights_.rate.segment(first, count).cwiseProduct(delta);
  vectors_.acceleration.segment(first, count) +=
      weights_.acceleration.segment(first, count).cwiseProduct(delta);
}

void TimeStepper::add(const State& from, const Eigen::VectorXd& delta,
                      const Eigen::VectorXd& shift) {
  forEachPiece(delta.size(), [&](Eigen::Index first, Eigen::Index count) {
    const auto change = delta.segment(first, count);
    increment_.segment(first, count) +=
        weights_.value.segment(first, count).cwiseProduct(change) + shift.segment(first, count);
    addToVectors(first, change);
  });
  move(from);
}

StepReport TimeStepper::step(State& state, double h, double end) {
  StepReport report;
  if (assembler_.gathers()) {
    static_cast<void>(assembler_.calcMotion(state));
    if (patternCount_ != assembler_.patternCount()) takePattern();
  }
  const double nominal = memory_[0].nominal;
  setWeights({h, nominal, followNominal(options_.scheme, h, nominal, wish_)});
  if (trial_.frames.size() != state.frames.size()) trial_ = state;
  trial_.history = state.history;
  trial_.records = state.records;
  sizesBefore_ = partSizes_.all();
  const State* from = prepareStart(state, report);
  if (from == nullptr) {
    partSizes_.takeBack(sizesBefore_);
    return report;
  }
  if (options_.estimatesError) reach_.add(*from);
  predict(*from, end);
  renewScales(*from, calcKept());
  if (!solveStep(*from, report)) {
    cache_.invalidate();
    partSizes_.takeBack(sizesBefore_);
    return report;
  }
  report.failure.reset();
  judgeFactors(report);
  if (isIndex3()) watchNormalVelocities();
  if (options_.estimatesError)
    localError_ = std::max(calcMotionError(*from), calcStateError(*from));
  remember(*from);
  trial_.algorithmic = vectors_.algorithmic;
  axes_.toEnd(trial_.algorithmic);
  std::swap(state, trial_);
  assembler_.updateHistory(state);
  return report;
}

double TimeStepper::calcForceNorm() const {
  double sum = 0.0;
  for (const int u : multipliers_) sum += normWeight_[u] * trial_.value[u] * trial_.value[u];
  return std::sqrt(sum);
}

// Where constraints come close to depending on each other, forces grow without bound, and old tangents would close positions
// along directions that the machine no longer has.
bool TimeStepper::haveForcesChanged() const {
  if (!hasLoops_) return false;
  const double force = calcForceNorm();
  return force > kForceRatio * factors_->force || force < factors_->force / kForceRatio;
}

void TimeStepper::remember(const State& from) {
  const int sinceRenewal = memory_[0].sinceRenewal;
  std::swap(memory_[0], memory_[1]);
  Memory& last = memory_[0];
  if (hasMotions()) {
    rememberEarlier(memory_[1], last);
    judgeGuess(from, last);
  }
  last.acceleration = startAcceleration_;
  axes_.turnToEnd(last.acceleration);
  axes_.turnUnder(increment_, last.acceleration);
  last.errorConstant = calcErrorConstant(options_.scheme.motion.filterError());
  last.gap = stepGap_ / (step_.h * last.errorConstant);
  rowAxes_.toBody(last.gap);
  last.closing = largestShift_;
  for (int u = 0; u < increment_.size(); ++u) {
    if (class_[u] == kState) last.acceleration[u] = from.rate[u];
  }
  last.value = from.value;
  last.isStep = true;
  last.isFirst = false;
  last.step = step_.h;
  last.nominal = step_.nominal1;
  last.sinceRenewal = sinceRenewal + 1;
  last.hasJump = false;
  jump_.setZero();
}

void TimeStepper::reject(State& state) {
  std::swap(state, trial_);
  std::swap(memory_[0], memory_[1]);
}

void TimeStepper::classifyConstraints() {
  hasMultipliers_ = classCount_[kMultiplier] > 0;
  hasDrives_ = massSystem_.signals().hasDrives();
  findWhatDrivesUse();
  findAnsweringDrives();
}

}  // namespace flexloop::solve
