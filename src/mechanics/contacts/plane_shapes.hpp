// A convex shape of B on a plane of A through the point o with the unit normal m (docs/theory/34_contact.md, section 34.1). The force
// acts at the deepest point of the shape:
//
//     (34.3)  x = G p,   w = Q Rᵀm,   h = √(m·R w),   δ = h − m·(x − o),   c = x − R w/h
//
// with Q = E diag(a², b², c²) Eᵀ in axes of B. A ball has Q = ρ² I, a corner Q = 0, and a disc is an ellipsoid that is very flat.
#pragma once

#include "mechanics/contacts/touch.hpp"

namespace flexloop::mechanics {

template <class S>
struct Plane {
  math::Vec3<S> origin, normal;  // axes of A
};

struct EllipsoidOnPlane {
  static constexpr const char* kType = "contact with a plane";

  template <class S>
  struct Parameters {
    Plane<S> plane;
    math::Vec3<S> centre;   // p, axes of B
    math::Mat3<S> squares;  // Q [m²]
    S size;                 // [m] of the whole shape
  };

  template <class S, class P>
  static Touch<S> calc(const Parameters<P>& p, const math::Frame<S>& G) {
    using math::sqrt;
    const math::Vec3<S> x = G.x + G.R * p.centre;
    const math::Vec3<S> m = p.plane.normal.template cast<S>();
    const math::Vec3<S> m_B = G.R.transpose() * m;
    const math::Vec3<S> w = p.squares * m_B;
    const S h = sqrt(math::notBelow(S(m_B.dot(w)), kShortestVector * kShortestVector));
    const math::Vec3<S> from = x - p.plane.origin;
    return {S(h - m.dot(from)), m, x - G.R * math::Vec3<S>(w / h)};
  }
};

}  // namespace flexloop::mechanics
