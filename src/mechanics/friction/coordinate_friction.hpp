// Friction on the coordinate q of a joint (docs/theory/32_friction.md). Its force f + λ acts against the coordinate like that of a spring, as the wrench
// W = (f + λ) G of (6.7), with a signal f and a multiplier λ. What determines them depends on the branch, which is remembered:
//
//     (32.3)  stick:  q − q_s = 0,               f = 0
//     (32.4)  slip:   no constraint, no λ,       f = s F(s q', N)     with the direction s = ±1 of slip
//
// and f = 0 without a constraint before a branch is chosen. N is 1, or the size of the forces that hold the joint across its coordinate.
#pragma once

#include <array>

#include "mechanics/friction/friction_law.hpp"
#include "mechanics/joints/joint_coordinate.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// What is remembered: the branch, as in system::Switching, and q_s.
inline constexpr int kBranchSlot = 0, kStuckSlot = 1, kFrictionSlots = 2;
inline constexpr double kAlmostStuck = 1.5;  // between the branches of slip and that of stick

// Scalars: f, λ, then the position multipliers of the joint that press its surfaces together.
template <class Coordinate, int Reactions>
struct CoordinateFriction {
  static constexpr const char* kType =
      Coordinate::kTurns ? "rotation friction" : "translation friction";
  static constexpr int kNodes = 2, kScalars = 2 + Reactions, kHistory = kFrictionSlots;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    Thread<S> thread;
    FrictionLaw<S> law;
  };

  // Forces of the joint enter the law, and nothing enters their constraints.
  static constexpr bool couples(int row, int column) {
    constexpr int kForce = kNodes, kMultiplier = kNodes + 1;
    if (row < kNodes) return column <= kMultiplier;
    if (row == kForce) return column != kMultiplier;
    return row == kMultiplier && column < kNodes;
  }

  template <class S>
  static S calcLoad(const system::Local<S, 2, kScalars, kHistory>& u, double scale) {
    if constexpr (Reactions == 0) return S(1.0);
    std::array<S, Reactions> force;
    for (int i = 0; i < Reactions; ++i) force[i] = scale * u.value[2 + i];
    return calcSize(force);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, kScalars, kHistory>& u,
                          const system::Environment& environment,
                          system::Residual<S, 2, kScalars>& r) {
    using math::select;
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> G = Coordinate::calcGradient(relative);
    const double k = environment.constraintScale;
    const S& branch = u.history[kBranchSlot];
    const auto sticks = branch > kAlmostStuck;
    const S gap = calcGap<Coordinate, S, P>(relative, p.thread, u.history[kStuckSlot]);
    const S held = select(sticks, S(k * u.value[1] + environment.constraintPenalty * gap), S(0.0));
    const math::Vec6<S> W = S(u.value[0] + held) * G;
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
    const S rate = G.dot(calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]));
    const S force = branch * calcSliding<S, P>(p.law, S(branch * rate), calcLoad<S>(u, k));
    r.scalar[0] += u.value[0] - select(sticks, S(0.0), force);
    r.scalar[1] += select(sticks, S(k * gap), S(0.0));
  }
};

// The law of Canudas de Wit, Olsson, Åström and Lischinsky (1995): bristles bend by z and give way,
//
//     (32.5)  z' = q' − σ0 |q'| z/g(|q'|),    λ = σ0 z + σ1 z' + f q',    g = c of (32.1)
//
// Smooth but for a kink at q' = 0; what sticks creeps. Scalars: λ, z.
template <class Coordinate>
struct LugreFriction {
  static constexpr const char* kType =
      Coordinate::kTurns ? "rotation bristles" : "translation bristles";
  static constexpr int kNodes = 2, kScalars = 2;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    FrictionLaw<S> law;
    S stiffness, damping;  // σ0, σ1
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kForce = kNodes, kBristles = kNodes + 1;
    return row >= kForce ? column != kForce || row == kForce : column != kBristles;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 2>& u,
                          const system::Environment&, system::Residual<S, 2, 2>& r) {
    using math::select;
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> G = Coordinate::calcGradient(relative);
    const math::Vec6<S> W = u.value[0] * G;
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
    const S rate = G.dot(calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]));
    const S speed = select(rate < 0.0, S(-rate), rate);
    const S& z = u.value[1];
    const S bend = rate - p.stiffness * speed * z / calcLevel<S, P>(p.law, speed);
    r.scalar[0] += u.value[0] - (p.stiffness * z + p.damping * bend + p.law.viscous * rate);
    r.scalar[1] += u.rate[1] - bend;
  }
};

}  // namespace flexloop::mechanics
