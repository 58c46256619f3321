#include "mechanics/beam_high_order.hpp"

namespace flexloop::mechanics {

template <int p>
system::Energy BeamHighOrder<p>::energy(const Parameters<double>& parameters,
                                        const system::Local<double, kNodes, 0>& u,
                                        const system::Environment&) {
  const auto motions = calcRelativeMotions<p, double, double>(parameters.D_A, parameters.D_B, u);
  const double J = 0.5 * parameters.length;
  system::Energy energy;
  for (int g = 0; g < p; ++g) {
    const auto& N = kShapes[g];
    const ScrewStrain<double> screw(combine<double>(N.value, motions.d));
    const math::Vec6<double> strain =
        screw.apply(combine<double>(N.derivative, motions.d)) / J - parameters.strain0[g];
    energy.potential += 0.5 * kGauss.weights[g] * J * strain.dot(parameters.stiffness * strain);
  }
  return energy;
}

template struct BeamHighOrder<2>;
template struct BeamHighOrder<3>;

}  // namespace flexloop::mechanics
