// Two round shapes (docs/theory/34_contact.md, section 34.1): balls around the points of a segment p ± a of A and of q ± b of B that are
// nearest to each other. A sphere has a segment without length. With r = p − q,
//
//     (34.4)  σ = clamp((a·b b·r − b² a·r)/(a² b² − (a·b)²)),  τ = clamp((b·r + σ a·b)/b²),  σ = clamp((τ a·b − a·r)/a²)
//     (34.5)  x_A = p + σ a,  x_B = q + τ b,  l = |x_B − x_A|,  n = (x_B − x_A)/l,  δ = ρ_A + ρ_B − l,  c = x_A + (ρ_A − ½δ) n
//
// where clamp limits to ±1. Of parallel segments all points along their overlap are nearest; the middle of it is taken.
#pragma once

#include "mechanics/contacts/touch.hpp"

namespace flexloop::mechanics {

struct RoundPair {
  static constexpr const char* kType = "contact of round shapes";
  // sin² of the angle below which the lines count as parallel: there the first formula has lost its digits.
  static constexpr double kParallel = 1e-12;

  template <class S>
  struct Parameters {
    math::Vec3<S> centre_A, half_A;  // p, a in axes of A
    math::Vec3<S> centre, half_B;    // q, b in axes of B
    S radius_A, radius_B;
    S size;  // [m]
  };

  template <class S, class P>
  static Touch<S> calc(const Parameters<P>& p, const math::Frame<S>& G) {
    const math::Vec3<S> a = p.half_A.template cast<S>(), b = G.R * p.half_B;
    const math::Vec3<S> centre_A = p.centre_A.template cast<S>();
    const math::Vec3<S> centre_B = G.x + G.R * p.centre;
    const auto [sigma, tau] = findNearest<S>(a, b, centre_A - centre_B);
    const math::Vec3<S> x_A = centre_A + a * sigma;
    const math::Vec3<S> line = centre_B + b * tau - x_A;
    const S length = lengthOf<S>(line);
    Touch<S> touch;
    touch.depth = (p.radius_A + p.radius_B) - length;
    touch.normal = line / length;
    touch.point = x_A + touch.normal * S(p.radius_A - 0.5 * touch.depth);
    return touch;
  }

 private:
  template <class S>
  struct Places {
    S sigma, tau;
  };

  template <class S>
  static S clamp(const S& x) {
    return math::notAbove(math::notBelow(x, -1.0), 1.0);
  }

  // The square of a length, or one where it is zero: what is divided by it is then zero.
  template <class S>
  static S divisor(const S& square) {
    using math::select;
    return select(square > 0.0, square, S(1.0));
  }

  template <class S>
  static Places<S> findNearest(const math::Vec3<S>& a, const math::Vec3<S>& b,
                               const math::Vec3<S>& r) {
    using math::select;
    const S aa = divisor<S>(a.squaredNorm()), bb = divisor<S>(b.squaredNorm());
    const S ab = a.dot(b), ar = a.dot(r), br = b.dot(r);
    const S square = aa * bb - ab * ab;
    const auto isParallel = square < kParallel * (aa * bb);
    const S safe = select(isParallel, S(aa * bb), square);
    // The ends of the second lie at (±a·b − a·r)/a² on the first.
    const S middle = 0.5 * (clamp<S>((ab - ar) / aa) + clamp<S>((-ab - ar) / aa));
    const S first = select(isParallel, middle, clamp<S>((ab * br - bb * ar) / safe));
    const S tau = clamp<S>((br + first * ab) / bb);
    const S second = clamp<S>((tau * ab - ar) / aa);
    return {select(isParallel, first, second), tau};
  }
};

}  // namespace flexloop::mechanics
