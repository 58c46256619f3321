// Parameters of the generalized-α family (docs/theory/09_time.md). Pure algebra: no element is known
// here.
//
// Motion, with a the algorithmic acceleration and h the step:
//     (1−αm) a₁ + αm a₀ = (1−αf) v'₁ + αf v'₀
//     Δq = h v₀ + h²(½−β) a₀ + h²β a₁,   v₁ = v₀ + h(1−γ) a₀ + hγ a₁                              (9.1)
// States, with w the algorithmic rate:
//     (1−δm) w₁ + δm w₀ = (1−δf) x'₁ + δf x'₀,   x₁ = x₀ + h(1−θ) w₀ + hθ w₁                      (9.2)
//
// The parameters belong to steps of one length, the nominal step H. What is constant in a run is not they but
// the times (½−αm)H, (½−αf)H, (γ−½)H by which the scheme filters: a step of any other length h has the
// parameters that leave those times as they are (9.7), so that no sequence of steps can excite it.
#pragma once

namespace flexloop::solve {

struct MotionScheme {
  double alphaM = 0.0, alphaF = 0.0, beta = 0.25, gamma = 0.5;

  // a_n approximates v' at t_n + Δα h.
  double offset() const { return alphaM - alphaF; }
  // c of C = h²/12 + c H², the error constant of positions and normal velocities (9.10).
  double filterError() const { return beta - 0.5 * gamma; }
  // Whether a is v' itself, as with the trapezoidal rule: nothing is remembered, and nothing damped.
  bool hasNoLag() const { return offset() == 0.0 && gamma == 0.5 && filterError() == 0.0; }
};

struct StateScheme {
  double deltaM = 0.0, deltaF = 0.0, theta = 0.5;

  // w_n approximates x' at t_n + Δδ h.
  double offset() const { return deltaM - deltaF; }
  // c of C = h²/12 + c H², the error constant of states (9.20).
  double filterError() const;
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

// A step: its length, and the nominal step before and after it, which differ only where steps adapt.
struct StepLength {
  double h = 0.0, nominal0 = 0.0, nominal1 = 0.0;
  bool operator==(const StepLength&) const = default;
};

// The parameters of a step, from those of steps of the nominal length (9.7), (9.26).
MotionScheme adaptToStep(const MotionScheme& scheme, const StepLength& step);
StateScheme adaptToStep(const StateScheme& scheme, const StepLength& step);
Scheme adaptToStep(const Scheme& scheme, const StepLength& step);

// The nominal step after a step of length h that wishes for another one: as near to the wish as the decay of
// fast modes in the step allows (9.25).
double followNominal(const Scheme& scheme, double h, double nominal, double wish);

}  // namespace flexloop::solve
