// The parameters of a section's force or strain at a point of an element.
#pragma once

#include "mechanics/beams/beam_element.hpp"
#include "mechanics/sections/section.hpp"
#include "mechanics/sensors/section_measure.hpp"

namespace flexloop::mechanics {

template <SectionQuantity kQuantity, int p>
math::Mat6<double> calcSectionMap(const math::Mat6<double>& stiffness, double length, double xi) {
  constexpr bool kForce = kQuantity == SectionQuantity::kForce;
  if constexpr (p == 1) {
    const double s = 0.5 * length * xi;
    return kForce ? calcForceMap(stiffness, s) : calcStrainMap(stiffness, length, s);
  } else {
    return kForce ? stiffness : math::Mat6<double>::Identity();
  }
}

// From the parameters of a BeamElement (p = 1) or a BeamHighOrder<p>; xi from −1 to 1.
template <SectionQuantity kQuantity, int p, class ElementParameters>
auto makeSectionParameters(const ElementParameters& element, double xi) {
  typename SectionMeasure<p, kQuantity>::template Parameters<double> parameters;
  parameters.length = element.length;
  parameters.damping = element.damping;
  parameters.D_A = element.D_A;
  parameters.D_B = element.D_B;
  if constexpr (p == 1) {
    parameters.strain0[0] = element.strain0;
    parameters.turn = element.turn;
  } else {
    parameters.strain0 = element.strain0;
    parameters.turn = {};
  }
  parameters.map = calcSectionMap<kQuantity, p>(element.stiffness, element.length, xi);
  parameters.weights = math::calcLagrange<p>(math::gaussPoints<p>().points, xi).value;
  return parameters;
}

}  // namespace flexloop::mechanics
