// Quantities of motion that sensors read (docs/theory/08_springs_loads_and_sources.md,
// section 8.6). Node quantities have two nodes: the measured one and the one in whose axes the
// components are given, which is ground unless the user says otherwise. o is the measured point in
// node axes:
//
//     (8.9)   position  x + R o,   velocity  R (v + ω × o)
//             acceleration  R (v' + ω × v + ω' × o + ω × (ω × o))
//     (8.10)  rotation  log(R R0ᵀ),   angular velocity  R ω,   acceleration  R ω'
#pragma once

#include <array>

#include "mechanics/joints/joint_coordinate.hpp"
#include "mechanics/springs/line.hpp"
#include "system/flow_view.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// Of all rotation vectors w (1 + 2πn/|w|) the one nearest to `history`: rotations about an axis
// that stays the same are counted over many turns (8.11).
template <class S>
math::Vec3<S> calcNearestRotation(const math::Vec3<S>& w, const math::Vec3<S>& history) {
  using math::rounded, math::select, math::sqrt;
  constexpr double kNone = 1e-20;  // rad²: the axis is then taken from the history
  const S q = w.squaredNorm(), q0 = history.squaredNorm();
  const auto none = q < kNone;
  const S theta = select(none, S(0.0), S(sqrt(math::notBelow(q, kNone))));
  const S inverse = 1.0 / sqrt(math::notBelow(q, kNone));
  const S inverse0 = 1.0 / sqrt(math::notBelow(q0, kNone));
  math::Vec3<S> axis;
  for (int i = 0; i < 3; ++i) axis[i] = select(none, S(history[i] * inverse0), S(w[i] * inverse));
  const S turns = rounded(S((axis.dot(history) - theta) * (1.0 / kTurn)));
  return w + (kTurn * turns) * axis;
}

// The rotation vector since the start, ground axes.
template <class S, class P>
math::Vec3<S> calcRotation(const math::Mat3<S>& R, const math::Mat3<P>& R0,
                           const std::array<S, 3>& history) {
  const math::Vec3<S> w = math::logSO3<S>(R * R0.transpose());
  return calcNearestRotation<S>(w, math::Vec3<S>(history[0], history[1], history[2]));
}

// What a node measure needs to know.
template <class S>
struct PointParameters {
  math::Vec3<S> offset;  // o, node axes [m]
  math::Vec3<S> origin;  // subtracted from a position: zero, or the place at the start
  math::Mat3<S> R0;      // at the start
};

// A vector of a node, given in the axes of the second node. Quantity says which.
template <class Quantity>
struct NodeMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 3, kHistory = Quantity::kHistory;
  static constexpr bool kHasRate = Quantity::kHasRate;

  template <class S>
  using Parameters = PointParameters<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 2, 0, kHistory>& u,
                   std::array<S, 3>& result) {
    const math::Vec3<S> v = u.frame[1].R.transpose() * Quantity::template calc<S, P>(p, u);
    for (int i = 0; i < 3; ++i) result[i] = v[i];
  }
};

struct PositionQuantity {
  static constexpr int kHistory = 0;
  static constexpr bool kHasRate = true;
  template <class S, class P>
  static math::Vec3<S> calc(const PointParameters<P>& p, const system::Local<S, 2, 0>& u) {
    return u.frame[0].x + u.frame[0].R * p.offset - p.origin;
  }
};

struct VelocityQuantity {
  static constexpr int kHistory = 0;
  static constexpr bool kHasRate = true;
  template <class S, class P>
  static math::Vec3<S> calc(const PointParameters<P>& p, const system::Local<S, 2, 0>& u) {
    const math::Vec3<S> o = p.offset.template cast<S>();
    const math::Vec3<S> omega = math::secondOf(u.twist[0]);
    return u.frame[0].R * (math::firstOf(u.twist[0]) + math::cross<S>(omega, o));
  }
};

struct AccelerationQuantity {
  static constexpr int kHistory = 0;
  static constexpr bool kHasRate = false;
  template <class S, class P>
  static math::Vec3<S> calc(const PointParameters<P>& p, const system::Local<S, 2, 0>& u) {
    const math::Vec3<S> o = p.offset.template cast<S>();
    const math::Vec3<S> omega = math::secondOf(u.twist[0]);
    const math::Vec3<S> velocity = math::firstOf(u.twist[0]) + math::cross<S>(omega, o);
    return u.frame[0].R *
           (math::firstOf(u.twistRate[0]) + math::cross<S>(math::secondOf(u.twistRate[0]), o) +
            math::cross<S>(omega, velocity));
  }
};

struct RotationQuantity {
  static constexpr int kHistory = 3;
  static constexpr bool kHasRate = true;
  template <class S, class P>
  static math::Vec3<S> calc(const PointParameters<P>& p, const system::Local<S, 2, 0, 3>& u) {
    return calcRotation<S, P>(u.frame[0].R, p.R0, u.history);
  }
};

struct AngularVelocityQuantity {
  static constexpr int kHistory = 0;
  static constexpr bool kHasRate = true;
  template <class S, class P>
  static math::Vec3<S> calc(const PointParameters<P>&, const system::Local<S, 2, 0>& u) {
    return u.frame[0].R * math::secondOf(u.twist[0]);
  }
};

struct AngularAccelerationQuantity {
  static constexpr int kHistory = 0;
  static constexpr bool kHasRate = false;
  template <class S, class P>
  static math::Vec3<S> calc(const PointParameters<P>&, const system::Local<S, 2, 0>& u) {
    return u.frame[0].R * math::secondOf(u.twistRate[0]);
  }
};

// The coordinate of a joint (6.5), (6.6).
template <class Coordinate>
struct CoordinateMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 1;
  static constexpr int kHistory = Coordinate::kTurns ? kTurnSlots : 0;
  template <class S>
  using Parameters = JointFrames<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& frames, const system::Local<S, 2, 0, kHistory>& u,
                   std::array<S, 1>& result) {
    const math::Frame<S> relative = calcRelative<S, P>(frames, u.frame[0], u.frame[1]);
    result[0] = calcCounted<Coordinate, S>(relative, u.history);
  }
};

// The time derivative of the coordinate of a joint.
template <class Coordinate>
struct CoordinateRateMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 1;
  template <class S>
  using Parameters = JointFrames<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& frames, const system::Local<S, 2, 0>& u,
                   std::array<S, 1>& result) {
    const math::Frame<S> relative = calcRelative<S, P>(frames, u.frame[0], u.frame[1]);
    result[0] = Coordinate::calcGradient(relative).dot(
        calcRelativeTwist<S, P>(frames, relative, u.twist[0], u.twist[1]));
  }
};

// The second time derivative of the coordinate of a joint (17.2).
template <class Coordinate>
struct CoordinateAccelerationMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 1;
  static constexpr bool kHasRate = false;
  template <class S>
  using Parameters = JointFrames<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& frames, const system::Local<S, 2, 0>& u,
                   std::array<S, 1>& result) {
    std::array<math::Flow<S>, 1> rate;
    CoordinateRateMeasure<Coordinate>::template calc<math::Flow<S>, P>(frames, system::makeFlow(u),
                                                                       rate);
    result[0] = rate[0].first;
  }
};

// The angle of a screw, whose turns follow from its displacement (6.8).
struct ScrewAngleMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 1;
  template <class S>
  using Parameters = ScrewThread::Parameters<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                   std::array<S, 1>& result) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    result[0] = ScrewThread::calcAngle<S, P>(p, relative);
  }
};

enum class LineQuantity { kLength, kRate };

// Distance of two points (6.9), or its time derivative.
template <LineQuantity kQuantity>
struct LineMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 1;
  template <class S>
  using Parameters = LinePoints<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& points, const system::Local<S, 2, 0>& u,
                   std::array<S, 1>& result) {
    const Line<S> line = calcLine<S, P>(points, u.frame[0], u.frame[1]);
    if constexpr (kQuantity == LineQuantity::kLength) {
      result[0] = line.length;
    } else {
      result[0] = calcLineRate<S, P>(points, line, u.twist[0], u.twist[1]);
    }
  }
};

// The tension of a distance spring (8.3).
struct TensionMeasure {
  static constexpr int kNodes = 2, kScalars = 0, kComponents = 1;
  template <class S>
  using Parameters = DistanceSpring::Parameters<S>;

  template <class S, class P>
  static void calc(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                   std::array<S, 1>& result) {
    const Line<S> line = calcLine<S, P>(p.points, u.frame[0], u.frame[1]);
    result[0] = DistanceSpring::calcTension<S, P>(p, line, u);
  }
};

}  // namespace flexloop::mechanics
