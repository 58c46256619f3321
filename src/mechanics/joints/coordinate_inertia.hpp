// The inertia of a drive, reflected to the free coordinate q of a joint (docs/theory/05_bodies.md, section 5.5):
//
//     (5.5)  T = ½ I q'²,   I = I_0 + N² J
//     (5.6)  W = I q'' G
//
// with the gradient G of joint_coordinate.hpp. A rotor with the inertia J that turns N times as fast as the joint is all
// of it but what couples its spin with the turning of the body that carries it.
#pragma once

#include "mechanics/joints/joint_coordinate.hpp"
#include "mechanics/sensors/measures.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/builder.hpp"
#include "system/item.hpp"

namespace flexloop::mechanics {

template <class Coordinate>
struct CoordinateInertia {
  static constexpr const char* kType =
      Coordinate::kTurns ? "rotation inertia" : "translation inertia";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = true;

  template <class S>
  struct Parameters {
    JointFrames<S> frames;
    S inertia;  // I: kg m², of a translation kg
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    const math::Frame<S> relative = calcRelative<S, P>(p.frames, u.frame[0], u.frame[1]);
    std::array<S, 1> acceleration;
    CoordinateAccelerationMeasure<Coordinate>::template calc<S, P>(p.frames, u, acceleration);
    const S force = p.inertia * acceleration[0];
    const math::Vec6<S> W = force * Coordinate::calcGradient(relative);
    addWrench<S, P>(p.frames, relative, W, r.node[0], r.node[1]);
  }

  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                                    const system::Environment&) {
    std::array<S, 1> rate;
    CoordinateRateMeasure<Coordinate>::template calc<S, P>(p.frames, u, rate);
    return {S(0.5 * p.inertia * rate[0] * rate[0]), S(0.0)};
  }
};

// What `inertia` and `rotor` of the options put on a coordinate of the joint.
template <class Coordinate>
void addInertia(const system::Item& joint, const system::Item& options, const Connection& c,
                system::Builder& builder);

}  // namespace flexloop::mechanics
