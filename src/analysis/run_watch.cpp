#include "analysis/run_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::analysis {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Moves in a step, by the size of the machine, that are round-off; and energies.
constexpr double kNoMove = 1e4 * kEpsilon, kNoEnergy = 1e6 * kEpsilon;
// Of the way in the tenth of the run with the longest: tenths with less are not judged.
constexpr double kLongWay = 0.1;
// Steps that are measured, and those whose energies and joints are looked at: the first, and one in so many of all others; of
// those that err much, as many again. Not evenly, so that no oscillation is always met in the same phase.
constexpr std::int64_t kFirstMeasured = 32, kFirstSteps = 8;
constexpr double kMeasured = 1.0 / 16.0, kLookedAt = 1.0 / 128.0, kGolden = 0.61803398874989485;
// Steps after a doubling, in which all are watched.
constexpr int kWatched = 32;
constexpr double kSuspicious = 0.1;  // of the way in a step
// Of a step, over which a power is found.
constexpr double kShortTime = 0.01;

}  // namespace

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
  addEnergy(stepper.previous(), state, assembler);
}

void RunWatch::addLast(const system::State& state) {
  growth_.add(state);
}

// Whether a step errs much. The weight is the number of steps that it stands for.
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
    sums_[p].acceleration += weight * size.acceleration;
    sums_[p].change += weight * size.change;
    isSuspicious = isSuspicious || size.error > kSuspicious * size.path;
  }
  return isSuspicious;
}

// Into a step that errs much.
bool RunWatch::mayLook() {
  if (static_cast<double>(suspicious_) >= kLookedAt * static_cast<double>(steps_)) return false;
  ++suspicious_;
  return true;
}

// Of all forces that have no energy of their own: those of loads, actuators, dampers and drives.
double RunWatch::calcPower(const system::State& state, double energy, double dt,
                           system::Assembler& assembler) {
  nearby_ = state;
  move_ = dt * state.rate + 0.5 * dt * dt * state.acceleration;
  model_.system().retract(state, move_, nearby_);
  nearby_.rate += dt * state.acceleration;
  return (assembler.calcEnergy(nearby_).total() - energy) / dt;
}

// (27.3)
void RunWatch::addEnergy(const system::State& from, const system::State& to,
                         system::Assembler& assembler) {
  const double h = to.time - from.time, dt = kShortTime * h;
  if (!(h > 0.0) || sizes_.empty()) return;
  const system::Energy before = assembler.calcEnergy(from), after = assembler.calcEnergy(to);
  const double size = std::max(std::abs(before.kinetic) + std::abs(before.potential),
                               std::abs(after.kinetic) + std::abs(after.potential));
  double work = 0.0;
  if (!model_.isConservative()) {
    work = 0.5 * h *
           (calcPower(from, before.total(), dt, assembler) +
            calcPower(to, after.total(), dt, assembler));
  }
  const double flow = std::max({std::abs(after.kinetic - before.kinetic),
                                std::abs(after.potential - before.potential), std::abs(work)});
  if (!std::isfinite(flow)) return;
  energy_.size += size;
  energy_.flow += flow;
  energy_.defect += after.total() - before.total() - work;
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
    if (sums.acceleration == 0.0) continue;
    health.ringing = std::max(health.ringing.value_or(0.0), sums.change / sums.acceleration);
  }
}

RunHealth RunWatch::report() const {
  RunHealth health = health_;
  reportResolution(health);
  reportRinging(health);
  if (energy_.flow > kNoEnergy * energy_.size) health.energyError = energy_.defect / energy_.flow;
  return health;
}

}  // namespace flexloop::analysis
