// Friction of a contact that grows smoothly with the sliding speed (docs/theory/34_contact.md, section 34.8):
//
//     (34.24)  T = μ N v/√(v² + ε²),   force on B = −T,   with v in the tangent plane
//
// It remembers nothing, and what should stick creeps.
#pragma once

#include "mechanics/contacts/contact_law.hpp"
#include "mechanics/contacts/relative_contact.hpp"

namespace flexloop::mechanics {

template <class Shape>
struct SmoothFriction {
  static constexpr const char* kType = "smooth friction";
  static constexpr int kNodes = 2, kScalars = 0;
  static constexpr bool kUsesRate = true, kUsesAcceleration = false;

  template <class S>
  struct Parameters {
    typename Shape::template Parameters<S> shape;
    ContactLaw<S> law;
    S coefficient;  // μ
    S speed;        // ε [m/s]
  };

  template <class S, class P>
  static void addResidual(const Parameters<P>& p, const system::Local<S, 2, 0>& u,
                          const system::Environment&, system::Residual<S, 2, 0>& r) {
    using math::sqrt;
    const auto at = calcContactPoint<Shape, S>(p.shape, u);
    const math::Vec3<S>& n = at.touch.normal;
    const math::Vec3<S> v = at.velocity - n * S(n.dot(at.velocity));
    const LawValues<S> values = calcLaw<S, P>(p.law, at.touch.depth);
    const S normal = calcDamped<S>(values.elastic, p.law.damping, at.depthRate());
    const S share = p.coefficient * normal / sqrt(S(v.squaredNorm() + p.speed * p.speed));
    addContactForce<S>(at, v * S(-share), r);
  }
};

}  // namespace flexloop::mechanics
