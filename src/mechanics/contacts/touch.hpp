// Where two shapes touch (docs/theory/34_contact.md, section 34.1): in the axes of the first node A, with the frame G of the
// second node B as seen from A,
//
//     δ   depth, positive where they overlap
//     n   unit normal, from the shape of A into that of B: the direction in which B is pushed
//     c   the point at which the force acts
//
// For all shapes δ' = −n·v with v the velocity of B relative to A at c (34.2).
#pragma once

#include "math/se3.hpp"

namespace flexloop::mechanics {

template <class S>
struct Touch {
  S depth;
  math::Vec3<S> normal, point;
};

// What is shorter has no direction; the third derivative of its inverse is still a number.
inline constexpr double kShortestVector = 1e-75;

template <class S>
S lengthOf(const math::Vec3<S>& v) {
  using math::sqrt;
  return sqrt(math::notBelow(S(v.squaredNorm()), kShortestVector * kShortestVector));
}

template <class S, class Mask>
math::Vec3<S> selectVector(const Mask& mask, const math::Vec3<S>& a, const math::Vec3<S>& b) {
  using math::select;
  return math::Vec3<S>(select(mask, S(a.x()), S(b.x())), select(mask, S(a.y()), S(b.y())),
                       select(mask, S(a.z()), S(b.z())));
}

}  // namespace flexloop::mechanics
