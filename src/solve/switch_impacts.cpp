// Impacts on stops: the part of SwitchSettlement in which velocities jump (docs/theory/33_impacts.md, sections 2 and 3).
#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/massless_motions.hpp"
#include "solve/secant_search.hpp"
#include "solve/switch_settlement.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::SwitchReading;

namespace {

constexpr double kRoundOff = 1e-12;        // of the terms of a rate
constexpr double kShortBounces = 1e-2;     // of a step, in which all further bounces are over
constexpr double kSameImpulse = 1e-12;     // of the largest: none
constexpr double kRoundOffImpulse = 1e-8;  // of the largest, where it does not fall any more
constexpr double kStagnation = 0.5;
constexpr int kSoftPasses = 3;      // where constraints depend on each other
constexpr int kMasslessPasses = 8;  // where something has no mass
constexpr int kMostTries = 30;      // for the impulses of friction
constexpr int kMostHalvings = 12;   // of a restitution with which friction would gain energy

// Right sides a − M (v − v⁻) + Bᵀ P of the motions, with the true masses.
void addMomentum(const MassSystem& massSystem, const std::vector<Kind>& kinds,
                 const Eigen::VectorXd& jump, const Eigen::VectorXd& impulse,
                 Eigen::VectorXd& right) {
  const Eigen::VectorXd momentum = massSystem.mass() * jump;
  const linalg::SparseMatrix& K = massSystem.stiffness();
  Eigen::VectorXd pushed = Eigen::VectorXd::Zero(right.size());
  for (int column = 0; column < K.cols(); ++column) {
    if (kinds[column] != Kind::kMultiplier || impulse[column] == 0.0) continue;
    for (linalg::SparseMatrix::InnerIterator entry(K, column); entry; ++entry) {
      pushed[entry.row()] += entry.value() * impulse[column];
    }
  }
  for (int u = 0; u < right.size(); ++u) {
    if (kinds[u] == Kind::kMotion) right[u] += pushed[u] - momentum[u];
  }
}

}  // namespace

std::vector<SwitchSettlement::Blow> SwitchSettlement::findBlows(const State& state) const {
  std::vector<Blow> blows;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const system::Switch& s = switches_[i];
    if (!s.isStop()) continue;
    const SwitchReading now = read(i, state);
    const bool isClosed = s.branch(state) == Branch::kClosed;
    if (!isClosed && !isTouching(now)) continue;
    const bool approaches = !isClosed && !isResting(now) && now.rate < -kRoundOff * now.rateSize;
    blows.push_back(
        {i, isClosed ? 0.0 : now.rate, s.set->restitution(s.index), approaches, approaches});
  }
  return blows;
}

// Newton's law with all stops that are touched at that instant: an impulse on those that it needs, p_i ≥ 0, and none where the gap opens faster
// than by itself. Where different restitutions would gain energy, all are the smallest; where friction still does, they fall until it does not.
bool SwitchSettlement::strike(State& state) {
  std::vector<Blow> blows = findBlows(state);
  hasStruck_ = hasLatched_ ||
               std::any_of(blows.begin(), blows.end(), [](const Blow& b) { return b.approaches; });
  if (!hasStruck_) return true;
  const State before = state;
  if (!solveBlows(blows, before, state)) return false;
  double least = 1.0;
  for (const Blow& blow : blows) least = std::min(least, blow.restitution);
  for (int halving = 0; halving <= kMostHalvings && calcGain(before, state) > 0.0; ++halving) {
    if (halving > 0) least = halving == kMostHalvings ? 0.0 : 0.5 * least;
    for (Blow& blow : blows) {
      blow.restitution = least;
      blow.isPushed = blow.approaches;
    }
    if (!solveBlows(blows, before, state)) return false;
  }
  hasStruck_ = hasLatched_;
  for (const Blow& blow : blows) {
    hasStruck_ = hasStruck_ || blow.isPushed;
    const bool rebounds = blow.approaches && blow.restitution > 0.0;
    // What is left because of others comes back like what bounces.
    hasBounced_[blow.which] = rebounds || !blow.isPushed;
    // What is pushed without rebound stays touched, if it is pressed afterwards.
    const bool stays = blow.isNone || (blow.isPushed && !rebounds);
    setBranch(blow.which, stays ? Branch::kClosed : Branch::kFree, state);
  }
  return true;
}

// With friction the search for the branches may go round in a circle from one beginning and end from another.
bool SwitchSettlement::solveBlows(std::vector<Blow>& blows, const State& before, State& state) {
  using Arrival = ImpactFriction::Arrival;
  for (const Arrival arrival : {Arrival::kSlipping, Arrival::kHeld}) {
    std::vector<Blow> tried = blows;
    if (!tryBlows(tried, arrival, before, state)) continue;
    blows = std::move(tried);
    return true;
  }
  return false;
}

bool SwitchSettlement::tryBlows(std::vector<Blow>& blows, ImpactFriction::Arrival arrival,
                                const State& before, State& state) {
  state = before;
  ImpactFriction friction(machine_.assembler(), switches_, before, arrival);
  Eigen::VectorXd impulse;
  std::vector<int> additions(blows.size(), 0);
  const int rounds = 4 * static_cast<int>(switches_.size()) + 4;
  for (int round = 0; round < rounds; ++round) {
    if (!push(blows, friction, before, state, impulse)) return false;
    if (round == 0 && leaveResting(before, impulse, blows)) continue;
    const std::vector<Blow> pushed = blows;
    if (changePushes(state, impulse, blows)) {
      for (std::size_t i = 0; i < blows.size(); ++i) {
        const bool isBack = blows[i].isPushed && !pushed[i].isPushed && ++additions[i] > 1;
        if (isBack) friction.yield(static_cast<int>(blows[i].which), state);
      }
      continue;
    }
    if (friction.change(state, impulse, calcJumpEnergy(before, state))) continue;
    friction.end(state);
    return true;
  }
  return false;
}

// What touches at a speed that is round-off of the motion of its part does not arrive: it rests there. True: there are some.
bool SwitchSettlement::leaveResting(const State& before, const Eigen::VectorXd& impulse,
                                    std::vector<Blow>& blows) const {
  const MassSystem& massSystem = machine_.massSystem();
  const std::vector<Kind>& kinds = machine_.assembler().system().kinds();
  const Eigen::VectorXd momentum = massSystem.mass() * before.rate;
  std::vector<double> energy(massSystem.parts().count(), 0.0);
  for (int u = 0; u < momentum.size(); ++u) {
    if (kinds[u] != Kind::kMotion) continue;
    energy[massSystem.parts().part(u)] += std::abs(momentum[u] * before.rate[u]);
  }
  const double scale = machine_.assembler().environment().constraintScale;
  bool areAny = false;
  for (Blow& blow : blows) {
    if (!blow.approaches) continue;
    const system::Switch& s = switches_[blow.which];
    const int u = s.set->multiplier(s.index).value;
    const double own = scale * std::abs(impulse[u] * blow.before);
    if (own > kRoundOff * kRoundOff * energy[massSystem.parts().part(u)]) continue;
    blow.isNone = areAny = true;
    blow.approaches = blow.isPushed = false;
  }
  return areAny;
}

// Of kinetic energy, beyond round-off.
double SwitchSettlement::calcGain(const State& before, const State& after) const {
  const auto& M = machine_.massSystem().mass();
  const double gain = 0.5 * (after.rate - before.rate).dot(M * (after.rate + before.rate));
  const double size = before.rate.dot(M * before.rate);
  return gain > kRoundOff * size ? gain : 0.0;
}

double SwitchSettlement::calcJumpEnergy(const State& before, const State& after) const {
  const Eigen::VectorXd jump = after.rate - before.rate;
  return jump.dot(machine_.massSystem().mass() * jump);
}

// The velocities for one choice of pushes, (33.3), and the impulses in the places of the multipliers. Friction that slips has impulses that follow from those of the
// multipliers, which follow from these: a few unknowns, in which all is nearly linear.
bool SwitchSettlement::push(const std::vector<Blow>& blows, ImpactFriction& friction,
                            const State& before, State& state, Eigen::VectorXd& impulse) {
  MassSystem& massSystem = machine_.massSystem();
  state.rate = before.rate;
  for (const Blow& blow : blows) {
    setBranch(blow.which, blow.isPushed ? Branch::kClosed : Branch::kFree, state);
  }
  friction.setBranches(state);
  machine_.begin(state);
  if (massSystem.signals().solve(state)) return false;
  if (!massSystem.update(state, MassSystem::Use::kKinematics).ok) return false;
  const int count = friction.slips();
  Eigen::VectorXd slips = Eigen::VectorXd::Zero(count);
  const std::vector<int> multipliers = friction.slipMultipliers();
  std::vector<double> largest(massSystem.parts().count(), 0.0);
  double previous = 0.0;
  SecantSearch search;
  for (int attempt = 0; attempt < kMostTries + count; ++attempt) {
    state.rate = before.rate;
    if (!addPushes(blows, friction, slips, state, impulse)) return false;
    if (count == 0) return true;
    const Eigen::VectorXd answer = friction.calcSlips(state, impulse);
    // Impulses are judged by the largest that their part has: those across the slip are round-off of it.
    double error = 0.0;
    for (int i = 0; i < count; ++i) {
      double& size = largest[massSystem.parts().part(multipliers[i])];
      size = std::max(size, std::abs(answer[i]));
    }
    for (int i = 0; i < count; ++i) {
      const double size = largest[massSystem.parts().part(multipliers[i])];
      if (size > 0.0) error = std::max(error, std::abs(answer[i] - slips[i]) / size);
    }
    if (error <= kSameImpulse) return true;
    // Constraints that depend on each other leave round-off of their compliance.
    if (error <= kRoundOffImpulse && error > kStagnation * previous) return true;
    previous = error;
    slips = search.next(slips, answer);
    if (!slips.allFinite()) return false;
  }
  return false;
}

bool SwitchSettlement::addPushes(const std::vector<Blow>& blows, const ImpactFriction& friction,
                                 const Eigen::VectorXd& slips, State& state,
                                 Eigen::VectorXd& impulse) {
  system::Assembler& assembler = machine_.assembler();
  MassSystem& massSystem = machine_.massSystem();
  const std::vector<Kind>& kinds = assembler.system().kinds();
  Eigen::VectorXd target = Eigen::VectorXd::Zero(state.rate.size());
  for (const Blow& blow : blows) {
    const system::Switch& s = switches_[blow.which];
    target[s.set->multiplier(s.index).value] =
        -assembler.environment().constraintScale * blow.restitution * blow.before;
  }
  massSystem.signals().calcRates(state);
  system::TimeDerivatives derivatives;
  impulse.setZero(state.rate.size());
  const Eigen::VectorXd start = state.rate;
  const bool isMassless = !findMassless(massSystem, kinds).empty();
  const int passes = isMassless ? kMasslessPasses : massSystem.isSoft() ? kSoftPasses : 1;
  for (int pass = 0; pass < passes; ++pass) {
    assembler.calcTimeDerivatives(state, derivatives);
    Eigen::VectorXd delta = Eigen::VectorXd::Zero(state.rate.size());
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kSignal) delta[u] = -derivatives.first[u];
      if (kinds[u] == Kind::kMultiplier) delta[u] = target[u] - derivatives.first[u];
    }
    for (const Blow& blow : blows) {
      const system::Switch& s = switches_[blow.which];
      if (!blow.isPushed) delta[s.set->multiplier(s.index).value] = 0.0;
    }
    if (pass == 0 || isMassless) friction.addSlips(massSystem.stiffness(), slips, delta);
    if (isMassless) addMomentum(massSystem, kinds, state.rate - start, impulse, delta);
    massSystem.solve(delta);
    if (!delta.allFinite()) return false;
    for (int u = 0; u < delta.size(); ++u) {
      if (kinds[u] == Kind::kMotion || kinds[u] == Kind::kSignal) state.rate[u] += delta[u];
      if (kinds[u] == Kind::kMultiplier) impulse[u] -= delta[u];
    }
  }
  return true;
}

// The push that pulls most is taken away; if none does, the one is added whose gap closes most. False: all agree.
bool SwitchSettlement::changePushes(const State& state, const Eigen::VectorXd& impulse,
                                    std::vector<Blow>& blows) const {
  const auto impulseOf = [&](const Blow& blow) {
    const system::Switch& s = switches_[blow.which];
    return impulse[s.set->multiplier(s.index).value];
  };
  double largest = 0.0, worst = 0.0;
  Blow* change = nullptr;
  for (const Blow& blow : blows) largest = std::max(largest, std::abs(impulseOf(blow)));
  for (Blow& blow : blows) {
    if (!blow.isPushed || impulseOf(blow) >= -kSameImpulse * largest) continue;
    if (-impulseOf(blow) <= worst) continue;
    worst = -impulseOf(blow);
    change = &blow;
  }
  for (Blow& blow : blows) {
    if (change != nullptr && change->isPushed) break;
    if (blow.isPushed || blow.isNone) continue;
    const SwitchReading now = read(blow.which, state);
    const double closing = -blow.restitution * blow.before - now.rate;
    if (closing <= std::max(worst, kRoundOff * now.rateSize)) continue;
    worst = closing;
    change = &blow;
  }
  if (change == nullptr) return false;
  change->isPushed = !change->isPushed;
  return true;
}

// A bounce at the rate v under the acceleration −a takes 2v/a, and all that follow by restitution e take the geometric sum of it.
bool SwitchSettlement::endBounces(State& state) {
  bool hasEnded = false;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    if (!hasBounced_[i] || switches_[i].branch(state) == Branch::kClosed) continue;
    const SwitchReading now = read(i, state);
    const double left = 1.0 - switches_[i].set->restitution(switches_[i].index);
    if (!(now.acceleration < 0.0) || !(left > 0.0)) continue;
    const double rest = 2.0 * now.rate / (-now.acceleration * left);
    if (!(rest <= kShortBounces * step_)) continue;
    setBranch(i, Branch::kClosed, state);
    isAtRest_[i] = hasEnded = true;
    followSupport(i, state);
  }
  return hasEnded;
}

}  // namespace flexloop::solve
