// Friction of a rigid contact (docs/theory/33_impacts.md, section 33.5), in the tangent plane with the axes t_1, t_2. Its force on B is −(f_i + λ_i) t_i, with two
// signals f_i and two multipliers λ_i, and N = −λ of the contact presses:
//
//     (33.8)  stick:  s_i + t_i·Δ = 0,  f_i = p_i        slip:  f_i = μ N e_i(v),  no constraint, no λ_i
//     (33.9)  Δ = x − x_n + φ × ½(a + a_n),   φ = log(R R_nᵀ)
//     (33.10) e = (d + ρ d⊥)/|d + ρ d⊥|,   ρ = d⊥·v / max(d·v, ¹/₁₀ |v_n|)
//
// and nothing while the contact is open.
#pragma once

#include <array>
#include <cmath>

#include "mechanics/contacts/relative_contact.hpp"
#include "mechanics/contacts/rigid_friction_memory.hpp"
#include "system/gather.hpp"

namespace flexloop::mechanics {

// What is measured in the tangent plane at an instant.
struct SlipReading {
  std::array<double, 2> velocity, acceleration;
  double size = 0.0;              // sum of the terms of the velocity
  double accelerationSize = 0.0;  // and of the acceleration
};

// Scalars: f_1, f_2, λ_1, λ_2, and λ of the contact.
template <class Shape>
struct RigidFriction {
  static constexpr const char* kType = "friction of a rigid contact";
  static constexpr int kNodes = 2, kScalars = 5, kHistory = kRigidFrictionMemory;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;
  template <class S>
  using View = system::Local<S, 2, kScalars, kHistory>;
  template <class S>
  using Pair = std::array<S, 2>;

  template <class S>
  struct Parameters {
    typename Shape::template Parameters<S> shape;
    S sliding, sticking;  // μ, μ_s
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kForce = kNodes, kHeld = kNodes + 2, kLoad = kNodes + 4;
    const bool isMotion = column < kNodes;
    if (row < kForce) return column < kLoad;
    if (row < kHeld) return isMotion || column == row || column == kLoad;
    return row < kLoad && isMotion;
  }

  // Relative to the last accepted step.
  template <class S>
  struct Grip {
    ContactPoint<S> at;
    math::Vec3<S> place, arm;           // x and a = c − x, axes of A
    std::array<math::Vec3<S>, 2> axes;  // t_i
    Pair<S> gap, velocity;              // s_i + t_i·Δ, t_i·v
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const View<S>& u,
                          const system::Environment& environment,
                          system::Residual<S, 2, kScalars>& r) {
    using math::select;
    const RigidFrictionMemory<S> memory(u.history);
    const Grip<S> grip = calcGrip<S, P>(p, memory, u);
    const double k = environment.constraintScale;
    const auto sticks = memory.sticks(), slips = memory.slips();
    const S limit = p.sliding * math::notBelow(S(-k * u.value[4]), 0.0);
    const Pair<S> direction = memory.directionOf(grip.velocity);
    math::Vec3<S> force = math::Vec3<S>::Constant(S(0.0));
    for (int i = 0; i < 2; ++i) {
      const S held = select(
          sticks, S(k * u.value[2 + i] + environment.constraintPenalty * grip.gap[i]), S(0.0));
      force -= grip.axes[i] * S(u.value[i] + held);
      r.scalar[i] += u.value[i] - select(slips, S(limit * direction[i]),
                                         select(sticks, memory.share[i], S(0.0)));
      r.scalar[2 + i] += select(sticks, S(k * grip.gap[i]), S(0.0));
    }
    addContactForce<S>(grip.at, force, r);
  }

  template <class S, class P>
  static Grip<S> calcGrip(const Parameters<P>& p, const RigidFrictionMemory<S>& memory,
                          const View<S>& u) {
    Grip<S> grip;
    grip.at = calcContactPoint<Shape, S>(p.shape, u);
    const math::Vec3<S>& n = grip.at.touch.normal;
    grip.place = grip.at.G.x + grip.at.G.R * p.shape.centre;
    grip.arm = grip.at.touch.point - grip.place;
    const math::Vec3<S> flat = memory.axis - n * S(n.dot(memory.axis));
    grip.axes[0] = flat / lengthOf<S>(flat);
    grip.axes[1] = math::cross<S>(n, grip.axes[0]);
    const math::Vec3<S> turn =
        math::logSO3<S>(math::Mat3<S>(grip.at.G.R * memory.turn.transpose()));
    const math::Vec3<S> mean = (grip.arm + memory.arm) * 0.5;
    const math::Vec3<S> moved = grip.place - memory.place + math::cross<S>(turn, mean);
    for (int i = 0; i < 2; ++i) {
      grip.gap[i] = memory.stretch[i] + grip.axes[i].dot(moved);
      grip.velocity[i] = grip.axes[i].dot(grip.at.velocity);
    }
    return grip;
  }

  static void updateHistory(const Parameters<double>& p, const View<double>& u, double* history) {
    RigidFrictionMemory<double> memory(u.history);
    const Grip<double> grip = calcGrip<double, double>(p, memory, u);
    memory.stretch = memory.sticks() ? grip.gap : Pair<double>{0.0, 0.0};
    const double size = grip.place.norm() + grip.arm.norm();
    if (memory.slips()) memory.follow(grip.velocity, u.time, size);
    take(grip, memory);
    memory.time = u.time;
    memory.write(history);
  }

  static void take(const Grip<double>& grip, RigidFrictionMemory<double>& memory) {
    memory.place = grip.place;
    memory.arm = grip.arm;
    memory.turn = grip.at.G.R;
    memory.axis = grip.axes[0];
  }

  // From here on Δ is zero, and its derivatives are the velocity and the acceleration at the contact.
  static SlipReading readSlip(const Parameters<double>& p, const View<double>& u) {
    using math::Taylor2;
    RigidFrictionMemory<double> memory(u.history);
    const Grip<double> now = calcGrip<double, double>(p, memory, u);
    take(now, memory);
    memory.stretch = {0.0, 0.0};
    View<double> here = u;
    memory.write(here.history.data());
    View<Taylor2> along;
    system::seedTime(here, along);
    const RigidFrictionMemory<Taylor2> seeded(along.history);
    const Grip<Taylor2> grip = calcGrip<Taylor2, double>(p, seeded, along);
    const auto sizeOf = [](const math::Vec6<double>& twist, double arm) {
      return twist.head<3>().norm() + arm * twist.tail<3>().norm();
    };
    SlipReading reading;
    for (int i = 0; i < 2; ++i) {
      reading.velocity[i] = grip.gap[i].first;
      reading.acceleration[i] = grip.gap[i].second;
    }
    const double arm_A = now.at.touch.point.norm(), arm_B = now.at.onB.norm();
    reading.size = sizeOf(u.twist[0], arm_A) + sizeOf(u.twist[1], arm_B);
    reading.accelerationSize = sizeOf(u.twistRate[0], arm_A) + sizeOf(u.twistRate[1], arm_B);
    return reading;
  }
};

}  // namespace flexloop::mechanics
