#include "analysis/time/run_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::analysis {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Moves in a step, by the size of the machine, that are round-off; and energies.
constexpr double kNoMove = 1e4 * kEpsilon, kNoEnergy = 1e6 * kEpsilon;
constexpr double kNoBend = 10.0 * kEpsilon;  // of places, from step to step
// Of the way in the tenth of the run with the longest: tenths with less are not judged.
constexpr double kLongWay = 0.1;
// Steps that are measured, and those whose energies and joints are looked at: the first, and one in so many of all others; of
// those that err much, as many again. Not evenly, so that no oscillation is always met in the same phase.
constexpr std::int64_t kFirstMeasured = 32, kFirstSteps = 8;
constexpr double kMeasured = 1.0 / 16.0, kLookedAt = 1.0 / 128.0, kGolden = 0.61803398874989485;
// Steps after a doubling, in which all are watched.
constexpr int kWatched = 32;
constexpr double kSuspicious = 0.1;  // of the way in a step
// Accelerations ring where they change in a step by more than this share of their size and are more than that share of the
// largest; and they do so for long in this share of all steps.
constexpr double kAlternating = 1.5, kWeak = 1e-3, kLongRinging = 0.2;
// Of a step, over which a power is found.
constexpr double kShortTime = 0.01;
// Of what flows in a step: a defect that is no more is not looked at twice.
constexpr double kSmallDefect = 0.01;

}  // namespace

bool RunWatch::Balance::isLarge() const {
  return std::abs(defect) > kSmallDefect * flow;
}

RunWatch::RunWatch(const model::Model& model, const system::State& start, double end)
    : model_(model), begin_(start.time), end_(end), growth_(model.system(), start) {}

void RunWatch::addIteration(const solve::StepReport& step, double time) {
  if (step.contraction <= health_.contraction) return;
  health_.contraction = step.contraction;
  health_.contractionTime = time;
}

void RunWatch::addStep(const system::State& state, solve::TimeStepper& stepper,
                       system::Assembler& assembler) {
  const double place = kGolden * static_cast<double>(++steps_);
  const double share = place - std::floor(place);
  const bool isMeasured = steps_ <= kFirstMeasured || share < kMeasured;
  // Where something has just doubled, it may do so again soon.
  if (watched_ > 0 || isMeasured)
    watched_ = growth_.add(state) ? kWatched : std::max(watched_ - 1, 0);
  if (!isMeasured) return;
  stepper.measureStep(sizes_);
  const double weight = steps_ <= kFirstMeasured ? 1.0 : 1.0 / kMeasured;
  const bool isSuspicious = addSizes(stepper.previous().time, state.time, weight);
  if (steps_ > kFirstSteps && share >= kLookedAt && !(isSuspicious && mayLook())) return;
  addDrift(state, stepper);
  addEnergy(state, stepper, assembler);
}

void RunWatch::addLast(const system::State& state) {
  growth_.add(state);
}

// Whether a step errs much. The weight is the number of steps that it represents.
bool RunWatch::addSizes(double from, double to, double weight) {
  windows_.resize(sizes_.size());
  sums_.resize(sizes_.size());
  const double place = end_ > begin_ ? (from - begin_) / (end_ - begin_) : 0.0;
  const auto w = static_cast<std::size_t>(std::clamp(place, 0.0, 0.999) * kWindows);
  bool isSuspicious = false;
  for (std::size_t p = 0; p < sizes_.size(); ++p) {
    const solve::StepSizes& size = sizes_[p];
    if (!(size.path > kNoMove * size.length)) continue;
    Window& window = windows_[p][w];
    window.path += weight * size.path;
    window.error += weight * size.error;
    window.time += weight * (to - from);
    window.steps += weight;
    // Of steady motion, accelerations are the round-off of places and velocities.
    const double bend = size.acceleration * (to - from) * (to - from);
    if (bend > kNoMove * size.path + kNoBend * size.length) addAcceleration(size, weight, sums_[p]);
    isSuspicious = isSuspicious || size.error > kSuspicious * size.path;
  }
  return isSuspicious;
}

void RunWatch::addAcceleration(const solve::StepSizes& size, double weight, Sums& sums) {
  sums.acceleration += weight * size.acceleration;
  sums.change += weight * size.change;
  sums.largest = std::max(sums.largest, size.acceleration);
  sums.steps += weight;
  const bool isAlternating =
      size.change > kAlternating * size.acceleration && size.acceleration > kWeak * sums.largest;
  if (isAlternating) sums.alternating += weight;
}

// Into a step that errs much.
bool RunWatch::mayLook() {
  if (static_cast<double>(suspicious_) >= kLookedAt * static_cast<double>(steps_)) return false;
  ++suspicious_;
  return true;
}

// Of all forces that have no energy of their own: those of loads, actuators, dampers and drives. The difference is central: in the
// axes of a wheel that rolls, velocities turn, and to the first order in dt they grow.
double RunWatch::calcPower(const system::State& state, double dt, system::Assembler& assembler) {
  double change = 0.0;
  for (const double t : {dt, -dt}) {
    nearby_ = state;
    move_ = t * state.rate + 0.5 * t * t * state.acceleration;
    model_.system().retract(state, move_, nearby_);
    nearby_.rate += t * state.acceleration;
    change += assembler.calcEnergy(nearby_).total() / (2.0 * t);
  }
  return change;
}

// Of from_ and to_, (27.3). Where the power changes much in a step, its work is anything between those of both ends.
RunWatch::Balance RunWatch::calcBalance(system::Assembler& assembler) {
  const double h = to_.time - from_.time, dt = kShortTime * h;
  const system::Energy before = assembler.calcEnergy(from_), after = assembler.calcEnergy(to_);
  double work0 = 0.0, work1 = 0.0;
  if (!model_.isConservative()) {
    work0 = h * calcPower(from_, dt, assembler);
    work1 = h * calcPower(to_, dt, assembler);
  }
  const double work = 0.5 * (work0 + work1), gain = after.total() - before.total();
  Balance balance{.flow = std::max({std::abs(work), std::abs(after.kinetic - before.kinetic),
                                    std::abs(after.potential - before.potential)}),
                  .defect = gain - work,
                  .size = std::max(std::abs(before.kinetic) + std::abs(before.potential),
                                   std::abs(after.kinetic) + std::abs(after.potential))};
  // A body in free flight exchanges nothing: all that its energy changes would be error, however little that is. The whole
  // run shows how much.
  const double exchanged = std::max(std::abs(work), std::abs(after.potential - before.potential));
  if (model_.isConservative() && exchanged <= kNoEnergy * balance.size) {
    balance.flow = balance.defect = 0.0;
  }
  if (balance.isLarge()) {
    balance.defect = gain - std::clamp(gain, std::min(work0, work1), std::max(work0, work1));
    // Nothing is known of what flows where its power is not resolved.
    if (balance.defect == 0.0) balance.flow = 0.0;
  }
  return balance;
}

void RunWatch::addEnergy(const system::State& state, const solve::TimeStepper& stepper,
                         system::Assembler& assembler) {
  if (!(state.time > stepper.previous().time) || sizes_.empty()) return;
  stepper.calcPassage(state, passage_);
  from_ = stepper.previous();
  from_.acceleration = passage_.startAcceleration;
  to_ = state;
  Balance balance = calcBalance(assembler);
  // The impulse of a blow is in the velocities only when it has passed the filter. With it, energy may be balanced.
  if (balance.isLarge()) {
    from_.rate = passage_.startRate;
    to_.rate = passage_.endRate;
    const Balance passed = calcBalance(assembler);
    if (std::abs(passed.defect) * balance.flow <= std::abs(balance.defect) * passed.flow)
      balance = passed;
  }
  if (!std::isfinite(balance.flow)) return;
  energy_.size += balance.size;
  energy_.flow += balance.flow;
  energy_.defect += balance.defect;
}

void RunWatch::addDrift(const system::State& state, solve::TimeStepper& stepper) {
  const solve::TimeStepper::Opening opening = stepper.findLargestOpening(state);
  if (opening.constraint < 0 || opening.share <= health_.drift) return;
  health_.drift = opening.share;
  health_.driftWhere = model_.system().equationName(system::UnknownIndex{opening.constraint});
}

void RunWatch::reportResolution(RunHealth& health) const {
  for (const auto& windows : windows_) {
    double longest = 0.0;
    for (const Window& window : windows) longest = std::max(longest, window.path);
    for (std::size_t w = 0; w < kWindows; ++w) {
      const Window& window = windows[w];
      if (window.path == 0.0 || window.path < kLongWay * longest) continue;
      const double share = std::min(window.error / window.path, 1.0);
      if (health.resolution && share <= *health.resolution) continue;
      health.resolution = share;
      health.resolvedStep = window.time / window.steps;
      health.resolutionTime =
          begin_ + (end_ - begin_) * static_cast<double>(w) / static_cast<double>(kWindows);
    }
  }
}

void RunWatch::reportRinging(RunHealth& health) const {
  for (const Sums& sums : sums_) {
    // What rings for a few steps after a blow or a brake is over.
    if (sums.acceleration == 0.0 || sums.alternating < kLongRinging * sums.steps) continue;
    health.ringing = std::max(health.ringing.value_or(0.0), sums.change / sums.acceleration);
  }
}

RunHealth RunWatch::report() const {
  RunHealth health = health_;
  reportResolution(health);
  reportRinging(health);
  // Where nothing has moved, round-off flows; beside a potential of zero it would be all.
  const bool hasMoved = health.resolution.has_value();
  if (hasMoved && energy_.flow > kNoEnergy * energy_.size)
    health.energyError = energy_.defect / energy_.flow;
  return health;
}

}  // namespace flexloop::analysis
