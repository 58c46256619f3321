// The inertia of a rigid body, or of a slice of a beam, at a node (docs/theory/05_bodies.md):
//
//     r = 𝕄 (v' − (Rᵀg; 0)) − v̂ᵀ 𝕄 v,      T = ½ vᵀ𝕄v,                                 (5.1)
//
// with the constant 6×6 mass 𝕄 = [m I, −m ĉ; m ĉ, J_c − m ĉĉ] for mass m, centre of mass c and
// inertia J_c about it, all in node axes. Gravity is an acceleration of the frame, so it enters with
// the same mass.
#pragma once

#include "math/se3.hpp"
#include "system/element_set.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

// 𝕄 a − v̂ᵀ𝕄v of a point with the acceleration a, gravity taken off.
template <class S, class P>
math::Vec6<S> calcInertiaForce(const math::Mat6<P>& mass, const math::Vec6<S>& v,
                               const math::Vec6<S>& a) {
  const math::Vec6<S> momentum = mass * v;
  return mass * a - math::coBracket<S>(v, momentum);
}

// Kinetic energy and potential of gravity of a point with the frame F and the twist v.
template <class S, class P>
system::EnergyOf<S> calcInertiaEnergy(const math::Mat6<P>& mass, const math::Frame<S>& F,
                                      const math::Vec6<S>& v,
                                      const system::Environment& environment) {
  // 𝕄 holds m ĉ in its lower left block, so the centre's position times m is x m + R (m c).
  const math::Vec3<P> moment(mass(5, 1), mass(3, 2), mass(4, 0));
  const math::Vec3<S> weighted = mass(0, 0) * F.x + F.R * moment;
  const math::Vec6<S> momentum = mass * v;
  const math::Vec3<S> gravity = environment.gravity.template cast<S>();
  return {S(0.5 * v.dot(momentum)), S(-gravity.dot(weighted))};
}

// The derivative of calcInertiaForce by v, C of (5.2).
math::Mat6<double> calcGyroscopic(const math::Mat6<double>& mass, const math::Vec6<double>& v);

struct Inertia {
  static constexpr const char* kType = "body";
  static constexpr int kNodes = 1, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = true;

  template <class S>
  struct Parameters {
    math::Mat6<S> mass;
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 1, 0>& u,
                          const system::Environment& environment, system::Residual<S, 1, 0>& r) {
    math::Vec6<S> acceleration = u.twistRate[0];
    acceleration.template head<3>() -=
        u.frame[0].R.transpose() * environment.gravity.template cast<S>();
    r.node[0] += calcInertiaForce<S, P>(p.mass, u.twist[0], acceleration);
  }

  static void calcTangents(const Parameters<double>& p, const system::Local<double, 1, 0>& u,
                           const system::Environment& environment, system::Tangents& t);
  template <class S, class P>
  static system::EnergyOf<S> energy(const Parameters<P>& p, const system::Local<S, 1, 0>& u,
                                    const system::Environment& environment) {
    return calcInertiaEnergy<S, P>(p.mass, u.frame[0], u.twist[0], environment);
  }
};

// 𝕄 of (5.1).
math::Mat6<double> makeMass(double mass, const math::Vec3<double>& centre,
                            const math::Mat3<double>& inertiaAboutCentre);

}  // namespace flexloop::mechanics
