// Steep laws within one correction (docs/theory/09_time.md, section 9.13): the machine answers to what a block gives nearly as the
// tangents say, and the block to what the machine does as its law says. Both are met at once.
#include <algorithm>
#include <cmath>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

namespace {

// Of the tolerance: an output that is off by less is left to the next correction.
constexpr double kSmallMisfit = 0.1;
constexpr int kMostSweeps = 6, kMostTrials = 30;
// From one trial of an output to the next, while its law has not been passed.
constexpr double kLargestGrowth = 8.0;

// The outputs of an element are its rows of signals, the inputs those that it reads.
void addLaws(const system::System& system, const system::ElementSet& set, int e,
             const linalg::SparseMatrix& pattern, std::vector<TimeStepperLaw>& laws) {
  TimeStepperLaw law;
  std::vector<int> outputs;
  for (int k = 0; k < set.scalars(e); ++k) {
    const int u = set.scalar(e, k).value;
    const bool isOwn = set.couples(e, set.nodes(e) + k, set.nodes(e) + k);
    if (!isOwn) {
      law.inputs.push_back(u);
    } else if (system.kinds()[u] == system::Kind::kState) {
      law.states.push_back(u);
    } else {
      outputs.push_back(u);
    }
  }
  if (law.states.empty()) return;
  for (const int u : outputs) {
    // Only what others read matters to the machine.
    if (pattern.outerIndexPtr()[u + 1] - pattern.outerIndexPtr()[u] < 2) continue;
    law.output = u;
    laws.push_back(law);
  }
}

// A root of a function that grows, by false position; see BracketedRoot::next.
struct BracketedRoot {
  double low = 0.0, lowValue = 0.0, high = 0.0, highValue = 0.0;
  bool hasLow = false, hasHigh = false;
  int side = 0;

  void add(double at, double value) {
    if (value < 0.0) {
      low = at;
      lowValue = value;
      hasLow = true;
      if (side < 0) highValue *= 0.5;
      side = -1;
    } else {
      high = at;
      highValue = value;
      hasHigh = true;
      if (side > 0) lowValue *= 0.5;
      side = 1;
    }
  }
  bool isBracketed() const { return hasLow && hasHigh; }
  double next() const { return (low * highValue - high * lowValue) / (highValue - lowValue); }
};

}  // namespace

void TimeStepper::findLaws() {
  laws_.clear();
  lawSignals_.clear();
  if (!hasInnerStates_) return;
  const system::System& system = assembler_.system();
  for (const auto& set : system.sets()) {
    if (dynamic_cast<const system::InnerStates*>(set.get()) == nullptr) continue;
    for (int e = 0; e < set->size(); ++e) addLaws(system, *set, e, matrix_, laws_);
  }
  for (const TimeStepperLaw& law : laws_) {
    lawSignals_.push_back(law.output);
    lawSignals_.insert(lawSignals_.end(), law.inputs.begin(), law.inputs.end());
  }
  std::sort(lawSignals_.begin(), lawSignals_.end());
  lawSignals_.erase(std::unique(lawSignals_.begin(), lawSignals_.end()), lawSignals_.end());
}

// What the outputs are by their laws, less what the correction makes of them.
bool TimeStepper::calcMisfits(const std::vector<bool>* chosen) {
  system::Motion motion;
  motion.time = trial_.time;
  motion.value = lawState_.value.data();
  motion.rate = lawState_.rate.data();
  motion.acceleration = trial_.acceleration.data();
  motion.history = trial_.history.data();
  motion.records = trial_.records.data();
  const system::InnerWeights weights{weights_.value, weights_.rate, normWeight_};
  signalDelta_.setZero();
  bool isAny = false;
  for (const system::InnerStates* set : innerStates_) {
    isAny = set->settleStates(motion, weights, chosen, signalDelta_) || isAny;
  }
  return isAny;
}

double TimeStepper::calcMisfit(TimeStepperLaw& law) {
  if (law.chosen.empty()) {
    law.chosen.assign(class_.size(), false);
    for (const int u : law.states) law.chosen[u] = true;
  }
  calcMisfits(&law.chosen);
  return -signalDelta_[law.output];
}

bool TimeStepper::isMisfit(const TimeStepperLaw& law, double misfit) const {
  return normWeight_[law.output] * misfit * misfit > kSmallMisfit * kSmallMisfit;
}

// What the machine makes of an output that is larger by one, with the tangents in use and in their axes.
const Eigen::VectorXd& TimeStepper::responseTo(std::size_t law) {
  auto& responses = factors_->responses;
  responses.resize(laws_.size());
  if (responses[law].size() == 0) {
    responses[law].setZero(delta_.size());
    responses[law][laws_[law].output] = 1.0;
    factors_->matrix.solve(responses[law]);
  }
  return responses[law];
}

void TimeStepper::raiseOutput(std::size_t law, double by) {
  const Eigen::VectorXd& response = responseTo(law);
  for (const int u : lawSignals_) lawState_.value[u] += by * response[u];
  laws_[law].raised += by;
}

// With the slope of the law that the tangents have, the misfit falls as the output rises, one by one.
void TimeStepper::meetLaw(std::size_t law, double misfit) {
  BracketedRoot root;
  double at = 0.0, last = 0.0, step = -misfit;
  root.add(0.0, misfit);
  for (int trial = 0; trial < kMostTrials; ++trial) {
    last = at;
    at = root.isBracketed() ? root.next() : at + step;
    if (!std::isfinite(at) || at == last) break;
    raiseOutput(law, at - last);
    const double before = misfit;
    misfit = calcMisfit(laws_[law]);
    if (!isMisfit(laws_[law], misfit)) break;
    root.add(at, misfit);
    const double slope = (misfit - before) / (at - last);
    step = slope > 0.0 ? -misfit / slope : kLargestGrowth * step;
    const double most = kLargestGrowth * std::abs(at - last);
    step = std::clamp(step, -most, most);
  }
}

// Before the correction is made.
void TimeStepper::meetLaws() {
  if (laws_.empty()) return;
  lawState_.value = trial_.value + weights_.value.cwiseProduct(delta_);
  lawState_.rate = trial_.rate + weights_.rate.cwiseProduct(delta_);
  if (!calcMisfits(nullptr)) return;
  std::vector<std::size_t>& open = openLaws_;
  open.clear();
  for (std::size_t k = 0; k < laws_.size(); ++k) {
    laws_[k].raised = 0.0;
    laws_[k].isOpen = isMisfit(laws_[k], signalDelta_[laws_[k].output]);
    if (laws_[k].isOpen) open.push_back(k);
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool isAny = false;
    for (const std::size_t k : open) {
      const double misfit = calcMisfit(laws_[k]);
      if (!isMisfit(laws_[k], misfit)) continue;
      meetLaw(k, misfit);
      isAny = true;
    }
    if (!isAny) break;
  }
  if (open.empty()) return;
  signalDelta_.setZero();
  for (const std::size_t k : open) signalDelta_ += laws_[k].raised * responseTo(k);
  rowAxes_.fromFactors(signalDelta_);
  spinAxes_.fromFactors(signalDelta_);
  if (cache_.isBorrowed()) scaleBack(signalDelta_);
  if (signalDelta_.allFinite()) delta_ += signalDelta_;
}

}  // namespace flexloop::solve
