#include "solve/time/scheme.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {

namespace {

// Of the logarithm by which fast modes decay in a step, what the lag may change by in it.
constexpr double kLagShare = 0.5;
constexpr double kLargestGrowth = 0.5;  // of the lag, as a share of the step

}  // namespace

MotionScheme makeChungHulbert(double rho) {
  MotionScheme s;
  s.alphaM = (2.0 * rho - 1.0) / (rho + 1.0);
  s.alphaF = rho / (rho + 1.0);
  s.gamma = 0.5 - s.offset();
  s.beta = 0.25 * (s.gamma + 0.5) * (s.gamma + 0.5);
  return s;
}

MotionScheme makeHht(double alpha) {
  return {0.0, alpha, 0.25 * (1.0 + alpha) * (1.0 + alpha), 0.5 + alpha};
}

MotionScheme makeNewmark(double beta, double gamma) {
  return {0.0, 0.0, beta, gamma};
}

StateScheme makeStateChungHulbert(double rho) {
  const MotionScheme s = makeChungHulbert(rho);
  return {s.alphaM, s.alphaF, s.gamma};
}

StateScheme makeJansenWhitingHulbert(double rho) {
  const double deltaM = (3.0 * rho - 1.0) / (2.0 * (1.0 + rho));
  const double deltaF = rho / (1.0 + rho);
  return {deltaM, deltaF, 0.5 + deltaF - deltaM};
}

double StateScheme::filterError() const {
  const double m = 0.5 - deltaM, f = 0.5 - deltaF, g = theta - 0.5;
  return g * f - m * (g + f) + m * m;
}

namespace {

// With the offset Δ of the scheme, a₀ belongs to t₀ + ΔH₀ and a₁ to t₁ + ΔH₁.
double distance(double offset, const StepLength& step) {
  return step.h + offset * (step.nominal1 - step.nominal0);
}

double meanNominal(const StepLength& step) {
  return 0.5 * (step.nominal0 + step.nominal1);
}

}  // namespace

MotionScheme adaptToStep(const MotionScheme& scheme, const StepLength& step) {
  if (step.h == step.nominal0 && step.h == step.nominal1) return scheme;
  const double H = meanNominal(step);
  const double ratio = H / distance(scheme.offset(), step);
  MotionScheme adapted;
  adapted.alphaM = 0.5 + (scheme.alphaM - 0.5) * ratio;
  adapted.alphaF = 0.5 + (scheme.alphaF - 0.5) * H / step.h;
  adapted.gamma = 0.5 + (scheme.gamma - 0.5) * ratio;
  adapted.beta = 0.5 * adapted.gamma + scheme.filterError() * ratio * ratio;
  return adapted;
}

StateScheme adaptToStep(const StateScheme& scheme, const StepLength& step) {
  if (step.h == step.nominal0 && step.h == step.nominal1) return scheme;
  const double H = meanNominal(step);
  const double ratio = H / distance(scheme.offset(), step);
  StateScheme adapted;
  adapted.deltaM = 0.5 + (scheme.deltaM - 0.5) * ratio;
  adapted.deltaF = 0.5 + (scheme.deltaF - 0.5) * H / step.h;
  adapted.theta = 0.5 + (scheme.theta - 0.5) * ratio;
  return adapted;
}

Scheme adaptToStep(const Scheme& scheme, const StepLength& step) {
  return {adaptToStep(scheme.motion, step), adaptToStep(scheme.state, step)};
}

double followNominal(const Scheme& scheme, double h, double nominal, double wish) {
  const double share = std::max(scheme.motion.gamma, scheme.state.theta) - 0.5;
  if (share <= 0.0 || wish == nominal) return wish;
  const double lag = share * nominal;
  const double decay = std::min(std::log((h + lag) / std::abs(h - lag)), std::log(2.0));
  const double most = std::exp(kLagShare * decay);
  // A lag that grows faster than time would turn the step round.
  const double longest = std::min(most * nominal, nominal + kLargestGrowth * h / share);
  return std::clamp(wish, nominal / most, longest);
}

}  // namespace flexloop::solve
