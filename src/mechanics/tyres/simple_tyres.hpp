// Two tyres of few numbers (docs/theory/40_tyres.md, section 40.4). With the slip s = (κ, −tan α), the stiffnesses C of both directions,
// the friction μ and q = |(C_x κ, C_y tan α)|/(μ N),
//
//     (40.23) F = μ N tanh(q) e                                    TanhTyre
//     (40.24) F = μ N (1 − (1 − w)³) e,   w = min(q/(3 (1 + κ)), 1),   M_z = −t F_y,   t = (l/6) (1 − w)³/(1 − w + w²/3)   BrushTyre
//
// in the direction e of (C_x κ, −C_y tan α), with the length l of the contact.
#pragma once

#include <cmath>

#include "mechanics/tyres/tyre_grip.hpp"

namespace flexloop::mechanics {

struct HyperbolicTangent {
  template <int D, class B>
  static B derivative(const B& x) {
    if constexpr (std::is_same_v<B, double>) {
      return of<D>(x);
    } else {
      return math::mapLanes([](double lane) { return of<D>(lane); }, x);
    }
  }
  template <int D>
  static double of(double x) {
    const double t = std::tanh(x), fall = 1.0 - t * t;
    if constexpr (D == 0) return t;
    if constexpr (D == 1) return fall;
    if constexpr (D == 2) return -2.0 * t * fall;
    return fall * (6.0 * t * t - 2.0);
  }
};

template <class S>
struct SimpleParameters {
  S stiffnessX, stiffnessY;    // [N], per κ and per tan α
  S friction;                  // μ
  S relaxationX, relaxationY;  // [m]
  S resistance;                // rolling resistance over load
  S radius;                    // R₀ [m]
  S length;                    // l [m]
};

// Of the slip at which a tyre slides: without load it would be zero.
inline constexpr double kLeastSlide = 1e-3;

template <class Law>
struct SimpleTyre {
  template <class S>
  using Parameters = SimpleParameters<S>;

  template <class S, class P>
  static Relaxation<S> calcRelaxation(const Parameters<P>& p, const S& load, const S&) {
    const S limit = p.friction * load;
    return {S(p.relaxationX), S(p.relaxationY),
            math::notBelow(S(limit / p.stiffnessX), kLeastSlide),
            math::notBelow(S(limit / p.stiffnessY), kLeastSlide)};
  }

  template <class S, class P>
  static TyreForces<S> calcForces(const Parameters<P>& p, const TyreSlip<S>& slip) {
    using math::sqrt;
    const S along = p.stiffnessX * slip.ratio, across = -p.stiffnessY * slip.tangent;
    const S square =
        math::notBelow(S(along * along + across * across), kShortestVector * kShortestVector);
    const S pull = sqrt(square);
    // What has no load has no force. The smallest number keeps the ratio finite.
    const S limit = math::notBelow(S(p.friction * slip.load), kShortestVector);
    TyreForces<S> f;
    S trail;
    const S size = Law::template calc<S, P>(p, S(pull / limit), slip.ratio, trail);
    const S share = p.friction * slip.load * size / pull;
    f.Fx = share * along;
    f.Fy = share * across;
    f.Mx = S(0.0);
    f.My = -slip.load * p.radius * p.resistance * slip.sense;
    f.Mz = -trail * f.Fy * slip.sense;
    return f;
  }
};

struct TanhLaw {
  template <class S, class P>
  static S calc(const SimpleParameters<P>&, const S& q, const S&, S& trail) {
    trail = S(0.0);
    return math::AnalyticLift<S>::template apply<HyperbolicTangent>(q);
  }
};

struct BrushLaw {
  template <class S, class P>
  static S calc(const SimpleParameters<P>& p, const S& q, const S& ratio, S& trail) {
    using math::select;
    const S speed = 3.0 * (1.0 + ratio);  // of the tread, by that of the road
    const auto isSliding = !(q < speed);
    const S w = select(isSliding, S(1.0), S(q / select(isSliding, S(1.0), speed)));
    const S left = 1.0 - w;
    const S cube = left * left * left;
    trail = (p.length / 6.0) * cube / (left + w * w * (1.0 / 3.0));
    return 1.0 - cube;
  }
};

using TanhTyre = SimpleTyre<TanhLaw>;
using BrushTyre = SimpleTyre<BrushLaw>;

}  // namespace flexloop::mechanics
