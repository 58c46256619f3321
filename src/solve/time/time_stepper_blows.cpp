// Intervals that are far shorter than the steps, as those between the edges of a short pulse: blows, which the scheme passes
// without seeing their forces (docs/theory/09_time.md, section 9.12).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solve/consistent_accelerations.hpp"
#include "solve/initial_conditions.hpp"
#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;

namespace {

// Accelerations after a jump, relative to those of the part so far, from which on what follows is a blow.
constexpr double kViolent = 8.0;
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
  if (!isNew) addBlowToJump(state, next);
  assembler_.updateHistory(next);
  state = std::move(next);
  return true;
}

// Whether accelerations, or rates of states, at the start or at the end, are far larger than those so far. Before the first step
// there are none: then, than those after the end.
bool TimeStepper::isViolent(const State& state, double end) {
  const double H = memory_[0].nominal;
  std::vector<double> usual(partSizes_.count(), 0.0);
  Eigen::VectorXd rates = seen_ / H;
  if (memory_[0].isStep) {
    for (int p = 0; p < partSizes_.count(); ++p) {
      const PartSize& size = partSizes_.all()[p];
      usual[p] = std::max(size.translation / size.length, size.rotation);
    }
  } else {
    State after = state;
    after.time = std::nextafter(end, std::numeric_limits<double>::infinity());
    if (!calcAccelerations(machine_, after)) return false;
    usual = partSizes_.findLargestMoves(after.acceleration);
    rates = after.rate.cwiseAbs().cwiseMax(after.value.cwiseAbs() / H);
  }
  const auto exceeds = [&](const State& at) {
    const std::vector<double> now = partSizes_.findLargestMoves(at.acceleration);
    for (std::size_t p = 0; p < now.size(); ++p) {
      if (now[p] > kViolent * usual[p]) return true;
    }
    for (int u = 0; u < rates.size(); ++u) {
      if (class_[u] == kState && std::abs(at.rate[u]) > kViolent * rates[u]) return true;
    }
    return false;
  };
  if (exceeds(state)) return true;
  State last = state;
  last.time = end;
  if (massSystem_.signals().solve(last) || last.value == state.value) return false;
  return calcAccelerations(machine_, last) && exceeds(last);
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
  resolved -= rest;
  return resolved.allFinite();
}

// The jump that the coming step takes over leads from what the scheme had before the blow to what follows it.
void TimeStepper::addBlowToJump(const State& before, const State& after) {
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
}

}  // namespace flexloop::solve
