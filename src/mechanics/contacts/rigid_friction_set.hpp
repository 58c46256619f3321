// A set of frictions of rigid contacts as constraints that come and go, in the tangent plane.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mechanics/contacts/rigid_friction.hpp"
#include "system/sharing.hpp"
#include "system/switching_elements.hpp"

namespace flexloop::mechanics {

template <class Shape>
class RigidFrictionSet final : public system::SwitchingElements<RigidFriction<Shape>>,
                               public system::Sharing {
 public:
  using Friction = RigidFriction<Shape>;
  using Memory = RigidFrictionMemory<double>;
  using Branch = system::Switching::Branch;
  using Aim = system::Switching::Aim;

  int switches() const override { return this->size(); }
  std::string switchName(int k) const override { return "friction of contact " + this->name(k); }
  bool isStop(int) const override { return false; }
  bool isImpulsive(int) const override { return true; }
  system::UnknownIndex multiplier(int k) const override { return this->scalar(k, 2); }
  system::UnknownIndex secondMultiplier(int k) const override { return this->scalar(k, 3); }
  system::UnknownIndex support(int k) const override { return this->scalar(k, 4); }
  int slidingForces(int) const override { return 2; }
  system::UnknownIndex slidingForce(int k, int i) const override { return this->scalar(k, i); }

  Branch branch(int k, const std::vector<double>& history) const override {
    return this->branchAt(this->historyOffset(k), history);
  }

  // In a plane slip has a direction rather than a sign.
  void setBranch(int k, Branch branch, const system::Motion& motion,
                 system::State& state) const override {
    const auto local = gather(k, motion, state);
    Memory memory(local.history);
    if (branch == Branch::kBackward) {
      memory.direction = {-memory.direction[0], -memory.direction[1]};
      branch = Branch::kForward;
    }
    if (branch == Branch::kClosed && !memory.sticks()) {
      Friction::take(
          Friction::template calcGrip<double, double>(this->parameters(k), memory, local), memory);
      memory.stretch = memory.share = {0.0, 0.0};
    }
    memory.branch = static_cast<double>(branch);
    write(k, memory, state);
  }

  bool aim(int k, Aim by, const system::Motion& motion, const system::Environment& environment,
           system::State& state) const override {
    const auto local = gather(k, motion, state);
    const SlipReading slip = Friction::readSlip(this->parameters(k), local);
    const double scale = environment.constraintScale;
    const std::array<double, 2> held = findForce(local, true, scale);
    const auto& vector = by == Aim::kVelocity       ? slip.velocity
                         : by == Aim::kAcceleration ? slip.acceleration
                                                    : held;
    const double least =
        by == Aim::kAcceleration
            ? kNoAcceleration * (slip.accelerationSize + environment.gravity.norm())
            : 0.0;
    if (!(std::hypot(vector[0], vector[1]) > least)) return false;
    Memory memory(local.history);
    const std::array<double, 2> before = memory.direction;
    // What is driven back does not slip.
    const bool isBack = before[0] * vector[0] + before[1] * vector[1] <= 0.0;
    if (by == Aim::kAcceleration && isBack) return false;
    memory.aim(vector);
    if (by != Aim::kVelocity) memory.speed = 0.0;
    write(k, memory, state);
    return std::hypot(memory.direction[0] - before[0], memory.direction[1] - before[1]) >
           kSameDirection;
  }

  system::SwitchReading read(int k, const system::Motion& motion,
                             const system::Environment& environment) const override {
    const auto local = gather(k, motion);
    const Memory memory(local.history);
    const SlipReading slip = Friction::readSlip(this->parameters(k), local);
    const auto along = [&](const std::array<double, 2>& v) {
      return memory.direction[0] * v[0] + memory.direction[1] * v[1];
    };
    const double scale = environment.constraintScale;
    const std::array<double, 2> force = findForce(local, memory.sticks(), scale);
    system::SwitchReading reading;
    reading.speed = std::hypot(slip.velocity[0], slip.velocity[1]);
    reading.rate = memory.sticks() ? reading.speed : along(slip.velocity);
    reading.acceleration = memory.slips() ? along(slip.acceleration)
                                          : std::hypot(slip.acceleration[0], slip.acceleration[1]);
    reading.rateSize = slip.size;
    reading.force = std::hypot(force[0], force[1]);
    reading.limit = this->parameters(k).sticking * calcLoad(local, environment);
    reading.isClosed = memory.sticks();
    return reading;
  }

  void calcSliding(int k, double, const system::Motion& motion,
                   const system::Environment& environment, double* forces) const override {
    const auto local = gather(k, motion);
    const Memory memory(local.history);
    // In the direction that has been aimed at last, which is that of a velocity; what is solved with it is linear.
    const double size = this->parameters(k).sliding * calcLoad(local, environment);
    for (int i = 0; i < 2; ++i) forces[i] = size * memory.direction[i];
  }

  // Whether it turns or moves while it sticks: then it rolls.
  bool rolls(int k, const system::Motion& motion) const override {
    const auto local = gather(k, motion);
    if (!Memory(local.history).sticks()) return false;
    const auto at = calcContactPoint<Shape, double>(this->parameters(k).shape, local);
    const math::Vec3<double> spin =
        at.G.R * local.twist[1].template tail<3>() - local.twist[0].template tail<3>();
    const double size =
        local.twist[0].template tail<3>().norm() + local.twist[1].template tail<3>().norm();
    const double speed = (at.G.R * local.twist[1].template head<3>()).norm() +
                         local.twist[0].template head<3>().norm();
    const double arm = at.onB.norm() + at.touch.point.norm();
    return spin.norm() * arm > kStill * (speed + size * arm) && spin.norm() > 0.0;
  }

  void share(int k, const std::array<double, 2>& force, system::State& state) const override {
    double* history = state.history.data() + this->historyOffset(k);
    std::array<double, kRigidFrictionMemory> remembered;
    std::copy_n(history, kRigidFrictionMemory, remembered.begin());
    Memory memory(remembered);
    for (int i = 0; i < 2; ++i) {
      memory.share[i] += force[i];
      state.value[this->scalar(k, i).value] = memory.share[i];
    }
    memory.write(history);
  }

 private:
  // Across the normal, along both axes.
  static std::array<double, 2> findForce(const typename Friction::template View<double>& local,
                                         bool sticks, double scale) {
    std::array<double, 2> force;
    for (int i = 0; i < 2; ++i) {
      force[i] = local.value[i] + (sticks ? scale * local.value[2 + i] : 0.0);
    }
    return force;
  }
  static constexpr double kSameDirection = 1e-10;
  static constexpr double kStill = 1e-9;
  static constexpr double kNoAcceleration = 1e-6;  // what is held by others besides

  static double calcLoad(const typename Friction::template View<double>& local,
                         const system::Environment& environment) {
    return std::max(-environment.constraintScale * local.value[4], 0.0);
  }
  typename Friction::template View<double> gather(int k, const system::Motion& motion) const {
    std::array<system::UnknownIndex, Friction::kScalars> scalars;
    for (int i = 0; i < Friction::kScalars; ++i) scalars[i] = this->scalar(k, i);
    return system::gatherLocal<kRigidFrictionMemory>(
        motion, std::array{this->node(k, 0), this->node(k, 1)}, scalars, this->historyOffset(k));
  }
  // What is remembered is that of the state, which may differ from the motion.
  typename Friction::template View<double> gather(int k, const system::Motion& motion,
                                                  const system::State& state) const {
    auto local = gather(k, motion);
    const double* history = state.history.data() + this->historyOffset(k);
    std::copy(history, history + kRigidFrictionMemory, local.history.begin());
    return local;
  }
  void write(int k, const Memory& memory, system::State& state) const {
    memory.write(state.history.data() + this->historyOffset(k));
  }
};

}  // namespace flexloop::mechanics
