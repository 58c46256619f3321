// Where an interface node k of a part is, seen from its first one (docs/theory/31_reduced_bodies.md, section 31.2).
// With R = R_1ᵀ R_k, s = R_1ᵀ (x_k − x_1) and d = p_k − p_1, the place of k in the undeformed part,
//
//     z_k = (e; θ),   e = s − d,   θ = log R                                                     (31.1)
//     e' = R ν_k − ν_1 − ω_1 × s,   θ' = T⁻¹(θ) ω_k − T⁻ᵀ(θ) ω_1                                 (31.2)
//     e'' = R (ν_k' + ω_k × ν_k) − ω_1 × R ν_k − ν_1' − ω_1' × s − ω_1 × e'
//     θ'' = T⁻¹ ω_k' − T⁻ᵀ ω_1' + D ω_k − Dᵀ ω_1,   D = DT⁻¹(θ)[θ']                              (31.3)
//
// All in the axes of node 1.
#pragma once

#include "math/se3.hpp"
#include "math/tangent_derivatives.hpp"

namespace flexloop::mechanics {

// A node as elements see it, for any scalar.
template <class S>
struct MovingFrame {
  math::Frame<S> frame;
  math::Vec6<S> twist, twistRate;
};

template <class S>
struct RelativeMotion {
  math::Vec6<S> z, rate, acceleration;
  math::Mat3<S> R, inverse;  // inverse: T⁻¹(θ)
  math::Vec3<S> s;
};

template <class S>
RelativeMotion<S> calcRelativeMotion(const MovingFrame<S>& first, const MovingFrame<S>& other,
                                     const math::Vec3<double>& d) {
  using math::cross, math::firstOf, math::secondOf, math::Vec3;
  const math::Frame<S> H = math::relative<S>(first.frame, other.frame);
  const Vec3<S> theta = math::logSO3<S>(H.R);
  RelativeMotion<S> m{{}, {}, {}, H.R, math::tangentInverseSO3<S>(theta), H.x};
  m.z = math::joined<S>(H.x - d.cast<S>(), theta);

  const Vec3<S> omega_1 = secondOf(first.twist), nu_k = firstOf(other.twist);
  const Vec3<S> omega_k = secondOf(other.twist), turned = H.R * nu_k;
  const Vec3<S> e1 = turned - firstOf(first.twist) - cross<S>(omega_1, H.x);
  const Vec3<S> theta1 = m.inverse * omega_k - m.inverse.transpose() * omega_1;
  m.rate = math::joined<S>(e1, theta1);

  const Vec3<S> alpha_1 = secondOf(first.twistRate);
  const Vec3<S> own = firstOf(other.twistRate) + cross<S>(omega_k, nu_k);
  const Vec3<S> e2 = H.R * own - cross<S>(omega_1, turned) - firstOf(first.twistRate) -
                     cross<S>(alpha_1, H.x) - cross<S>(omega_1, e1);
  const math::Mat3<S> D = math::tangentInverseDerivativeSO3<S>(theta, theta1);
  const Vec3<S> theta2 = m.inverse * secondOf(other.twistRate) - m.inverse.transpose() * alpha_1 +
                         D * omega_k - D.transpose() * omega_1;
  m.acceleration = math::joined<S>(e2, theta2);
  return m;
}

// The forces on the two nodes that do the work of f on z_k: the transposed map of (31.2).
template <class S>
struct NodeForces {
  math::Vec6<S> first, other;
};

template <class S>
NodeForces<S> applyTransposed(const RelativeMotion<S>& m, const math::Vec6<S>& f) {
  const math::Vec3<S> force = math::firstOf(f), torque = math::secondOf(f);
  return {math::joined<S>(-force, -math::cross<S>(m.s, force) - m.inverse * torque),
          math::joined<S>(m.R.transpose() * force, m.inverse.transpose() * torque)};
}

}  // namespace flexloop::mechanics
