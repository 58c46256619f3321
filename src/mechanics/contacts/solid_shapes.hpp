// A ball of B on a solid of A, and a pin of B in a bore of A (docs/theory/34_contact.md, section 34.1). With the centre x of the ball as seen from the middle o of the
// solid, in its own axes, and the excess g_i of x over each of its faces,
//
//     (34.6)  outside:  l = |(g)₊|,   inside:  l = max g_i;    n along the gradient of l,   δ = ρ − l,   c = x − (l + ½ δ) n
//
// The faces of a box are g_i = |x_i| − h_i, those of a cylinder √(x₁² + x₂²) − R and |x₃| − ½ L. In a bore with the axis a, of which r is the radial part of x,
//
//     (34.7)  δ = |r| − (R − ρ),   n = −r/|r|,   c = x + (ρ − ½ δ) r/|r|
#pragma once

#include "mechanics/contacts/touch.hpp"

namespace flexloop::mechanics {

template <class S>
S magnitude(const S& x) {
  using math::select;
  return select(x < 0.0, S(-x), x);
}

// A vector that has no direction counts as one along the first axis.
template <class S>
math::Vec3<S> unitOf(const math::Vec3<S>& v, const S& length) {
  return selectVector<S>(length > kShortestVector, math::Vec3<S>(v / length),
                         math::Vec3<S>(S(1.0), S(0.0), S(0.0)));
}

// What both solids have in common: up to three faces, each with the excess and the outer normal.
template <class S, int kFaces>
Touch<S> touchSolid(const std::array<S, kFaces>& excess,
                    const std::array<math::Vec3<S>, kFaces>& outward, const math::Vec3<S>& x,
                    const S& radius) {
  using math::select;
  math::Vec3<S> out = math::Vec3<S>::Constant(S(0.0));
  S deepest = excess[0];
  math::Vec3<S> inner = outward[0];
  for (int i = 0; i < kFaces; ++i) {
    out += outward[i] * math::notBelow(excess[i], 0.0);
    const auto isNearer = excess[i] > deepest;
    inner = selectVector<S>(isNearer, outward[i], inner);
    deepest = select(isNearer, excess[i], deepest);
  }
  const auto isOutside = deepest > 0.0;
  const S length = lengthOf<S>(out);
  const S distance = select(isOutside, length, deepest);
  Touch<S> touch;
  touch.normal = selectVector<S>(isOutside, unitOf<S>(out, length), inner);
  touch.depth = radius - distance;
  touch.point = x - touch.normal * S(distance + 0.5 * touch.depth);
  return touch;
}

struct BallOnBox {
  static constexpr const char* kType = "contact with a box";

  template <class S>
  struct Parameters {
    math::Vec3<S> middle, half;  // of the box, axes of A, along which its edges are
    math::Vec3<S> centre;        // of the ball, axes of B
    S radius;                    // of the ball
    S size;                      // [m]
  };

  template <class S, class P>
  static Touch<S> calc(const Parameters<P>& p, const math::Frame<S>& G) {
    using math::select;
    const math::Vec3<S> x = G.x + G.R * p.centre;
    const math::Vec3<S> from = x - p.middle;
    std::array<S, 3> excess;
    std::array<math::Vec3<S>, 3> outward;
    for (int i = 0; i < 3; ++i) {
      excess[i] = magnitude<S>(from[i]) - p.half[i];
      outward[i] = math::Vec3<S>::Constant(S(0.0));
      outward[i][i] = select(from[i] < 0.0, S(-1.0), S(1.0));
    }
    return touchSolid<S, 3>(excess, outward, x, S(p.radius));
  }
};

struct BallOnCylinder {
  static constexpr const char* kType = "contact with a cylinder";

  template <class S>
  struct Parameters {
    math::Vec3<S> middle, axis;  // of the cylinder, axes of A
    S outer, half;               // R and ½ L of it
    math::Vec3<S> centre;        // of the ball, axes of B
    S radius;                    // of the ball
    S size;                      // [m]
  };

  template <class S, class P>
  static Touch<S> calc(const Parameters<P>& p, const math::Frame<S>& G) {
    using math::select;
    const math::Vec3<S> x = G.x + G.R * p.centre;
    const math::Vec3<S> axis = p.axis.template cast<S>();
    const math::Vec3<S> from = x - p.middle;
    const S along = axis.dot(from);
    const math::Vec3<S> across = from - axis * along;
    const S distance = lengthOf<S>(across);
    const S side = select(along < 0.0, S(-1.0), S(1.0));
    return touchSolid<S, 2>({S(distance - p.outer), S(side * along - p.half)},
                            {unitOf<S>(across, distance), math::Vec3<S>(axis * side)}, x,
                            S(p.radius));
  }
};

// The middle of one end of the pin in a bore without ends.
struct PinInBore {
  static constexpr const char* kType = "contact in a bore";

  template <class S>
  struct Parameters {
    math::Vec3<S> origin, axis;  // a point of the axis of the bore, and its direction, axes of A
    S bore;                      // R
    math::Vec3<S> centre;        // axes of B
    S radius;                    // ρ of the pin
    S size;                      // [m]
  };

  template <class S, class P>
  static Touch<S> calc(const Parameters<P>& p, const math::Frame<S>& G) {
    const math::Vec3<S> x = G.x + G.R * p.centre;
    const math::Vec3<S> axis = p.axis.template cast<S>();
    const math::Vec3<S> from = x - p.origin;
    const math::Vec3<S> across = from - axis * S(axis.dot(from));
    const S distance = lengthOf<S>(across);
    const math::Vec3<S> outward = unitOf<S>(across, distance);
    Touch<S> touch;
    touch.depth = distance - (p.bore - p.radius);
    touch.normal = -outward;
    touch.point = x + outward * S(p.radius - 0.5 * touch.depth);
    return touch;
  }
};

}  // namespace flexloop::mechanics
