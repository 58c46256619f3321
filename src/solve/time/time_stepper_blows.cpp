// Intervals that are far shorter than the steps, as those between the edges of a short pulse: blows, which the scheme passes
// without seeing their forces (docs/theory/09_time.md, section 9.12).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solve/consistent_accelerations.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/time/across_joints.hpp"
#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// Accelerations after a jump, relative to those of the part so far, from which on what follows is a blow.
constexpr double kViolent = 8.0;
// Of a step, after which a force that is still there is no blow: more than a blow may last.
constexpr double kSoon = 0.16;
// Pieces in which a blow is passed at most, and what doubling their number may change of it, as a share of it and of the
// velocity; with the most of them a kink may be inside.
constexpr int kMostPieces = 64;
constexpr double kSameBlow = 1e-7;
constexpr double kSameKinkedBlow = 1e-3;
constexpr double kConverging = 0.7;  // of the change before
constexpr int kStiffPieces = 16;
constexpr double kBraked = 1.0;  // share of a velocity that its own forces may take in a blow
// Slow modes take a blow up to the third power of what one correction of the step leaves of it.
constexpr int kResolutions = 3;

// Whether a sampled block acts after the first of these times, up to the last.
bool isSampledWithin(const system::System& system, double first, double last) {
  const auto& clocks = system.clocks();
  return std::any_of(clocks.begin(), clocks.end(), [&](const system::Clock& clock) {
    const double soon = std::nextafter(last, std::numeric_limits<double>::infinity());
    return clock.lastInstant(soon) > clock.lastInstant(first);
  });
}

}  // namespace

// From the middle of a run, or before its first step, which begins after the blow.
bool TimeStepper::strike(State& state, double length, double end, double nominalStep) {
  const bool isNew = factors_ == nullptr;
  if (isNew) {
    classifyConstraints();
    findCentres(state);
    measureMachine(state);
    memory_[0].isStep = memory_[0].hasJump = false;
    memory_[0].nominal = nominalStep;
  }
  if (!isViolent(state, end)) return false;
  const double H = memory_[0].nominal;
  setWeights({H, H, H});
  State from = state, next;
  // With index 3, velocities across joints are those of steps (9.10), which accelerations as large as these would magnify.
  const bool isFound =
      isIndex3() ? followDriveRates(machine_, from) : calcAccelerations(machine_, from);
  if (!isFound) return false;
  if (!integrateBlow(from, length, end, next) && !integrateStiffBlow(from, length, end, next)) {
    return false;
  }
  if (!calcAccelerations(machine_, next)) return false;
  if (!isNew) addBlowToJump(state, from, next);
  assembler_.updateHistory(next);
  state = std::move(next);
  return true;
}

// Whether accelerations, or rates of states, at the start or at the end, are far larger than those so far, because signals have
// jumped. Before the first step there are none: then, than those after the end.
bool TimeStepper::isViolent(const State& state, double end) {
  const double H = memory_[0].nominal;
  std::vector<double> usual(partSizes_.count(), 0.0);
  Eigen::VectorXd rates = seen_ / H;
  State calm = state;
  if (memory_[0].isStep) {
    for (int p = 0; p < partSizes_.count(); ++p) {
      const PartSize& size = partSizes_.all()[p];
      usual[p] = std::max(size.translation / size.length, size.rotation);
    }
    for (const int u : others_) {
      if (memory_[0].hasJump && class_[u] == kSignal) calm.value[u] -= memory_[0].jump[u];
    }
  } else {
    calm.time = std::nextafter(end, std::numeric_limits<double>::infinity());
    if (!calcAccelerations(machine_, calm)) return false;
    usual = partSizes_.findLargestMoves(calm.acceleration);
    rates = calm.rate.cwiseAbs().cwiseMax(calm.value.cwiseAbs() / H);
  }
  State silent = state, loud = state;
  for (const int u : others_) {
    if (class_[u] != kSignal) continue;
    silent.value[u] = 0.0;
    loud.value[u] = memory_[0].isStep ? recent_[u] : std::abs(calm.value[u]);
  }
  // As signals are so far: where stiff parts hold their forces in balance, accelerations do not show these.
  const Eigen::VectorXd usualPush = calcPush(loud, silent).cwiseAbs();
  // And as they are after the end and still somewhat later: what has set in and stays is no blow.
  Eigen::VectorXd stays = Eigen::VectorXd::Constant(usualPush.size(), HUGE_VAL);
  for (const double time :
       {std::nextafter(end, std::numeric_limits<double>::infinity()), state.time + kSoon * H}) {
    State later = state;
    later.time = time;
    if (massSystem_.signals().solve(later)) return true;
    stays = stays.cwiseMin(calcPush(later, calm).cwiseAbs());
  }
  stays = stays.cwiseMax(usualPush);
  const std::vector<double> driven = findDrivenMoves(state);
  const auto exceeds = [&](const State& at, const Eigen::VectorXd& known) {
    const Eigen::VectorXd push = calcPush(at, calm);
    for (const int u : others_) {
      const double most = kViolent * std::max({rates[u], known[u], digits_[u]});
      if (class_[u] == kState && std::abs(push[u]) > most) return true;
    }
    const std::vector<double> now = partSizes_.findLargestMoves(at.acceleration),
                              pushes = partSizes_.findLargestMoves(push),
                              most = partSizes_.findLargestMoves(known);
    for (std::size_t p = 0; p < now.size(); ++p) {
      const bool isPushed =
          pushes[p] > kViolent * std::max(usual[p], most[p]) || driven[p] > kViolent * usual[p];
      if (now[p] > kViolent * usual[p] && isPushed) return true;
    }
    return false;
  };
  // What a sampled block has let jump it may take back at the end.
  const bool isSampled = isSampledWithin(assembler_.system(), state.time, end);
  if (exceeds(state, isSampled ? usualPush : stays)) return true;
  State last = state;
  last.time = end;
  if (massSystem_.signals().solve(last) || last.value == state.value) return false;
  return calcAccelerations(machine_, last) && exceeds(last, stays);
}

// By part, the jump of accelerations that drives ask for, as a share of the length or in radians. Before the first step nothing is known of
// jumps, and all that is driven counts. How a drive goes on is no jump: a smooth one may begin with any acceleration.
std::vector<double> TimeStepper::findDrivenMoves(const State& state) const {
  std::vector<double> moves(partSizes_.count(), 0.0);
  if (!hasDrives_) return moves;
  if (!memory_[0].isStep) return partSizes_.findLargestMoves(state.acceleration);
  for (const int u : multipliers_) {
    if (!memory_[0].hasJump || u >= moves_.size()) continue;
    const PartSize& part = partSizes_.of(u);
    const double size = part.length * moves_[u] + turns_[u];
    double& largest = moves[partSizes_.part(u)];
    if (size > 0.0) largest = std::max(largest, std::abs(memory_[0].driven[u]) / size);
  }
  return moves;
}

// What masses, and rates of states, would do by the difference of signals alone. Accelerations themselves may be large without any
// jump: those of stiff parts, which steps do not resolve, are the last digits of what holds them in balance.
Eigen::VectorXd TimeStepper::calcPush(const State& at, const State& calm) {
  State before = at;
  for (const int u : others_) {
    if (class_[u] == kSignal) before.value[u] = calm.value[u];
  }
  Eigen::VectorXd now, then;
  assembler_.calcResidual(at, now);
  assembler_.calcResidual(before, then);
  Eigen::VectorXd push = Eigen::VectorXd::Zero(now.size());
  for (int u = 0; u < push.size(); ++u) {
    const double inertia = class_[u] == kState ? 1.0 : class_[u] <= kRotation ? inertia_[u] : 0.0;
    const double difference = now[u] - then[u];
    if (inertia > 0.0 && std::isfinite(difference)) push[u] = difference / inertia;
  }
  return push;
}

bool TimeStepper::integrateBlow(const State& from, double length, double end, State& next) {
  State coarse;
  if (!integratePieces(from, length, end, 1, coarse)) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int pieces = 2; pieces <= kMostPieces; pieces *= 2) {
    if (!integratePieces(from, length / pieces, end, pieces, next)) return false;
    const double change = compareBlows(from, coarse, next);
    if (change <= (pieces == kMostPieces ? kSameKinkedBlow : kSameBlow)) break;
    if (!(change <= kConverging * last) || pieces == kMostPieces) return false;
    last = change;
    coarse = next;
  }
  Eigen::VectorXd blow = Eigen::VectorXd::Zero(next.rate.size());
  for (int u = 0; u < blow.size(); ++u) {
    if (class_[u] <= kRotation) blow[u] = next.rate[u] - from.rate[u];
    if (class_[u] == kState) blow[u] = next.value[u] - from.value[u];
  }
  Eigen::VectorXd resolved;
  if (!resolveBlow(next, blow, resolved)) return false;
  for (int u = 0; u < blow.size(); ++u) {
    if (class_[u] <= kRotation) next.rate[u] += resolved[u] - blow[u];
    if (class_[u] == kState) next.value[u] += resolved[u] - blow[u];
  }
  return true;
}

// What is too stiff to be followed is struck where it is, and moves by what the step resolves of it.
bool TimeStepper::integrateStiffBlow(const State& from, double length, double end, State& next) {
  Eigen::VectorXd blow = Eigen::VectorXd::Zero(from.rate.size());
  State at = from;
  for (int piece = 0; piece <= kStiffPieces; ++piece) {
    at.time = std::min(from.time + length * piece / kStiffPieces, end);
    if (piece > 0 && !calcAccelerations(machine_, at)) return false;
    const bool isInside = piece > 0 && piece < kStiffPieces;
    const double weight = (isInside ? 1.0 : 0.5) * length / kStiffPieces;
    for (int u = 0; u < blow.size(); ++u) {
      if (class_[u] <= kRotation) blow[u] += weight * at.acceleration[u];
      if (class_[u] == kState) blow[u] += weight * at.rate[u];
    }
  }
  if (isFromOwnSpeed(from, length)) return false;
  Eigen::VectorXd resolved;
  if (!resolveBlow(from, blow, resolved)) return false;
  Eigen::VectorXd acceleration = resolved / length;
  for (const int u : notMotions_) acceleration[u] = 0.0;
  axes_.addTurnOf(from.rate, acceleration);
  axes_.toCentre(acceleration);
  if (!calcNearby(from, acceleration, length, next, end)) return false;
  system::advanceTurns(turnCounters_, {assembler_.system(), from, length * from.rate, next}, next);
  for (int u = 0; u < blow.size(); ++u) {
    if (class_[u] == kState) next.value[u] = from.value[u] + resolved[u];
  }
  next.time = end;
  return true;
}

// A force that would take more than the velocity it comes from, as that of a strong brake, is no blow: it ends with the velocity.
bool TimeStepper::isFromOwnSpeed(const State& from, double length) {
  State slow = from;
  for (int u = 0; u < slow.rate.size(); ++u) {
    if (class_[u] <= kRotation) slow.rate[u] *= 0.5;
  }
  if (!calcAccelerations(machine_, slow)) return true;
  const std::vector<double> change =
      partSizes_.findLargestMoves(from.acceleration - slow.acceleration);
  const std::vector<double> speed = partSizes_.findLargestMoves(from.rate - slow.rate);
  for (std::size_t p = 0; p < change.size(); ++p) {
    if (change[p] * length > kBraked * speed[p]) return true;
  }
  return false;
}

// (9.33)
bool TimeStepper::integratePieces(const State& from, double dt, double end, int pieces,
                                  State& next) {
  State at = from;
  for (int piece = 1; piece <= pieces; ++piece) {
    if (piece > 1 && !calcAccelerations(machine_, at)) return false;
    Eigen::VectorXd first = at.acceleration;
    axes_.addTurnOf(at.rate, first);
    axes_.toCentre(first);
    for (const int u : notMotions_) first[u] = 0.0;
    if (!calcNearby(at, first, dt, next, end)) return false;
    Eigen::VectorXd mean = (2.0 * first + next.acceleration) / 3.0;
    for (const int u : notMotions_) mean[u] = 0.0;
    if (!calcNearby(at, mean, dt, next, end)) return false;
    if (!next.acceleration.allFinite() || !next.value.allFinite()) return false;
    Eigen::VectorXd change = dt * (0.5 * (first + next.acceleration) - mean);
    for (const int u : notMotions_) change[u] = 0.0;
    axes_.toEnd(change);
    system::advanceTurns(turnCounters_, {assembler_.system(), at, dt * at.rate, next}, next);
    for (int u = 0; u < change.size(); ++u) {
      if (class_[u] != kState) continue;
      next.value[u] = at.value[u] + 0.5 * dt * (at.rate[u] + next.rate[u]);
    }
    next.rate += change;
    if (piece == pieces) next.time = end;
    at = next;
  }
  return true;
}

// By how much two results of a blow differ, relative to its size and to the speed of each part, and to each state.
double TimeStepper::compareBlows(const State& from, const State& a, const State& b) const {
  const std::vector<double> change = partSizes_.findLargestMoves(b.rate - a.rate);
  const std::vector<double> speed = partSizes_.findLargestMoves(from.rate),
                            reached = partSizes_.findLargestMoves(b.rate);
  double largest = 0.0;
  const auto add = [&](double difference, double size) {
    if (difference > 0.0) largest = std::max(largest, difference / size);
  };
  for (std::size_t p = 0; p < change.size(); ++p) add(change[p], std::max(speed[p], reached[p]));
  for (int u = 0; u < from.value.size(); ++u) {
    if (class_[u] != kState) continue;
    add(std::abs(b.value[u] - a.value[u]), std::max(std::abs(from.value[u]), std::abs(b.value[u])));
  }
  return largest;
}

// Fast modes take what corrections of a step make of the blow: their own motion would be too short for it. Each correction
// passes the whole on, as a deflection of what is stiff is a force on the rest (section 9.12).
bool TimeStepper::resolveBlow(const State& at, const Eigen::VectorXd& blow,
                              Eigen::VectorXd& resolved) {
  if (!blow.allFinite()) return false;
  resolved = blow;
  if (blow.isZero(0.0)) return true;
  beginAt(at);
  assembler_.calcResidual(trial_, residual_);
  StepReport report;
  if (!factors_->isValid && !factorize(trial_, report)) return false;
  Eigen::VectorXd rest = blow;
  for (int k = 0; k < kResolutions; ++k) rest -= resolveStored(rest);
  // Velocities across joints are not resolved: a drive brings all of them.
  Eigen::VectorXd across = calcAcross(
      matrix_, factors_->matrix.values(), rest / key_[2],
      [&](int u) { return class_[u] <= kRotation; },
      [&](int u) { return class_[u] == kMultiplier; });
  solveByFactors(across);
  resolved -= rest;
  for (int u = 0; u < rest.size(); ++u) {
    if (class_[u] <= kRotation) resolved[u] += weights_.acceleration[u] * across[u];
    if (class_[u] == kState) resolved[u] += weights_.rate[u] * across[u];
  }
  return resolved.allFinite();
}

// The jump that the coming step takes over leads from what the scheme had before the blow to what follows it; `from` is consistent
// and `before` is not. What drives do within the blow belongs to it.
void TimeStepper::addBlowToJump(const State& before, const State& from, const State& after) {
  Memory& last = memory_[0];
  if (!last.hasJump) {
    last.jump.setZero();
    last.driven.setZero();
  }
  last.hasJump = true;
  for (int u = 0; u < last.jump.size(); ++u) {
    const bool isMotion = class_[u] <= kRotation, isState = class_[u] == kState;
    const Eigen::VectorXd& a = isMotion  ? before.acceleration
                               : isState ? before.rate
                                         : before.value;
    const Eigen::VectorXd& b = isMotion ? after.acceleration : isState ? after.rate : after.value;
    last.jump[u] += b[u] - a[u];
  }
  if (hasDrives_) addDrivenJump(after, from);
}

}  // namespace flexloop::solve
