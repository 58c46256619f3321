#include "mechanics/beams/beam_layout.hpp"

#include <algorithm>
#include <cmath>

#include "mechanics/sections/section_parameters.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {
namespace {

using system::Elements;
using system::ElementSet;

template <int p, class Element, class Use>
bool visitAs(const ElementSet& set, const Use& use) {
  const auto* elements = dynamic_cast<const Elements<Element>*>(&set);
  if (elements == nullptr) return false;
  use(std::integral_constant<int, p>(), *elements);
  return true;
}

// Calls `use` with the order and the typed set; false if it is none of beams.
template <class Use>
bool visitBeams(const ElementSet& set, const Use& use) {
  return visitAs<1, BeamElement<BeamInertia::kNone>>(set, use) ||
         visitAs<1, BeamElement<BeamInertia::kConsistent>>(set, use) ||
         visitAs<2, BeamHighOrder<2>>(set, use) || visitAs<3, BeamHighOrder<3>>(set, use);
}

// Where the nodes of an element are, from 0 to 1.
template <int p>
double nodeShare(int k) {
  return 0.5 * (1.0 + math::lobattoPoints<p + 1>().points[k]);
}

template <int p, class Set>
void addElement(const Set& set, int e, BeamLayout& beam) {
  const auto& parameters = set.parameters(e);
  if (beam.nodes.empty()) {
    beam.nodes.push_back(set.node(e, 0));
    beam.axes.push_back(parameters.D_A);
    beam.fractions.push_back(0.0);
  }
  for (int k = 1; k <= p; ++k) {
    beam.nodes.push_back(set.node(e, k));
    beam.axes.push_back(k == p ? parameters.D_B : math::Mat3<double>::Identity());
    beam.fractions.push_back(beam.length + parameters.length * nodeShare<p>(k));
  }
  beam.length += parameters.length;
}

template <int p, class Set>
void addBeams(const Set& set, std::vector<BeamLayout>& beams) {
  for (int e = 0; e < set.size(); ++e) {
    if (e == 0 || set.name(e) != set.name(e - 1)) {
      beams.emplace_back();
      beams.back().name = set.name(e);
      beams.back().order = p;
      beams.back().set = &set;
      beams.back().firstElement = e;
    }
    addElement<p>(set, e, beams.back());
  }
}

template <SectionQuantity kQuantity, int p, class Set>
math::Vec6<double> calcQuantity(const Set& set, int element, double xi,
                                const system::Local<double, p + 1, 0>& local) {
  using Measure = SectionMeasure<p, kQuantity>;
  std::array<double, 6> components;
  Measure::template calc<double, double>(
      makeSectionParameters<kQuantity, p>(set.parameters(element), xi), local, components);
  return Eigen::Map<const math::Vec6<double>>(components.data());
}

template <int p, class Set>
SectionState calcState(const Set& set, int element, double xi,
                       const std::vector<math::Frame<double>>& frames) {
  system::Local<double, p + 1, 0> local;
  for (int k = 0; k <= p; ++k) {
    local.frame[k] = frames[set.node(element, k).value];
    local.twist[k].setZero();
    local.twistRate[k].setZero();
  }
  return {calcQuantity<SectionQuantity::kForce, p>(set, element, xi, local),
          calcQuantity<SectionQuantity::kStrain, p>(set, element, xi, local)};
}

}  // namespace

bool isBeam(const ElementSet& set) {
  return visitBeams(set, [](auto, const auto&) {});
}

system::NodeIndex BeamLayout::nodeNear(double fraction) const {
  const auto nearest = std::min_element(
      fractions.begin(), fractions.end(),
      [&](double a, double b) { return std::abs(a - fraction) < std::abs(b - fraction); });
  return nodes[nearest - fractions.begin()];
}

std::vector<BeamLayout> findBeams(const system::System& system) {
  std::vector<BeamLayout> beams;
  for (const auto& set : system.sets()) {
    visitBeams(*set, [&](auto order, const auto& elements) {
      addBeams<decltype(order)::value>(elements, beams);
    });
  }
  for (BeamLayout& beam : beams) {
    for (double& fraction : beam.fractions) fraction /= beam.length;
  }
  return beams;
}

SectionState calcSectionState(const BeamLayout& beam, int segment,
                              const std::vector<math::Frame<double>>& frames) {
  SectionState state;
  visitBeams(*beam.set, [&](auto order, const auto& elements) {
    constexpr int p = decltype(order)::value;
    const int k = segment % p;
    const double xi = nodeShare<p>(k) + nodeShare<p>(k + 1) - 1.0;
    state = calcState<p>(elements, beam.firstElement + segment / p, xi, frames);
  });
  return state;
}

}  // namespace flexloop::mechanics
