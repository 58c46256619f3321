#include "analysis/schemes/scheme_polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "linalg/roots/polynomial_roots.hpp"

namespace flexloop::analysis {
namespace {

using math::Polynomial;

// The factors of (11.4): z − 1 and A, F, G, N in z, or 2p and (11.11) in p.
struct MotionFactors {
  Polynomial shift, A, F, G, N;
};

// The factors of (11.5).
struct StateFactors {
  Polynomial shift, D, E, T;
};

// (1 − weight) z + weight, where the old value has the weight.
Polynomial makeMean(double weight, SchemeVariable variable) {
  if (variable == SchemeVariable::kAmplification) return {{weight, 1.0 - weight}};
  return {{1.0, 1.0 - 2.0 * weight}};
}

Polynomial makeShift(SchemeVariable variable) {
  if (variable == SchemeVariable::kAmplification) return {{-1.0, 1.0}};
  return {{0.0, 2.0}};
}

MotionFactors makeFactors(const solve::MotionScheme& s, SchemeVariable variable) {
  const bool inZ = variable == SchemeVariable::kAmplification;
  return {.shift = makeShift(variable),
          .A = makeMean(s.alphaM, variable),
          .F = makeMean(s.alphaF, variable),
          .G = makeMean(1.0 - s.gamma, variable),
          .N = inZ ? Polynomial{{0.5 + s.beta - s.gamma, 0.5 - 2.0 * s.beta + s.gamma, s.beta}}
                   : Polynomial{{1.0, 2.0 * s.gamma - 1.0, 4.0 * s.beta - 2.0 * s.gamma}}};
}

StateFactors makeFactors(const solve::StateScheme& s, SchemeVariable variable) {
  return {.shift = makeShift(variable),
          .D = makeMean(s.deltaM, variable),
          .E = makeMean(s.deltaF, variable),
          .T = makeMean(1.0 - s.theta, variable)};
}

// Largest |z| of a polynomial in y = z − 1.
double largestModulus(const Polynomial& inY) {
  double largest = 0.0;
  for (const std::complex<double>& y : linalg::calcRoots(inY)) {
    largest = std::max(largest, std::abs(1.0 + y));
  }
  return largest;
}

}  // namespace

bool TestSystem::isStable() const {
  // Routh's conditions for (s² + 2ζs + 1)(s + b) + b(κp + 2κv s), time in 1/ω.
  const double c2 = 2.0 * zeta + bandwidth;
  const double c1 = 1.0 + 2.0 * (zeta + velocityGain) * bandwidth;
  const double c0 = bandwidth * (1.0 + positionGain);
  return c2 > 0.0 && c0 > 0.0 && c2 * c1 > c0;
}

Polynomial SchemePolynomial::at(double frequency) const {
  Polynomial sum;
  double power = 1.0;
  for (const Polynomial& term : terms) {
    sum = sum + power * term;
    power *= frequency;
  }
  return sum;
}

SchemePolynomial makeMotionPolynomial(const solve::MotionScheme& scheme, double zeta,
                                      SchemeVariable variable) {
  const MotionFactors f = makeFactors(scheme, variable);
  return {{f.shift * f.shift * f.A, 2.0 * zeta * (f.shift * f.F * f.G), f.F * f.N}};
}

SchemePolynomial makeStatePolynomial(const solve::StateScheme& scheme, SchemeVariable variable) {
  const StateFactors f = makeFactors(scheme, variable);
  return {{f.shift * f.D, f.E * f.T}};
}

SchemePolynomial makeCoupledPolynomial(const solve::Scheme& scheme, const TestSystem& system,
                                       SchemeVariable variable) {
  const auto motion = makeMotionPolynomial(scheme.motion, system.zeta, variable).terms;
  const auto closed =
      makeMotionPolynomial(scheme.motion, system.zeta + system.velocityGain, variable).terms;
  const auto state = makeStatePolynomial(scheme.state, variable).terms;
  const double b = system.bandwidth, stiffness = 1.0 + system.positionGain;
  return {{state[0] * motion[0], state[0] * motion[1] + b * (state[1] * closed[0]),
           state[0] * motion[2] + b * (state[1] * closed[1]),
           b * stiffness * (state[1] * closed[2])}};
}

// In y = z − 1 the factors are as exact as the parameters, and so are their double roots.
double calcRadiusAtInfinity(const solve::MotionScheme& scheme) {
  const Polynomial F{{1.0, 1.0 - scheme.alphaF}}, N{{1.0, scheme.gamma + 0.5, scheme.beta}};
  return std::max(largestModulus(F), largestModulus(N));
}

double calcRadiusAtInfinity(const solve::StateScheme& scheme) {
  const Polynomial E{{1.0, 1.0 - scheme.deltaF}}, T{{1.0, scheme.theta}};
  return std::max(largestModulus(E), largestModulus(T));
}

}  // namespace flexloop::analysis
