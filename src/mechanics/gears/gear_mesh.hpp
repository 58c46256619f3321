// Two wheels in mesh on parallel axes, free in their bearings (docs/theory/35_gears.md, section 35.5). In axes of the housing with x from
// wheel 1 to wheel 2 and z along the axes, the tooth normal of a flank σ = ±1 and the compression of the teeth at the pitch point are
//
//     (35.8)  n_σ = (sin α, σ cos α cos β, σ cos α sin β)
//     (35.9)  δ_σ = n_σ·(p_1 − p_2) − n_z (r_1 z_1x + r_2 z_2x) + n_y (r_1 φ_1 + r_2 φ_2)
//
// with the displacement p of each centre, the direction z of each axis and the counted turn φ, all relative to the housing, and
//
//     (35.10) Q_σ = k max(δ_σ − b, 0),  and c δ_σ' on the flank σ = 1;   without backlash Q = k δ_σ + c δ_σ' on one flank.
//
// Nodes: housing, wheel 1, wheel 2. History: turns of wheel 1 and of wheel 2.
#pragma once

#include "mechanics/joints/joint_coordinate.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

struct GearMesh {
  static constexpr const char* kType = "gear_pair";
  static constexpr int kNodes = 3, kScalars = 0, kHistory = 2 * kTurnSlots;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> first, second;  // of the wheels on the housing, with the axes of (35.8)
    math::Vec3<S> n;               // of the flank that acts, or of the first of both
    S r1, r2;                      // pitch radii [m]
    S stiffness, damping;          // along the normal [N/m, N·s/m]
    S play;                        // b: half of the backlash along the normal [m]
  };

  // One flank: its compression, and the gradients by the relative motions of the wheels.
  template <class S>
  struct Flank {
    S delta;
    math::Vec6<S> G1, G2;
  };

  template <class S>
  struct Motion {
    math::Frame<S> relative1, relative2;
    S turn1, turn2;
  };

  template <class S, class P>
  static Motion<S> calcMotion(const Parameters<P>& p,
                              const system::Local<S, kNodes, 0, kHistory>& u) {
    Motion<S> motion{calcRelative<S, P>(p.first, u.frame[0], u.frame[1]),
                     calcRelative<S, P>(p.second, u.frame[0], u.frame[2]), S(0.0), S(0.0)};
    std::array<S, kTurnSlots> turns;
    std::copy_n(u.history.begin(), kTurnSlots, turns.begin());
    motion.turn1 = calcCounted<RotationCoordinate, S>(motion.relative1, turns);
    std::copy_n(u.history.begin() + kTurnSlots, kTurnSlots, turns.begin());
    motion.turn2 = calcCounted<RotationCoordinate, S>(motion.relative2, turns);
    return motion;
  }

  // (35.9), for the flank of p.n or its mirror image.
  template <class S, class P>
  static Flank<S> calcFlank(const Parameters<P>& p, const Motion<S>& motion, double mirror) {
    const math::Vec3<S> n(S(p.n[0]), S(mirror * p.n[1]), S(mirror * p.n[2]));
    const auto& [H1, H2, turn1, turn2] = motion;
    const math::Vec3<S> place = H1.x - H2.x;
    const S tilt1 = -n[2] * p.r1, tilt2 = -n[2] * p.r2, arm1 = n[1] * p.r1, arm2 = n[1] * p.r2;
    Flank<S> flank;
    flank.delta =
        n.dot(place) + tilt1 * H1.R(0, 2) + tilt2 * H2.R(0, 2) + arm1 * turn1 + arm2 * turn2;
    const auto gradient = [&](const math::Frame<S>& H, const S& side, const S& tilt, const S& arm) {
      const math::Vec3<S> force = H.R.transpose() * n * side;
      const math::Vec3<S> torque = rotationGradient<S>(H.R, 0, 2) * tilt;
      const math::Vec6<S> turn = RotationCoordinate::calcGradient(H) * arm;
      return math::Vec6<S>(math::joined<S>(force, torque) + turn);
    };
    flank.G1 = gradient(H1, S(1.0), tilt1, arm1);
    flank.G2 = gradient(H2, S(-1.0), tilt2, arm2);
    return flank;
  }

  template <class S, class P>
  static S calcRate(const Parameters<P>& p, const Motion<S>& motion, const Flank<S>& flank,
                    const system::Local<S, kNodes, 0, kHistory>& u) {
    return flank.G1.dot(
               calcRelativeTwist<S, P>(p.first, motion.relative1, u.twist[0], u.twist[1])) +
           flank.G2.dot(
               calcRelativeTwist<S, P>(p.second, motion.relative2, u.twist[0], u.twist[2]));
  }

  // What the teeth yield: on the flank of p.n, and on the other one, which has no part without backlash.
  template <class S, class P>
  static S calcYield(const Parameters<P>& p, const S& delta, bool isOther) {
    using math::select;
    const S beyond = delta - p.play, without = isOther ? S(0.0) : delta;
    return select(S(p.play) > 0.0, math::notBelow(beyond, 0.0), without);
  }

  // The forces (35.10) on both flanks.
  template <class S, class P>
  static std::array<S, 2> calcForces(const Parameters<P>& p, const Motion<S>& motion,
                                     const std::array<Flank<S>, 2>& flanks,
                                     const system::Local<S, kNodes, 0, kHistory>& u) {
    return {p.stiffness * calcYield<S, P>(p, flanks[0].delta, false) +
                p.damping * calcRate<S, P>(p, motion, flanks[0], u),
            p.stiffness * calcYield<S, P>(p, flanks[1].delta, true)};
  }

  template <class S, class P>
  static std::array<Flank<S>, 2> calcFlanks(const Parameters<P>& p, const Motion<S>& motion) {
    return {calcFlank<S, P>(p, motion, 1.0), calcFlank<S, P>(p, motion, -1.0)};
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, kNodes, 0, kHistory>& u,
                          const system::Environment&, system::Residual<S, kNodes, 0>& r) {
    const Motion<S> motion = calcMotion<S, P>(p, u);
    const auto flanks = calcFlanks<S, P>(p, motion);
    const auto forces = calcForces<S, P>(p, motion, flanks, u);
    const math::Vec6<S> W1 = flanks[0].G1 * forces[0] + flanks[1].G1 * forces[1];
    const math::Vec6<S> W2 = flanks[0].G2 * forces[0] + flanks[1].G2 * forces[1];
    addWrench<S, P>(p.first, motion.relative1, W1, r.node[0], r.node[1]);
    addWrench<S, P>(p.second, motion.relative2, W2, r.node[0], r.node[2]);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p,
                                    const system::Local<S, kNodes, 0, kHistory>& u,
                                    const system::Environment&) {
    const auto flanks = calcFlanks<S, P>(p, calcMotion<S, P>(p, u));
    const S one = calcYield<S, P>(p, flanks[0].delta, false);
    const S other = calcYield<S, P>(p, flanks[1].delta, true);
    return {S(0.0), S(0.5 * p.stiffness * (one * one + other * other))};
  }
};

}  // namespace flexloop::mechanics
