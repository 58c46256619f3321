#include "solve/time/step_carry.hpp"

namespace flexloop::solve {
namespace {

struct Carry {
  double gamma = 0.0;  // what is added to γ or θ
  double stored = 0.0;
};

Carry calcCarry(double alphaM, double alphaF, const StepLength& step) {
  const double h = step.h, H = 0.5 * (step.nominal0 + step.nominal1);
  const double change = step.nominal1 - step.nominal0;
  const double stretch = h / (h + (alphaM - alphaF) * change);
  const double f = (0.5 - alphaF) * H, m = (0.5 - alphaM) * H * stretch;
  const double df = (0.5 - alphaF) * change;
  const double stored = -df * f / (h * (0.5 * h + f));
  return {(f * (stretch - 1.0) + df * m / h) / h + stored * (0.5 + m / h), stored};
}

}  // namespace

StepCarry carryOver(const Scheme& scheme, const StepLength& step, Scheme& adapted) {
  if (step.nominal0 == step.nominal1) return {};
  const Carry motion = calcCarry(scheme.motion.alphaM, scheme.motion.alphaF, step);
  const Carry state = calcCarry(scheme.state.deltaM, scheme.state.deltaF, step);
  adapted.motion.gamma += motion.gamma;
  adapted.motion.beta += 0.5 * motion.gamma;
  adapted.state.theta += state.gamma;
  return {motion.stored, state.stored};
}

}  // namespace flexloop::solve
