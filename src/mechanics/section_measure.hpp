// Force and strain of a beam's section at a point ξ of an element of order p
// (docs/theory/07_beams.md):
//
//     ε = T(w) w'/J − ε0,      σ = C (ε + η ε'),      w = Σ N_i(ξ) d_i.                     (7.12),
//     (7.13)
//
// At order 1 both are constant along the element.
#pragma once

#include <array>

#include "mechanics/beam_high_order.hpp"

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
    S damping;                   // η, seconds
    math::Mat3<S> D_A, D_B;      // section axes in the axes of the end nodes
    math::Vec6<S> strain0;       // e of the unloaded shape at ξ
    math::Mat6<S> stiffness;     // C
    std::array<S, p + 1> N, dN;  // N_i(ξ), N_i'(ξ)
  };

  template <class S, class P>
  static void calc(const Parameters<P>& parameters, const system::Local<S, kNodes, 0>& u,
                   std::array<S, kComponents>& components) {
    const auto motions = calcRelativeMotions<p, S, P>(parameters.D_A, parameters.D_B, u);
    const math::Vec6<S> dw = combine<S>(parameters.dN, motions.d);
    const ScrewStrain<S> screw(combine<S>(parameters.N, motions.d));
    const P perJ = 2.0 / parameters.length;
    math::Vec6<S> result = screw.apply(dw) * perJ - parameters.strain0;
    if constexpr (kQuantity == SectionQuantity::kForce) {
      const math::Vec6<S> rate = screw.apply(combine<S>(parameters.dN, motions.ddot)) +
                                 screw.applyRate(combine<S>(parameters.N, motions.ddot), dw);
      result = parameters.stiffness * (result + rate * P(parameters.damping * perJ)).eval();
    }
    for (int i = 0; i < kComponents; ++i) components[i] = result[i];
  }
};

}  // namespace flexloop::mechanics
