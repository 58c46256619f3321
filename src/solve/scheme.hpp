// Parameters of the generalized-α family (docs/theory/09_time.md). Pure algebra: no element is known
// here.
//
// Motion, with a the algorithmic acceleration and h the step:
//     (1−αm) a₁ + αm a₀ = (1−αf) v'₁ + αf v'₀
//     Δq = h v₀ + h²(½−β) a₀ + h²β a₁,   v₁ = v₀ + h(1−γ) a₀ + hγ a₁                              (9.1)
// States, with w the algorithmic rate:
//     (1−δm) w₁ + δm w₀ = (1−δf) x'₁ + δf x'₀,   x₁ = x₀ + h(1−θ) w₀ + hθ w₁                      (9.2)
#pragma once

namespace flexloop::solve {

struct MotionScheme {
  double alphaM = 0.0, alphaF = 0.0, beta = 0.25, gamma = 0.5;

  // a_n approximates v' at t_n + Δα h.
  double offset() const { return alphaM - alphaF; }
  // The part of the position increment that the constraint sees at order h² (9.8).
  double startCoefficient() const { return (1.0 - 6.0 * beta - 3.0 * offset()) / 6.0; }
};

struct StateScheme {
  double deltaM = 0.0, deltaF = 0.0, theta = 0.5;

  // w_n approximates x' at t_n + Δδ h.
  double offset() const { return deltaM - deltaF; }
  // Of h³ x''' in the error of a step (9.16).
  double errorCoefficient() const {
    return offset() * (deltaM - 0.5) + theta * (offset() + 0.5) - 1.0 / 6.0;
  }
};

struct Scheme {
  MotionScheme motion;
  StateScheme state;
};

// Chung & Hulbert: order 2 with the spectral radius rho at infinite frequency, 0 ≤ rho ≤ 1.
MotionScheme makeChungHulbert(double rho);
// Hilber, Hughes & Taylor with 0 ≤ alpha ≤ 1/3; rho = (1−alpha)/(1+alpha).
MotionScheme makeHht(double alpha);
MotionScheme makeNewmark(double beta, double gamma);
// The same three formulas of Chung & Hulbert used for states.
StateScheme makeStateChungHulbert(double rho);
// Jansen, Whiting & Hulbert: both roots at infinity have the modulus rho.
StateScheme makeJansenWhitingHulbert(double rho);

// The parameters of a step that follows one of another length: with r = previous/now, these keep
// order 2 (9.6).
MotionScheme adaptToStepRatio(const MotionScheme& scheme, double r);
StateScheme adaptToStepRatio(const StateScheme& scheme, double r);

}  // namespace flexloop::solve
