// Gears and racks: a relation between the coordinates of two joints (docs/theory/35_gears.md). With the coordinates
// q_1 and q_2 of joint.hpp, their gradients G_1 and G_2, and the ratio i,
//
//     (35.1)  Φ = q_2 − i q_1                      ideal: Φ = 0
//     (35.2)  W_2 = Q G_2,   W_1 = −i Q G_1        the wrenches of a force Q on Φ
//     (35.4)  Q = k f(Φ) + c Φ'                    through the teeth
//     (35.5)  f(Φ) = max(Φ − b, 0) + min(Φ + b, 0)
//
// where b is half of the backlash. The first coordinate is a rotation; the second is one too in a gear, and a displacement in a rack.
// Nodes: first and second of joint 2, then of joint 1. History: what is remembered of the turns of joint 1, then of joint 2.
#pragma once

#include "mechanics/joints/joint_coordinate.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

template <class Second>
inline constexpr int kGearHistory = (Second::kTurns ? 2 : 1) * kTurnSlots;

template <class S>
struct GearFrames {
  JointFrames<S> first, second;  // of joint 1 and joint 2
  S ratio;                       // i: rad/rad, or m/rad
};

// The coordinates of both joints at one instant.
template <class Second, class S, class P>
struct GearMotion {
  template <class LocalView>
  GearMotion(const GearFrames<P>& p, const LocalView& u)
      : relative1(calcRelative<S, P>(p.first, u.frame[2], u.frame[3])),
        relative2(calcRelative<S, P>(p.second, u.frame[0], u.frame[1])),
        G1(RotationCoordinate::calcGradient(relative1)),
        G2(Second::calcGradient(relative2)) {
    std::array<S, kTurnSlots> turns;
    std::copy_n(u.history.begin(), kTurnSlots, turns.begin());
    const S q1 = calcCounted<RotationCoordinate, S>(relative1, turns);
    std::copy_n(u.history.end() - kTurnSlots, kTurnSlots, turns.begin());
    const S q2 = calcCounted<Second, S>(relative2, turns);
    phi = q2 - p.ratio * q1;
  }

  template <class LocalView>
  S calcRate(const GearFrames<P>& p, const LocalView& u) const {
    return G2.dot(calcRelativeTwist<S, P>(p.second, relative2, u.twist[0], u.twist[1])) -
           p.ratio * G1.dot(calcRelativeTwist<S, P>(p.first, relative1, u.twist[2], u.twist[3]));
  }

  // (35.2)
  template <class ResidualView>
  void addForce(const GearFrames<P>& p, const S& Q, ResidualView& r) const {
    const math::Vec6<S> W2 = Q * G2, W1 = (-p.ratio * Q) * G1;
    addWrench<S, P>(p.second, relative2, W2, r.node[0], r.node[1]);
    addWrench<S, P>(p.first, relative1, W1, r.node[2], r.node[3]);
  }

  math::Frame<S> relative1, relative2;
  math::Vec6<S> G1, G2;
  S phi;
};

// The ideal gear or rack. Its multiplier is minus the torque or force on the second coordinate.
template <class Second>
struct GearConstraint {
  static constexpr const char* kType = Second::kTurns ? "gear" : "rack";
  static constexpr int kNodes = 4, kScalars = 1, kHistory = kGearHistory<Second>;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  using Parameters = GearFrames<S>;

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  // Without penalties, the forces at one joint do not depend on the other.
  static constexpr bool fills(int row, int column, bool augmented) {
    constexpr int kNodeFreedoms = 6 * kNodes;
    if (row >= kNodeFreedoms && column >= kNodeFreedoms) return false;
    if (augmented || row >= kNodeFreedoms || column >= kNodeFreedoms) return true;
    return row / 12 == column / 12;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 4, 1, kHistory>& u,
                          const system::Environment& environment, system::Residual<S, 4, 1>& r) {
    const GearMotion<Second, S, P> motion(p, u);
    const S Q =
        environment.constraintScale * u.value[0] + environment.constraintPenalty * motion.phi;
    motion.addForce(p, Q, r);
    r.scalar[0] += environment.constraintScale * motion.phi;
  }

  template <class S, class P>
  static void calcRates(const Parameters<P>& p, const system::Local<S, 4, 1, kHistory>& u,
                        const system::Environment& environment, std::array<S, 1>& rates) {
    const GearMotion<Second, S, P> motion(p, u);
    rates[0] = environment.constraintScale * motion.calcRate(p, u);
  }
};

// Spring and damper of the teeth, with backlash.
template <class Second>
struct ToothSpring {
  static constexpr const char* kType = Second::kTurns ? "gear teeth" : "rack teeth";
  static constexpr int kNodes = 4, kScalars = 0, kHistory = kGearHistory<Second>;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    GearFrames<S> gear;
    S stiffness, damping;  // on the second coordinate: N·m/rad, N·m·s/rad; N/m, N·s/m
    S play;                // b: half of the backlash, on the second coordinate
  };

  // (35.5)
  template <class S, class P>
  static S calcDeflection(const Parameters<P>& p, const S& phi) {
    const S above = phi - p.play, below = phi + p.play;
    const S dead = math::notBelow(above, 0.0) + math::notAbove(below, 0.0);
    using math::select;
    return select(S(p.play) > 0.0, dead, phi);  // without play both flanks touch
  }

  // (35.4)
  template <class S, class P, class LocalView>
  static S calcForce(const Parameters<P>& p, const GearMotion<Second, S, P>& motion,
                     const LocalView& u) {
    return p.stiffness * calcDeflection<S, P>(p, motion.phi) +
           p.damping * motion.calcRate(p.gear, u);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 4, 0, kHistory>& u,
                          const system::Environment&, system::Residual<S, 4, 0>& r) {
    const GearMotion<Second, S, P> motion(p.gear, u);
    motion.addForce(p.gear, calcForce<S, P>(p, motion, u), r);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p,
                                    const system::Local<S, 4, 0, kHistory>& u,
                                    const system::Environment&) {
    const GearMotion<Second, S, P> motion(p.gear, u);
    const S f = calcDeflection<S, P>(p, motion.phi);
    return {S(0.0), S(0.5 * p.stiffness * f * f)};
  }
};

// Q of the teeth as a signal, for their friction. Scalar: Q.
template <class Second>
struct ToothForce {
  static constexpr const char* kType = Second::kTurns ? "tooth torque" : "tooth force";
  static constexpr int kNodes = 4, kScalars = 1, kHistory = kGearHistory<Second>;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  using Parameters = typename ToothSpring<Second>::template Parameters<S>;

  static constexpr bool couples(int row, int) { return row == kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 4, 1, kHistory>& u,
                          const system::Environment&, system::Residual<S, 4, 1>& r) {
    const GearMotion<Second, S, P> motion(p.gear, u);
    r.scalar[0] += u.value[0] - ToothSpring<Second>::template calcForce<S, P>(p, motion, u);
  }
};

}  // namespace flexloop::mechanics
