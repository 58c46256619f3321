#include "solve/impact_friction.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {

using system::Kind;
using system::Motion;
using system::State;
using system::SwitchReading;

namespace {

constexpr double kRoundOff = 1e-12;     // of the terms of a rate
constexpr double kSameImpulse = 1e-10;  // relative excess over the limit that is none
// Share of the energy of the jump, the square of one of velocities, that only round-off gives.
constexpr double kNoEnergy = kRoundOff * kRoundOff;
constexpr int kMostReturns = 2;  // from slip to stick, within one impact

}  // namespace

ImpactFriction::ImpactFriction(system::Assembler& assembler,
                               const std::vector<system::Switch>& switches, const State& before)
    : assembler_(assembler) {
  const Motion& motion = assembler_.calcMotion(before);
  for (const system::Switch& s : switches) {
    if (s.isStop() || s.isLatch()) continue;
    Grip grip{&s, s.branch(before)};
    grip.isImpulsive = s.set->isImpulsive(s.index);
    grip.holds = grip.before == Branch::kClosed;
    if (!grip.holds && !grip.isImpulsive) continue;
    if (!grip.holds) grip.direction = read(grip, motion).rate < 0.0 ? -1.0 : 1.0;
    grips_.push_back(grip);
  }
}

SwitchReading ImpactFriction::read(const Grip& grip, const Motion& motion) const {
  return grip.of->set->read(grip.of->index, motion, assembler_.environment());
}

void ImpactFriction::setBranch(const Grip& grip, Branch branch, State& state) const {
  grip.of->set->setBranch(grip.of->index, branch, assembler_.calcMotion(state), state);
}

void ImpactFriction::setBranches(State& state) const {
  for (const Grip& grip : grips_) {
    setBranch(grip, grip.holds ? Branch::kClosed : Branch::kFree, state);
  }
}

int ImpactFriction::slips() const {
  return static_cast<int>(std::count_if(grips_.begin(), grips_.end(), [](const Grip& grip) {
    return grip.isImpulsive && !grip.holds;
  }));
}

State ImpactFriction::makeBlow(const State& state, const Eigen::VectorXd& impulse) const {
  State blow = state;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (int u = 0; u < impulse.size(); ++u) {
    if (kinds[u] == Kind::kMultiplier) blow.value[u] = -impulse[u];
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
    if (!grip.isImpulsive || grip.holds) continue;
    result[next++] =
        grip.of->set->calcSliding(grip.of->index, grip.direction, motion, assembler_.environment());
  }
  return result;
}

void ImpactFriction::addSlips(const linalg::SparseMatrix& stiffness, const Eigen::VectorXd& slips,
                              Eigen::VectorXd& right) const {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  Eigen::Index next = 0;
  for (const Grip& grip : grips_) {
    if (!grip.isImpulsive || grip.holds) continue;
    const int column = grip.of->set->slidingForce(grip.of->index).value;
    const double force = slips[next++];
    for (linalg::SparseMatrix::InnerIterator entry(stiffness, column); entry; ++entry) {
      if (kinds[entry.row()] == Kind::kMotion) right[entry.row()] -= entry.value() * force;
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
    if (grip.isImpulsive || !grip.holds || grip.isIdle) continue;
    grip.held = calcForce(grip, blow);
    if (grip.held == 0.0) continue;
    grip.holds = false;
    hasChanged = true;
  }
  return hasChanged;
}

bool ImpactFriction::releaseWorst(const Motion& blow) {
  double worst = kSameImpulse;
  Grip* which = nullptr;
  for (Grip& grip : grips_) {
    if (!grip.isImpulsive || !grip.holds || grip.isIdle) continue;
    const SwitchReading now = read(grip, blow);
    const double excess = std::abs(now.force) - now.limit;
    if (excess <= worst * std::abs(now.force)) continue;
    worst = excess / std::abs(now.force);
    which = &grip;
  }
  if (which == nullptr) return false;
  which->held = calcForce(*which, blow);
  which->direction = which->held > 0.0 ? 1.0 : -1.0;
  which->holds = false;
  return true;
}

bool ImpactFriction::holdReversed(const Motion& after) {
  for (Grip& grip : grips_) {
    if (!grip.isImpulsive || grip.holds || grip.returns == kMostReturns) continue;
    const SwitchReading now = read(grip, after);
    if (grip.direction * now.rate >= -kRoundOff * now.rateSize) continue;
    grip.holds = true;
    ++grip.returns;
    return true;
  }
  return false;
}

// What round-off moves sticks on: released, it would have taken no share of the energy.
bool ImpactFriction::keepIdle(const Motion& after, double energy) {
  bool hasChanged = false;
  for (Grip& grip : grips_) {
    if (grip.before != Branch::kClosed || grip.holds) continue;
    if (std::abs(grip.held * read(grip, after).rate) > kNoEnergy * energy) continue;
    grip.isIdle = grip.holds = hasChanged = true;
  }
  return hasChanged;
}

bool ImpactFriction::change(const State& after, const Eigen::VectorXd& impulse, double energy) {
  if (grips_.empty()) return false;
  const State blow = makeBlow(after, impulse);
  const Motion& motion = assembler_.calcMotion(blow);
  return releaseGiven(motion) || releaseWorst(motion) || holdReversed(motion) ||
         keepIdle(motion, energy);
}

void ImpactFriction::end(State& state) const {
  for (const Grip& grip : grips_) {
    const bool isSlip = !grip.holds && grip.before != Branch::kClosed;
    setBranch(grip, grip.holds ? Branch::kClosed : isSlip ? grip.before : Branch::kFree, state);
  }
}

}  // namespace flexloop::solve
