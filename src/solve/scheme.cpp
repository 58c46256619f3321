#include "solve/scheme.hpp"

namespace flexloop::solve {

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

namespace {

// With Δ the offset and r = h_previous/h: the stored a₀ belongs to t₀ + Δ h_previous.
double scaleFor(double offset, double r) {
  return 1.0 + offset * (1.0 - r);
}

}  // namespace

MotionScheme adaptToStepRatio(const MotionScheme& scheme, double r) {
  MotionScheme adapted = scheme;
  const double scale = scaleFor(scheme.offset(), r);
  // Only the order-2 member of the family has γ = ½ − Δα; others keep their own first-order excess.
  const double excess = scheme.gamma - (0.5 - scheme.offset());
  adapted.alphaM = scheme.alphaM / scale;
  adapted.gamma = (0.5 - scheme.offset() * r) / scale + excess;
  return adapted;
}

StateScheme adaptToStepRatio(const StateScheme& scheme, double r) {
  StateScheme adapted = scheme;
  const double scale = scaleFor(scheme.offset(), r);
  const double excess = scheme.theta - (0.5 - scheme.offset());
  adapted.deltaM = scheme.deltaM / scale;
  adapted.theta = (0.5 - scheme.offset() * r) / scale + excess;
  return adapted;
}

}  // namespace flexloop::solve
