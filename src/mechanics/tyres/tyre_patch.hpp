// Where a wheel of node B meets a road of node A (docs/theory/40_tyres.md, section 40.1). With the centre P of the wheel, its axis e
// and the unit normal n of the road, in axes of A:
//
//     (40.1)  x = e × n/|e × n|,   y = n × x,   z = x × e,   sin γ = e·n,   cos γ = |e × n|
//     (40.2)  δ = R₀ cos γ − n·(P − o),   D = P − R₀ z,   C = D + (δ/cos γ) z
//     (40.3)  N = N₀(δ) + clamp(c δ', ±N₀),   δ' = −n·v_D
//     (40.4)  v_C = v_P + (ω − (ω·e) e) × (C − P),   V_x = x·v_C,   V_sx = V_x − R_e ω·e,   V_sy = y·v_C
//     (40.5)  R_e = R_r − ρ₀ (D atan(B δ/ρ₀) + F δ/ρ₀)
//
// All velocities are relative to A.
#pragma once

#include "mechanics/contacts/contact_law.hpp"
#include "mechanics/contacts/plane_shapes.hpp"
#include "system/local.hpp"

namespace flexloop::mechanics {

template <class S>
struct WheelOnRoad {
  Plane<S> road;
  math::Vec3<S> centre, axis;  // of the wheel, axes of B
  S radius;                    // R₀ [m]
  ContactLaw<S> law;           // N₀
  S damping;                   // c [N s/m]
  S rollRadius;                // R_r [m], usually R₀
  S rollB, rollD, rollF;       // of the effective rolling radius
  S rollDepth;                 // ρ₀ [m]
  S spins;  // one: B turns with the wheel; zero: B carries a wheel that rolls freely
};

// An uneven road below the centre of the wheel: its height above the plane, and how it rises along x.
template <class S>
struct RoadHeight {
  S height, slope;
};

// Wheels that lie nearly flat have no direction of rolling. The cosine of the camber does not fall below this.
inline constexpr double kLeastCosine = 0.05;

template <class S>
struct WheelPlace {
  math::Frame<S> G;  // of B as seen from A
  math::Vec3<S> centre, axis, normal, x, y, z;
  S sine, cosine;  // of the camber γ
  S depth;         // δ
};

template <class S>
struct TyrePatch : WheelPlace<S> {
  math::Vec3<S> contact, rim;  // C, D
  S elastic, load;             // N₀, N
  S rolling;                   // V_x
  S slipX, slipY;              // V_sx, V_sy
};

template <class S>
math::Vec3<S> unitOf(const math::Vec3<S>& v) {
  return v * S(1.0 / lengthOf<S>(v));
}

template <class S, class P>
void placeOnPlane(const WheelOnRoad<P>& p, const math::Frame<S>& G, WheelPlace<S>& w) {
  w.G = G;
  w.centre = G.x + G.R * p.centre.template cast<S>();
  w.axis = G.R * p.axis.template cast<S>();
  w.normal = p.road.normal.template cast<S>();
}

// Depth and axes for the plane through `origin` with the normal w.normal.
template <class S, class P>
void placeAbove(const WheelOnRoad<P>& p, const math::Vec3<S>& origin, WheelPlace<S>& w) {
  const math::Vec3<S> across = math::cross<S>(w.axis, w.normal);
  w.cosine = lengthOf<S>(across);
  w.sine = w.axis.dot(w.normal);
  w.x = across * S(1.0 / w.cosine);
  w.y = math::cross<S>(w.normal, w.x);
  w.z = math::cross<S>(w.x, w.axis);
  w.depth = p.radius * w.cosine - w.normal.dot(w.centre - origin);
}

template <class S, class P>
WheelPlace<S> calcPlace(const WheelOnRoad<P>& p, const math::Frame<S>& G) {
  WheelPlace<S> w;
  placeOnPlane<S, P>(p, G, w);
  placeAbove<S, P>(p, p.road.origin.template cast<S>(), w);
  return w;
}

// The road below the centre of the wheel is a plane that is lifted and tilted.
template <class S, class P>
WheelPlace<S> calcPlace(const WheelOnRoad<P>& p, const math::Frame<S>& G,
                        const RoadHeight<S>& road) {
  WheelPlace<S> w;
  placeOnPlane<S, P>(p, G, w);
  const math::Vec3<S> x = unitOf<S>(math::cross<S>(w.axis, w.normal));
  const S above = w.normal.dot(w.centre - p.road.origin.template cast<S>());
  const math::Vec3<S> below = w.centre - w.normal * S(above - road.height);
  w.normal = unitOf<S>(w.normal - x * road.slope);
  placeAbove<S, P>(p, below, w);
  return w;
}

// x limited to ±bound.
template <class S>
S within(const S& x, const S& bound) {
  using math::select;
  const S above = select(x > bound, bound, x);
  const S lowest = -bound;
  return select(above < lowest, lowest, above);
}

template <class S>
S atanOf(const S& x) {
  using math::atan2;
  return atan2(x, S(1.0));
}

template <class S, class P, class Local>
TyrePatch<S> calcPatch(const WheelOnRoad<P>& p, const WheelPlace<S>& place, const Local& u) {
  using math::select;
  TyrePatch<S> t;
  static_cast<WheelPlace<S>&>(t) = place;
  const S cosine = math::notBelow(t.cosine, kLeastCosine);
  t.rim = t.centre - t.z * S(p.radius);
  t.contact = t.rim + t.z * S(t.depth / cosine);

  const math::Vec3<S> w_A = math::secondOf(u.twist[0]), w_B = math::secondOf(u.twist[1]);
  const math::Vec3<S> v_B =
      math::firstOf(u.twist[1]) + math::cross<S>(w_B, p.centre.template cast<S>());
  const math::Vec3<S> v_A = math::firstOf(u.twist[0]) + math::cross<S>(w_A, t.centre);
  const math::Vec3<S> velocity = t.G.R * v_B - v_A;
  const math::Vec3<S> turning = t.G.R * w_B - w_A;
  const S spin = turning.dot(t.axis);

  const math::Vec3<S> v_D = velocity + math::cross<S>(turning, math::Vec3<S>(t.rim - t.centre));
  t.elastic = calcLaw<S, P>(p.law, t.depth).elastic;
  t.load = t.elastic + within<S>(S(-p.damping * t.normal.dot(v_D)), t.elastic);

  const math::Vec3<S> carrier = turning - t.axis * spin;
  const math::Vec3<S> v_C = velocity + math::cross<S>(carrier, math::Vec3<S>(t.contact - t.centre));
  const S relative = math::notBelow(t.depth, 0.0) / p.rollDepth;
  const S radius = p.rollRadius -
                   p.rollDepth * (p.rollD * atanOf<S>(S(p.rollB * relative)) + p.rollF * relative);
  t.rolling = t.x.dot(v_C);
  t.slipX = p.spins * (t.rolling - radius * spin);
  t.slipY = t.y.dot(v_C);
  return t;
}

}  // namespace flexloop::mechanics
