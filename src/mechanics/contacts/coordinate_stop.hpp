// Stops on a coordinate q (docs/theory/33_impacts.md). One side of a limit has the gap g = σ (q − b) to its bound b, with σ = 1 where q ≥ b and σ = −1
// where q ≤ b is allowed.
//
//     (33.1)  touched:  g = 0, pressed by p = −λ ≥ 0       free:  no constraint, no λ, g ≥ 0
//     (33.2)  compliant: p = k d^n (1 + c d') ≥ 0           with the penetration d = −g ≥ 0
#pragma once

#include <cmath>

#include "mechanics/contacts/stop_reading.hpp"
#include "mechanics/friction/friction_law.hpp"
#include "mechanics/joints/coordinate_place.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// What is remembered besides the branch: the angle with its turns.
inline constexpr int kLimitAngleSlot = 1, kStopSlots = 2;

template <class Place, class S>
struct StopPlace {
  [[no_unique_address]] typename Place::template Parameters<S> place;
  S side;   // σ
  S bound;  // b
};

// The coordinate that is remembered follows the motion.
template <class Place, class Local>
double followCoordinate(const StopPlace<Place, double>& stop, const Local& u, double last) {
  return typename Place::template At<double, double>(stop.place, u).calcNearest(last);
}

// Scalars: λ, those of the place.
template <class Place>
struct RigidStop {
  static constexpr const char* kType = Place::kScalars > 0 ? "stop along a beam"
                                       : Place::kTurns     ? "rotation stop"
                                                           : "translation stop";
  static constexpr const char* kWord = "limit ";
  static constexpr int kNodes = Place::kNodes, kScalars = 1 + Place::kScalars;
  static constexpr int kHistory = kStopSlots;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    StopPlace<Place, S> stop;
    S restitution;
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kMultiplier = kNodes, kSlots = kNodes + kScalars;
    const bool isMotion = Place::isOwn(column, kSlots);
    if (Place::isOwn(row, kSlots)) return isMotion || column == kMultiplier;
    return row == kMultiplier && isMotion;
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p,
                          const system::Local<S, kNodes, kScalars, kHistory>& u,
                          const system::Environment& environment,
                          system::Residual<S, kNodes, kScalars>& r) {
    using math::select;
    const typename Place::template At<S, P> at(p.stop.place, u);
    const auto isTouched = u.history[kTouchSlot] > kAlmostTouched;
    const double k = environment.constraintScale;
    const S gap = p.stop.side * (at.calcNearest(u.history[kLimitAngleSlot]) - p.stop.bound);
    const S force =
        select(isTouched, S(k * u.value[0] + environment.constraintPenalty * gap), S(0.0));
    at.addForce(S(force * p.stop.side), r);
    r.scalar[0] += select(isTouched, S(k * gap), S(0.0));
  }

  template <class Set>
  static GapReading readGap(const Set& set, int k, const system::Motion& motion) {
    const StopPlace<Place, double>& stop = set.parameters(k).stop;
    const double angle = motion.history[set.historyOffset(k) + kLimitAngleSlot];
    const CoordinateReading q = readPlace<Place>(set, k, stop.place, motion, angle);
    return {stop.side * (q.value - stop.bound), stop.side * q.rate, stop.side * q.acceleration,
            q.rateSize, q.size + std::abs(stop.bound)};
  }

  static void updateHistory(const Parameters<double>& p,
                            const system::Local<double, kNodes, kScalars, kHistory>& u,
                            double* history) {
    history[kLimitAngleSlot] = followCoordinate<Place>(p.stop, u, history[kLimitAngleSlot]);
  }
};

// Scalars: those of the place.
template <class Place>
struct CompliantStop {
  static constexpr const char* kType = Place::kScalars > 0 ? "compliant stop along a beam"
                                       : Place::kTurns     ? "compliant rotation stop"
                                                           : "compliant translation stop";
  static constexpr int kNodes = Place::kNodes, kScalars = Place::kScalars;
  static constexpr int kHistory = kStopSlots;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    StopPlace<Place, S> stop;
    S stiffness, exponent, damping;  // k, n, c
  };

  static constexpr bool couples(int row, int column) {
    constexpr int kSlots = kNodes + kScalars;
    return Place::isOwn(row, kSlots) && Place::isOwn(column, kSlots);
  }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p,
                          const system::Local<S, kNodes, kScalars, kHistory>& u,
                          const system::Environment&, system::Residual<S, kNodes, kScalars>& r) {
    using math::select;
    const typename Place::template At<S, P> at(p.stop.place, u);
    const S depth = p.stop.side * (p.stop.bound - at.calcNearest(u.history[kLimitAngleSlot]));
    const S factor = math::notBelow(S(1.0 - p.damping * p.stop.side * at.calcRate(u)), 0.0);
    const auto isTouched = depth > 0.0;
    const S safe = select(isTouched, depth, S(1.0));
    const S power = math::AnalyticLift<S>::template apply<ExponentialDecay>(
        S(-(p.exponent * math::AnalyticLift<S>::template apply<NaturalLogarithm>(safe))));
    const S force = select(isTouched, S(p.stiffness * power * factor), S(0.0));
    // What pushes has the opposite sign.
    at.addForce(S(-(p.stop.side * force)), r);
  }

  static void updateHistory(const Parameters<double>& p,
                            const system::Local<double, kNodes, kScalars, kHistory>& u,
                            double* history) {
    history[kLimitAngleSlot] = followCoordinate<Place>(p.stop, u, history[kLimitAngleSlot]);
  }
};

}  // namespace flexloop::mechanics
