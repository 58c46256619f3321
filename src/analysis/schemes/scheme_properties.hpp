// How a time scheme damps and delays: roots of its characteristic polynomials over a range of
// frequencies (docs/theory/11_scheme_properties.md).
#pragma once

#include <optional>
#include <vector>

#include "analysis/schemes/alternating_steps.hpp"
#include "analysis/schemes/scheme_polynomials.hpp"
#include "solve/time/scheme.hpp"

namespace flexloop::analysis {

struct FrequencyRange {
  double from = 1e-2, to = 1e4;  // Ω, steps of equal ratio between them
  int count = 241;               // 2 at least
};

// What is compared with the exact solution has a value only where the numerical one has that form:
// an oscillation sampled more than twice per period, a decay without change of sign.
struct SchemePoint {
  double frequency = 0.0;  // Ω = hω of motion and of the coupled system, hσ of states

  double motionRadius = 0.0;               // largest |z|
  std::optional<double> periodError{};     // of the period
  std::optional<double> dampingError{};    // numerical damping ratio minus ζ
  std::optional<double> amplitudeError{};  // of the amplitude after one period
  double stateRadius = 0.0;
  std::optional<double> rateError{};  // of the rate of decay
  double coupledRadius = 0.0;
};

// One value for each kind of test equation.
template <class T>
struct PerKind {
  T motion{}, state{}, coupled{};
};

struct SchemeProperties {
  PerKind<SchemePolynomial> polynomials;  // in z
  PerKind<int> order;                     // 2 if the condition (11.13) holds, else 1
  PerKind<double> radiusAtInfinity;
  PerKind<std::optional<double>> unstableFrom;  // smallest Ω of the range with a root outside
  std::vector<SchemePoint> points;
  std::vector<AlternatingRadius> alternating;
};

// Parameters must be such that a step has one solution: alphas and deltas below 1; beta, gamma,
// theta and the bandwidth positive; the position gain above −1; other gains and zeta not negative.
SchemeProperties calcSchemeProperties(const solve::Scheme& scheme, const TestSystem& system,
                                      const FrequencyRange& range);

}  // namespace flexloop::analysis
