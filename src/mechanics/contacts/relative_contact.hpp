// Two nodes at a contact, in the axes of the first: relative frame, relative velocity at the contact, and what a force there does to
// both (docs/theory/34_contact.md, section 34.1).
#pragma once

#include "mechanics/contacts/touch.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

template <class S>
struct ContactPoint {
  math::Frame<S> G;  // of B as seen from A
  Touch<S> touch;
  math::Vec3<S> onB;       // the point in axes of B
  math::Vec3<S> velocity;  // of B relative to A at the point, axes of A

  S depthRate() const { return -touch.normal.dot(velocity); }
};

// Without the velocity.
template <class Shape, class S, class P, int Scalars, int History>
ContactPoint<S> calcContactPlace(const P& shape, const system::Local<S, 2, Scalars, History>& u) {
  ContactPoint<S> at;
  at.G = math::relative(u.frame[0], u.frame[1]);
  at.touch = Shape::calc(shape, at.G);
  const math::Vec3<S> arm = at.touch.point - at.G.x;
  at.onB = at.G.R.transpose() * arm;
  return at;
}

//     (34.1)  G = H_A⁻¹ H_B,   q = G⁻¹c,   v = R (v_B + ω_B × q) − v_A − ω_A × c
template <class Shape, class S, class P, int Scalars, int History>
ContactPoint<S> calcContactPoint(const P& shape, const system::Local<S, 2, Scalars, History>& u) {
  ContactPoint<S> at = calcContactPlace<Shape, S>(shape, u);
  const math::Vec3<S> v_B =
      math::firstOf(u.twist[1]) + math::cross<S>(math::secondOf(u.twist[1]), at.onB);
  const math::Vec3<S> v_A =
      math::firstOf(u.twist[0]) + math::cross<S>(math::secondOf(u.twist[0]), at.touch.point);
  at.velocity = at.G.R * v_B - v_A;
  return at;
}

// The force f on B at the contact, and −f on A; the residual holds forces with the opposite sign.
template <class S, int Scalars>
void addContactForce(const ContactPoint<S>& at, const math::Vec3<S>& force,
                     system::Residual<S, 2, Scalars>& r) {
  const math::Vec3<S> onB = at.G.R.transpose() * force;
  r.node[0] += math::joined<S>(force, math::cross<S>(at.touch.point, force));
  r.node[1] -= math::joined<S>(onB, math::cross<S>(at.onB, onB));
}

}  // namespace flexloop::mechanics
