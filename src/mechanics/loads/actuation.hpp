// Forces between nodes and on the coordinates of joints that are signals: what actuators do
// (docs/theory/17_sensors_and_actuators.md, section 17.4). With the signal s, the load factor γ of load
// stepping, n of (6.9) and G of (6.5), (6.6):
//
//     (17.7)  along a line:        force s n on B, −s n on A
//     (17.8)  about an axis a_A of the first node:   torque s R_A a_A on B, the opposite on A
//     (17.9)  on a coordinate:     the wrench s G on B, the opposite on A
//
// All are in balance; their power is s l', s a·(ω_B − ω_A) and s q'. Residuals hold forces with the
// opposite sign.
#pragma once

#include "mechanics/joints/joint_coordinate.hpp"
#include "mechanics/springs/line.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

struct LineActuator {
  static constexpr const char* kType = "line actuator";
  static constexpr int kNodes = 2, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    LinePoints<S> points;
  };

  // Nothing acts back on the signal.
  static constexpr bool couples(int row, int) { return row < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    const Line<S> line = calcLine<S, P>(p.points, u.frame[0], u.frame[1]);
    const S tension = -environment.loadFactor * u.value[0];
    addTension<S, P>(p.points, line, tension, r.node[0], r.node[1]);
  }
};

struct TorqueActuator {
  static constexpr const char* kType = "torque actuator";
  static constexpr int kNodes = 2, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    math::Vec3<S> axis;  // unit vector, axes of the first node
  };

  static constexpr bool couples(int row, int) { return row < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    const S torque = environment.loadFactor * u.value[0];
    const math::Vec3<S> zero = math::Vec3<S>::Constant(S(0.0));
    const math::Vec3<S> at_A = torque * p.axis.template cast<S>();
    const math::Vec3<S> ground = u.frame[0].R * at_A;
    const math::Vec3<S> at_B = u.frame[1].R.transpose() * ground;
    r.node[0] += math::joined<S>(zero, at_A);
    r.node[1] -= math::joined<S>(zero, at_B);
  }
};

template <class Coordinate>
struct CoordinateActuator {
  static constexpr const char* kType =
      Coordinate::kTurns ? "rotation actuator" : "translation actuator";
  static constexpr int kNodes = 2, kScalars = 1;
  static constexpr bool kUsesRate = false, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
  };

  static constexpr bool couples(int row, int) { return row < kNodes; }

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 1>& u,
                          const system::Environment& environment, system::Residual<S, 2, 1>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    const S force = -environment.loadFactor * u.value[0];
    const math::Vec6<S> W = force * Coordinate::calcGradient(relative);
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
  }
};

}  // namespace flexloop::mechanics
