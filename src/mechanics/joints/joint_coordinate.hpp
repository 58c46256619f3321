// The free coordinate of a joint, and what may act on it (docs/theory/06_joints.md, section 6.3).
// In the frames of joint.hpp, whose z axes are the joint's axis, a coordinate is
//
//     (6.5)  rotation:     q = φ = atan2(b, a),  a = R_xx + R_yy,  b = R_yx − R_xy
//                          G = (0; (a (g_yx − g_xy) − b (g_xx + g_yy))/(a² + b²))
//     (6.6)  translation:  q = p_z,   G = (Rᵀe_z; 0)
//
// with dq = G·η and g_ij of (6.3). A force Q on the coordinate is the wrench W = Q G:
//
//     (6.7)  spring: Q = k (q − q0) + c q'     lock: q − q0 = 0     drive: q − y(t) = 0
//
// G is the exact gradient, so springs keep their energy even where the axes are not aligned.
#pragma once

#include <numbers>

#include "math/turns.hpp"
#include "mechanics/joints/joint.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

inline constexpr double kTurn = 2.0 * std::numbers::pi;

// The turn about the axis that is left when a tilt of it is taken off, whatever the axes across it are. Positive
// right-handed; counts turns.
struct RotationCoordinate {
  static constexpr bool kTurns = true;

  template <class S>
  static S calcValue(const math::Frame<S>& relative) {
    using math::atan2;
    const math::Mat3<S>& R = relative.R;
    return atan2(S(R(1, 0) - R(0, 1)), S(R(0, 0) + R(1, 1)));
  }
  template <class S>
  static math::Vec6<S> calcGradient(const math::Frame<S>& relative) {
    const math::Mat3<S>& R = relative.R;
    const S a = R(0, 0) + R(1, 1), b = R(1, 0) - R(0, 1);
    const S inverse = 1.0 / (a * a + b * b);
    const math::Vec3<S> ofB = rotationGradient<S>(R, 1, 0) - rotationGradient<S>(R, 0, 1);
    const math::Vec3<S> ofA = rotationGradient<S>(R, 0, 0) + rotationGradient<S>(R, 1, 1);
    const math::Vec3<S> g = (a * inverse) * ofB - (b * inverse) * ofA;
    return math::joined<S>(math::Vec3<S>::Constant(S(0.0)), g);
  }
};

// Positive where the second frame is ahead of the first along the axis.
struct TranslationCoordinate {
  static constexpr bool kTurns = false;

  template <class S>
  static S calcValue(const math::Frame<S>& relative) {
    return relative.x[2];
  }
  template <class S>
  static math::Vec6<S> calcGradient(const math::Frame<S>& relative) {
    return math::joined<S>(relative.R.row(2).transpose(), math::Vec3<S>::Constant(S(0.0)));
  }
};

// What is remembered of the turns of a joint: its angle, the whole turns by which a drive differs from
// it, and whether the motion has counted them, as in a time step (1), or nobody has (0).
inline constexpr int kAngleSlot = 0, kOffsetSlot = 1, kCountingSlot = 2, kTurnSlots = 3;

// The coordinate with the turns that `history` has counted.
template <class Coordinate, class S, std::size_t N>
S calcCounted(const math::Frame<S>& relative, const std::array<S, N>& history) {
  S q = Coordinate::calcValue(relative);
  if constexpr (Coordinate::kTurns) q = math::nearestTurn<S>(q, history[kAngleSlot]);
  return q;
}

// The thread of a screw, whose displacement determines its turns; other joints have none.
template <class S>
struct Thread {
  S isThere = S(0.0);   // 1: yes
  S perMetre = S(0.0);  // rad/m
};

// The angle where nobody has counted its turns: that of the thread, or the one nearest to `target`.
template <class S, class P>
S calcUncounted(const math::Frame<S>& relative, const Thread<P>& thread, const S& target) {
  const S reference = target + thread.isThere * (thread.perMetre * relative.x[2] - target);
  return math::nearestTurn<S>(RotationCoordinate::calcValue(relative), reference);
}

// q − target; a rotation by whole turns makes no difference, except to a screw.
template <class Coordinate, class S, class P>
S calcGap(const math::Frame<S>& relative, const Thread<P>& thread, const S& target) {
  if constexpr (Coordinate::kTurns) return calcUncounted<S, P>(relative, thread, target) - target;
  return Coordinate::calcValue(relative) - target;
}

// Adds the constraint Φ = 0 with gradient G and multiplier λ, with the wrench (k λ + p Φ) G.
template <class S, class P, int Scalars>
void addConstraint(const JointFrames<P>& frames, const math::Frame<S>& relative, const S& phi,
                   const math::Vec6<S>& G, const S& lambda, const system::Environment& environment,
                   system::Residual<S, 2, Scalars>& r) {
  const S force = environment.constraintScale * lambda + environment.constraintPenalty * phi;
  const math::Vec6<S> W = force * G;
  addWrench<S, P>(frames, relative, W, r.node[0], r.node[1]);
  r.scalar[0] += environment.constraintScale * phi;
}

// Spring and damper on a coordinate.
template <class Coordinate>
struct CoordinateSpring {
  static constexpr const char* kType = Coordinate::kTurns ? "torsional" : "linear";
  static constexpr int kNodes = 2, kScalars = 0, kHistory = Coordinate::kTurns ? kTurnSlots : 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    S stiffness, damping;  // N/m, N·s/m; N·m/rad, N·m·s/rad
    S rest;                // the coordinate where the spring is relaxed
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0, kHistory>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> G = Coordinate::calcGradient(relative);
    const S q = calcCounted<Coordinate, S>(relative, u.history);
    const S rate = G.dot(calcRelativeTwist<S, P>(p.frames, relative, u.twist[0], u.twist[1]));
    const S force = p.stiffness * (q - p.rest) + p.damping * rate;
    const math::Vec6<S> W = force * G;
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p,
                                    const system::Local<S, 2, 0, kHistory>& u,
                                    const system::Environment&) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const S q = calcCounted<Coordinate, S>(relative, u.history) - p.rest;
    return {S(0.0), S(0.5 * p.stiffness * q * q)};
  }
};

// Holds a coordinate at a value.
template <class Coordinate>
struct CoordinateLock {
  static constexpr const char* kType = Coordinate::kTurns ? "rotation lock" : "translation lock";
  static constexpr int kNodes = 2, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    S target;
    Thread<S> thread;
  };

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const S gap = calcGap<Coordinate, S, P>(relative, p.thread, S(p.target));
    addConstraint<S, P>(p.frames, relative, gap, Coordinate::calcGradient(relative), u.value[0],
                        environment, r);
  }
};

// Prescribes a coordinate by a signal. Scalars: multiplier, signal.
template <class Coordinate>
struct CoordinateDrive {
  static constexpr const char* kType = Coordinate::kTurns ? "rotation drive" : "translation drive";
  static constexpr int kNodes = 2, kScalars = 2, kHistory = Coordinate::kTurns ? kTurnSlots : 0;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    Thread<S> thread;
  };

  // Nothing acts back on the signal, and the multiplier does not enter its own row.
  static constexpr bool couples(int row, int column) {
    constexpr int kMultiplier = 2, kSignal = 3;
    return row < kNodes || (row == kMultiplier && (column < kNodes || column == kSignal));
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 2, kHistory>& u,
                          const system::Environment& environment, system::Residual<S, 2, 2>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    S gap = calcGap<Coordinate, S, P>(relative, p.thread, u.value[1]);
    if constexpr (Coordinate::kTurns) {
      const S counted = calcCounted<Coordinate, S>(relative, u.history) - u.value[1] -
                        kTurn * u.history[kOffsetSlot];
      gap += u.history[kCountingSlot] * (counted - gap);
    }
    addConstraint<S, P>(p.frames, relative, gap, Coordinate::calcGradient(relative), u.value[0],
                        environment, r);
  }
};

// The thread of a screw: Φ = p_z − h φ with h the pitch per radian. Of all turns of φ the one that
// closes the thread best is meant (6.8); in a time step it is that which the motion has reached.
struct ScrewThread {
  static constexpr const char* kType = "screw thread";
  static constexpr int kNodes = 2, kScalars = 1, kHistory = kTurnSlots;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    S pitch;  // m/rad, right-handed positive
  };

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  template <class S, class P>
  static S calcAngle(const Parameters<P>& p, const math::Frame<S>& relative) {
    return math::nearestTurn<S>(RotationCoordinate::calcValue(relative), relative.x[2] / p.pitch);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1, kHistory>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    S angle = calcAngle<S, P>(p, relative);
    angle += u.history[kCountingSlot] *
             (calcCounted<RotationCoordinate, S>(relative, u.history) - angle);
    const S phi = relative.x[2] - p.pitch * angle;
    const math::Vec6<S> G = TranslationCoordinate::calcGradient(relative) -
                            p.pitch * RotationCoordinate::calcGradient(relative);
    addConstraint<S, P>(p.frames, relative, phi, G, u.value[0], environment, r);
  }
};

}  // namespace flexloop::mechanics
