// Stops on the coordinate q of a joint (docs/theory/33_impacts.md). One side of a limit has the gap g = σ (q − b) to its bound b, with σ = 1 where q ≥ b
// and σ = −1 where q ≤ b is allowed.
//
//     (33.1)  touched:  g = 0, pressed by p = −λ ≥ 0       free:  no constraint, no λ, g ≥ 0
//     (33.2)  compliant: p = k d^n (1 + c d') ≥ 0           with the penetration d = −g ≥ 0
#pragma once

#include "mechanics/friction/friction_law.hpp"
#include "mechanics/joints/joint_coordinate.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// What is remembered: the branch, as in system::Switching, and the angle with its turns.
inline constexpr int kTouchSlot = 0, kLimitAngleSlot = 1, kStopSlots = 2;
inline constexpr double kAlmostTouched = 1.5;

template <class S>
struct StopPlace {
  JointFrames<S> frames;
  S side;   // σ
  S bound;  // b
};

template <class Coordinate, class S>
S calcCountedBy(const math::Frame<S>& relative, const S& angle) {
  const S q = Coordinate::calcValue(relative);
  if constexpr (Coordinate::kTurns) return math::nearestTurn<S>(q, angle);
  return q;
}

// The angle that is remembered follows the motion.
template <class Coordinate, class Local>
double countAngle(const JointFrames<double>& frames, const Local& u, double angle) {
  return calcCountedBy<Coordinate, double>(
      calcRelative<double, double>(frames, u.frame[0], u.frame[1]), angle);
}

template <class Coordinate>
struct RigidStop {
  static constexpr const char* kType = Coordinate::kTurns ? "rotation stop" : "translation stop";
  static constexpr int kNodes = 2, kScalars = 1, kHistory = kStopSlots;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    StopPlace<S> place;
    S restitution;
  };

  static constexpr bool couples(int row, int column) { return row < kNodes || column < kNodes; }

  template <class S, class P>
  static S calcGapOf(const Parameters<P>& p, const math::Frame<S>& relative, const S& angle) {
    return p.place.side * (calcCountedBy<Coordinate, S>(relative, angle) - p.place.bound);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1, kHistory>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    using math::select;
    const math::Frame<S> relative = calcRelative<S, P>(p.place.frames, u.frame[0], u.frame[1]);
    const auto isTouched = u.history[kTouchSlot] > kAlmostTouched;
    const double k = environment.constraintScale;
    const S gap = calcGapOf<S, P>(p, relative, u.history[kLimitAngleSlot]);
    const S force =
        select(isTouched, S(k * u.value[0] + environment.constraintPenalty * gap), S(0.0));
    const math::Vec6<S> W = S(force * p.place.side) * Coordinate::calcGradient(relative);
    addWrench<S, P>(p.place.frames, relative, W, r.node[0], r.node[1]);
    r.scalar[0] += select(isTouched, S(k * gap), S(0.0));
  }

  static void updateHistory(const Parameters<double>& p,
                            const system::Local<double, 2, 1, kHistory>& u, double* history) {
    history[kLimitAngleSlot] = countAngle<Coordinate>(p.place.frames, u, history[kLimitAngleSlot]);
  }
};

template <class Coordinate>
struct CompliantStop {
  static constexpr const char* kType =
      Coordinate::kTurns ? "compliant rotation stop" : "compliant translation stop";
  static constexpr int kNodes = 2, kScalars = 0, kHistory = kStopSlots;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    StopPlace<S> place;
    S stiffness, exponent, damping;  // k, n, c
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0, kHistory>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    using math::select;
    const math::Frame<S> relative = calcRelative<S, P>(p.place.frames, u.frame[0], u.frame[1]);
    const math::Vec6<S> G = Coordinate::calcGradient(relative);
    const S q = calcCountedBy<Coordinate, S>(relative, u.history[kLimitAngleSlot]);
    const S depth = p.place.side * (p.place.bound - q);
    const S rate = G.dot(calcRelativeTwist<S, P>(p.place.frames, relative, u.twist[0], u.twist[1]));
    const S factor = math::notBelow(S(1.0 - p.damping * p.place.side * rate), 0.0);
    const auto isTouched = depth > 0.0;
    const S safe = select(isTouched, depth, S(1.0));
    const S power = math::AnalyticLift<S>::template apply<ExponentialDecay>(
        S(-(p.exponent * math::AnalyticLift<S>::template apply<NaturalLogarithm>(safe))));
    const S force = select(isTouched, S(p.stiffness * power * factor), S(0.0));
    // What pushes stands with the opposite sign.
    const math::Vec6<S> W = S(-(p.place.side * force)) * G;
    addWrench<S, P>(p.place.frames, relative, W, r.node[0], r.node[1]);
  }

  static void updateHistory(const Parameters<double>& p,
                            const system::Local<double, 2, 0, kHistory>& u, double* history) {
    history[kLimitAngleSlot] = countAngle<Coordinate>(p.place.frames, u, history[kLimitAngleSlot]);
  }
};

}  // namespace flexloop::mechanics
