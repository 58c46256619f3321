// Dry friction as a function of the speed v ≥ 0 along the direction of slip and of the load N that presses the surfaces together
// (docs/theory/32_friction.md, section 2):
//
//     (32.1)  F(v, N) = c(v) a N + f v,      c(v) = c_k + (c_s − c_k) exp(−(v/v_s)^n)
//     (32.2)  |F| ≤ c_s a N   while it sticks
//
// with the arm a of a torque (1 of a force), and N = 1 where the level is given. Without a Stribeck speed the level drops to c_k at once.
#pragma once

#include <array>
#include <cmath>

#include "math/pack.hpp"
#include "math/scalar.hpp"

namespace flexloop::mechanics {

struct ExponentialDecay {  // exp(−x)
  template <int D, class B>
  static B derivative(const B& x) {
    const B e = exponential(B(-x));
    return D % 2 == 0 ? e : B(-e);
  }
  static double exponential(double x) { return std::exp(x); }
  template <class B>
  static B exponential(const B& x) {
    return mapLanes([](double lane) { return std::exp(lane); }, x);
  }
};

struct NaturalLogarithm {
  template <int D, class B>
  static B derivative(const B& x) {
    if constexpr (D == 0) return logarithm(x);
    if constexpr (D == 1) return B(1.0 / x);
    if constexpr (D == 2) return B(-1.0 / (x * x));
    return B(2.0 / (x * x * x));
  }
  static double logarithm(double x) { return std::log(x); }
  template <class B>
  static B logarithm(const B& x) {
    return mapLanes([](double lane) { return std::log(lane); }, x);
  }
};

template <class S>
struct FrictionLaw {
  S kinetic, held;  // c_k, c_s: N, N·m or coefficients
  S arm;            // a [m] of a torque that follows from a force; else 1
  S hasStribeck;    // 1: v_s is given
  S inverseSpeed;   // 1/v_s
  S exponent;       // n
  S isLinear;       // 1: n is one
  S viscous;        // f: N·s/m, N·m·s/rad
};

// exp(−x^n). Behind the origin, where iterations may lead, an exponent of one is used for a while, so that the slope is the same on both
// sides, and others stay at one.
template <class S, class P>
S calcStribeck(const S& x, const FrictionLaw<P>& law) {
  using math::select;
  const auto isAhead = x > 0.0;
  const S safe = select(isAhead, x, S(1.0));
  const S power = math::AnalyticLift<S>::template apply<ExponentialDecay>(
      S(-(law.exponent * math::AnalyticLift<S>::template apply<NaturalLogarithm>(safe))));
  const S behind = law.isLinear * math::notBelow(x, -1.0);
  return math::AnalyticLift<S>::template apply<ExponentialDecay>(select(isAhead, power, behind));
}

// c(v) of (32.1).
template <class S, class P>
S calcLevel(const FrictionLaw<P>& law, const S& v) {
  const S decay = calcStribeck<S, P>(S(v * law.inverseSpeed), law);
  return law.kinetic + (law.hasStribeck * (law.held - law.kinetic)) * decay;
}

// (32.1).
template <class S, class P>
S calcSliding(const FrictionLaw<P>& law, const S& v, const S& load) {
  return calcLevel<S, P>(law, v) * law.arm * load + law.viscous * v;
}

// The size of a vector, without a slope where it is zero.
template <class S, std::size_t N>
S calcSize(const std::array<S, N>& v) {
  using math::select, math::sqrt;
  S sum(0.0);
  for (const S& entry : v) sum += entry * entry;
  const auto isAny = sum > 0.0;
  return select(isAny, S(sqrt(select(isAny, sum, S(1.0)))), S(0.0));
}

}  // namespace flexloop::mechanics
