// Force and strain of a beam's section at a point ξ of an element of order p
// (docs/theory/07_beams.md). Strains are most accurate at the p Gauss points ξ_g, so they are taken
// there by (7.18) and continued by the polynomial through them,
//
//     ε(ξ) = Σ_g L_g(ξ) ε(ξ_g),      σ = C (ε + η ε').                                   (7.35)
//
// At order 1 there is one such point, the strains are those of the mean section (7.7), forces are
// constant and moments linear along the element (7.5).
#pragma once

#include <array>

#include "mechanics/beams/beam_high_order.hpp"
#include "mechanics/sections/mean_section.hpp"

namespace flexloop::mechanics {

enum class SectionQuantity { kForce, kStrain };

template <int p, SectionQuantity kQuantity>
struct SectionMeasure {
  static constexpr int kNodes = p + 1, kScalars = 0, kComponents = 6;
  static constexpr std::array<const char*, 6> kNames{"axial",   "shear_y",   "shear_z",
                                                     "torsion", "bending_y", "bending_z"};

  template <class S>
  struct Parameters {
    S length;
    S damping;                             // η, seconds
    math::Mat3<S> D_A, D_B;                // section axes in the axes of the end nodes
    std::array<math::Vec6<S>, p> strain0;  // e of the unloaded shape at the Gauss points
    math::Mat6<S> map;                     // from strains to the quantity at ξ
    SectionTurn<S> turn;                   // of order 1 only
    std::array<S, p> weights;              // L_g(ξ)
  };

  template <class S, class P>
  static void calc(const Parameters<P>& parameters, const system::Local<S, kNodes, 0>& u,
                   std::array<S, kComponents>& components) {
    const auto motion = calcBeamMotion<p, S, P>(parameters.D_A, parameters.D_B, u);
    const auto rates = motion.calcRates();
    const P perJ = 2.0 / parameters.length;
    std::array<math::Vec6<S>, p> strains;
    for (int g = 0; g < p; ++g) {
      const auto& N = BeamHighOrder<p>::kShapes[g];
      const math::Vec6<S> dw = combine<S>(N.derivative, motion.d);
      const ScrewStrain<S> screw(combine<S>(N.value, motion.d));
      const math::Vec6<S> e = screw.apply(dw) * perJ;
      math::Vec6<S> rate = math::Vec6<S>::Zero();
      if constexpr (kQuantity == SectionQuantity::kForce) {
        rate = (screw.apply(combine<S>(N.derivative, rates)) +
                screw.applyRate(combine<S>(N.value, rates), dw)) *
               P(parameters.damping * perJ);
      }
      if constexpr (p == 1) {
        const MeanSection<S, P> mean(parameters.turn, parameters.strain0[g], e);
        strains[g] = mean.strain() + mean.apply(rate);
      } else {
        strains[g] = e - parameters.strain0[g] + rate;
      }
    }
    const math::Vec6<S> result = parameters.map * combine<S>(parameters.weights, strains);
    for (int i = 0; i < kComponents; ++i) components[i] = result[i];
  }
};

}  // namespace flexloop::mechanics
