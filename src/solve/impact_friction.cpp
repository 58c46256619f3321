#include "solve/impact_friction.hpp"

#include <cmath>
#include <utility>

namespace flexloop::solve {

using system::Kind;
using system::Motion;
using system::State;
using system::SwitchReading;
using Aim = system::Switching::Aim;

namespace {

constexpr double kRoundOff = 1e-12;     // of the terms of a rate
constexpr double kSameImpulse = 1e-10;  // relative excess over the limit that is none
// Share of the energy of the jump, the square of one of velocities, that only round-off gives.
constexpr double kNoEnergy = kRoundOff * kRoundOff;
constexpr int kMostReturns = 2;  // from slip to stick, within one impact
constexpr int kMostAims = 20;    // of a direction of slip

}  // namespace

ImpactFriction::ImpactFriction(system::Assembler& assembler,
                               const std::vector<system::Switch>& switches, const State& before,
                               Arrival arrival)
    : assembler_(assembler), switches_(switches) {
  const Motion& motion = assembler_.calcMotion(before);
  for (const system::Switch& s : switches) {
    if (s.isStop() || s.isLatch()) continue;
    Grip grip{&s, s.branch(before)};
    grip.isImpulsive = s.set->isImpulsive(s.index);
    grip.holds = grip.before == Branch::kClosed;
    if (!grip.holds && !grip.isImpulsive) continue;
    const SwitchReading now = read(grip, motion);
    const bool hasSign = s.set->slidingForces(s.index) == 1;
    if (!grip.holds) grip.direction = hasSign && now.rate < 0.0 ? -1.0 : 1.0;
    grip.isNew = s.support >= 0 && grip.before == Branch::kFree;
    if (grip.isNew) grip.holds = arrival == Arrival::kHeld || now.speed <= kRoundOff * now.rateSize;
    grips_.push_back(grip);
  }
}

SwitchReading ImpactFriction::read(const Grip& grip, const Motion& motion) const {
  return grip.of->set->read(grip.of->index, motion, assembler_.environment());
}

void ImpactFriction::setBranch(const Grip& grip, Branch branch, State& state) const {
  grip.of->set->setBranch(grip.of->index, branch, assembler_.calcMotion(state), state);
}

void ImpactFriction::setBranches(State& state) {
  for (Grip& grip : grips_) {
    grip.isOut = system::isUnsupported(*grip.of, switches_, state);
    if (!grip.isOut && std::exchange(grip.isNew, false)) {
      grip.of->set->aim(grip.of->index, Aim::kVelocity, assembler_.calcMotion(state),
                        assembler_.environment(), state);
    }
    setBranch(grip, grip.holds && !grip.isOut ? Branch::kClosed : Branch::kFree, state);
  }
}

int ImpactFriction::slips() const {
  int count = 0;
  for (const Grip& grip : grips_) {
    if (grip.slips()) count += grip.of->set->slidingForces(grip.of->index);
  }
  return count;
}

std::vector<int> ImpactFriction::slipMultipliers() const {
  std::vector<int> multipliers;
  for (const Grip& grip : grips_) {
    if (!grip.slips()) continue;
    const int count = grip.of->set->slidingForces(grip.of->index);
    multipliers.insert(multipliers.end(), count, grip.of->set->multiplier(grip.of->index).value);
  }
  return multipliers;
}

State ImpactFriction::makeBlow(const State& state, const Eigen::VectorXd& impulse) const {
  State blow = state;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < impulse.size(); ++u) {
    if (kinds[u] == Kind::kMultiplier) blow.value[u] = -impulse[u];
  }
  // What contacts that stick carry besides is finite.
  for (const Grip& grip : grips_) {
    if (!grip.holds || grip.of->set->slidingForces(grip.of->index) == 1) continue;
    for (int i = 0; i < 2; ++i)
      blow.value[grip.of->set->slidingForce(grip.of->index, i).value] = 0.0;
  }
  return blow;
}

Eigen::VectorXd ImpactFriction::calcSlips(const State& state,
                                          const Eigen::VectorXd& impulse) const {
  const State blow = makeBlow(state, impulse);
  const Motion& motion = assembler_.calcMotion(blow);
  Eigen::VectorXd result(slips());
  Eigen::Index next = 0;
  for (const Grip& grip : grips_) {
    if (!grip.slips()) continue;
    grip.of->set->calcSliding(grip.of->index, grip.direction, motion, assembler_.environment(),
                              result.data() + next);
    next += grip.of->set->slidingForces(grip.of->index);
  }
  return result;
}

void ImpactFriction::addSlips(const linalg::SparseMatrix& stiffness, const Eigen::VectorXd& slips,
                              Eigen::VectorXd& right) const {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  Eigen::Index next = 0;
  for (const Grip& grip : grips_) {
    if (!grip.slips()) continue;
    for (int i = 0; i < grip.of->set->slidingForces(grip.of->index); ++i) {
      const int column = grip.of->set->slidingForce(grip.of->index, i).value;
      const double force = slips[next++];
      for (linalg::SparseMatrix::InnerIterator entry(stiffness, column); entry; ++entry) {
        if (kinds[entry.row()] == Kind::kMotion) right[entry.row()] -= entry.value() * force;
      }
    }
  }
}

// The impulse of what holds.
double ImpactFriction::calcForce(const Grip& grip, const Motion& blow) const {
  return read(grip, blow).force;
}

bool ImpactFriction::releaseGiven(const Motion& blow) {
  bool hasChanged = false;
  for (Grip& grip : grips_) {
    if (grip.isImpulsive || !grip.mayGiveWay()) continue;
    grip.held = calcForce(grip, blow);
    if (grip.held == 0.0) continue;
    grip.holds = false;
    hasChanged = true;
  }
  return hasChanged;
}

bool ImpactFriction::releaseWorst(const Motion& blow, State& after) {
  double worst = kSameImpulse;
  Grip* which = nullptr;
  for (Grip& grip : grips_) {
    if (!grip.isImpulsive || !grip.mayGiveWay()) continue;
    const SwitchReading now = read(grip, blow);
    const double excess = std::abs(now.force) - now.limit;
    if (excess <= worst * std::abs(now.force)) continue;
    worst = excess / std::abs(now.force);
    which = &grip;
  }
  if (which == nullptr) return false;
  which->held = calcForce(*which, blow);
  which->direction = which->held > 0.0 ? 1.0 : -1.0;
  which->of->set->aim(which->of->index, Aim::kForce, blow, assembler_.environment(), after);
  which->holds = false;
  return true;
}

bool ImpactFriction::holdReversed(const Motion& after) {
  for (Grip& grip : grips_) {
    if (!grip.slips() || grip.returns == kMostReturns) continue;
    const SwitchReading now = read(grip, after);
    if (grip.direction * now.rate >= -kRoundOff * now.rateSize) continue;
    grip.holds = true;
    ++grip.returns;
    return true;
  }
  return false;
}

// Slip in a plane is along the velocity after the impact.
bool ImpactFriction::turnDirections(const Motion& blow, State& after) {
  bool hasTurned = false;
  for (Grip& grip : grips_) {
    if (!grip.slips() || grip.aims == kMostAims) continue;
    const SwitchReading now = read(grip, blow);
    if (now.speed <= kRoundOff * now.rateSize) continue;
    if (!grip.of->set->aim(grip.of->index, Aim::kVelocity, blow, assembler_.environment(), after)) {
      continue;
    }
    ++grip.aims;
    hasTurned = true;
  }
  return hasTurned;
}

// What round-off moves sticks on: released, it would have taken no share of the energy.
bool ImpactFriction::keepIdle(const Motion& after, double energy) {
  bool hasChanged = false;
  for (Grip& grip : grips_) {
    if (grip.before != Branch::kClosed || grip.holds || grip.isOut) continue;
    if (std::abs(grip.held * read(grip, after).rate) > kNoEnergy * energy) continue;
    grip.isIdle = grip.holds = hasChanged = true;
  }
  return hasChanged;
}

bool ImpactFriction::change(State& after, const Eigen::VectorXd& impulse, double energy) {
  if (grips_.empty()) return false;
  const State blow = makeBlow(after, impulse);
  const Motion& motion = assembler_.calcMotion(blow);
  return releaseGiven(motion) || releaseWorst(motion, after) || holdReversed(motion) ||
         turnDirections(motion, after) || keepIdle(motion, energy);
}

void ImpactFriction::yield(int stop, State& after) {
  for (Grip& grip : grips_) {
    if (grip.of->support != stop || !grip.holds) continue;
    grip.of->set->aim(grip.of->index, Aim::kVelocity, assembler_.calcMotion(after),
                      assembler_.environment(), after);
    grip.holds = grip.isNew = false;
    grip.returns = kMostReturns;  // it turns round rather than being held again
  }
}

void ImpactFriction::end(State& state) const {
  for (const Grip& grip : grips_) {
    // That of contacts is decided on by what is left of their velocity.
    if (grip.of->support >= 0) {
      setBranch(grip, Branch::kFree, state);
      continue;
    }
    const bool isSlip = !grip.holds && grip.before != Branch::kClosed;
    setBranch(grip, grip.holds ? Branch::kClosed : isSlip ? grip.before : Branch::kFree, state);
  }
}

}  // namespace flexloop::solve
