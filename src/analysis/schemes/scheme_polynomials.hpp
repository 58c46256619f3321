// Characteristic polynomials of a time scheme (docs/theory/11_scheme_properties.md).
//
// Test equations, Ω = hω:
//     motion    q'' + 2ζω q' + ω² q = 0
//     states    x' + σ x = 0,  here hσ = Ω
//     coupled   q'' + 2ζω q' + ω² (q + x) = 0,
//               x' + σ x = σ (κp q + 2κv q'/ω),  hσ = bΩ                                         (11.7)
// A step multiplies each mode of the numerical solution by a root z of
//     P(z) = Σ Ωᵏ P_k(z) .
#pragma once

#include <vector>

#include "math/polynomial.hpp"
#include "solve/time/scheme.hpp"

namespace flexloop::analysis {

// A body on a spring whose motion is fed back as a force through a first-order lag.
struct TestSystem {
  double zeta = 0.0;          // ζ, damping ratio of the body on its spring
  double bandwidth = 1.0;     // b = σ/ω of the lag
  double positionGain = 0.0;  // κp, stiffness that the loop adds at low frequency, of the spring's
  double velocityGain = 0.2;  // κv, damping ratio that the loop would add without lag

  // Whether the solution of the coupled equations themselves decays.
  bool isStable() const;
};

enum class SchemeVariable {
  kAmplification,  // z
  kBilinear,  // p of z = (1 + p)/(1 − p): inside the unit circle is left of the imaginary axis
};

struct SchemePolynomial {
  std::vector<math::Polynomial> terms;  // P_k, of Ω⁰, Ω¹, …; the last belongs to Ω → ∞

  math::Polynomial at(double frequency) const;  // Ω
};

// (11.4), (11.5) and (11.9). In p, a degree below that in z stands for roots z = −1.
SchemePolynomial makeMotionPolynomial(const solve::MotionScheme& scheme, double zeta,
                                      SchemeVariable variable);
SchemePolynomial makeStatePolynomial(const solve::StateScheme& scheme, SchemeVariable variable);
SchemePolynomial makeCoupledPolynomial(const solve::Scheme& scheme, const TestSystem& system,
                                       SchemeVariable variable);

// Largest |z| for Ω → ∞, from the factors of the last term: their double roots are exact.
double calcRadiusAtInfinity(const solve::MotionScheme& scheme);
double calcRadiusAtInfinity(const solve::StateScheme& scheme);

}  // namespace flexloop::analysis
