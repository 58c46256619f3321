#include "mechanics/beams/beam_mass_damping.hpp"

#include <variant>

#include "system/builder.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {

using math::Mat6;
using system::Builder;
using system::Item;

double stiffnessDampingOf(const Item& beam) {
  const double* time = std::get_if<double>(&beam.at("damping").data);
  return time != nullptr ? *time : beam.child("damping").number("stiffness", 0.0);
}

double massDampingOf(const Item& beam) {
  const bool isTime = std::holds_alternative<double>(beam.at("damping").data);
  return isTime ? 0.0 : beam.child("damping").number("mass", 0.0);
}

void addMassDamping(const Item& item, const BeamPlan& plan, const std::vector<BeamNode>& nodes,
                    Builder& builder) {
  const double a = massDampingOf(item);
  if (a == 0.0) return;
  if (!plan.consistent) {
    const std::vector<double> shares = calcShares(plan.mesh);
    auto& set = builder.elements<NodeMassDamping>();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Mat6<double> Q = math::blockTriangular<double>(nodes[i].D, math::Mat3<double>::Zero());
      const Mat6<double> mass = Q * plan.section.mass * Q.transpose();
      set.add(item.name(), {nodes[i].index}, {}, {a * plan.curve.length * shares[i] * mass});
    }
    return;
  }
  if (plan.mesh.order > 1) {
    builder.error(
        item.placeOf("damping"),
        "beams." + item.name() + ": damping by mass needs lumped inertia at orders 2 and 3",
        "remove 'inertia: consistent'");
    return;
  }
  auto& set = builder.elements<BeamMassDamping>();
  for (int e = 0; e < plan.mesh.elements(); ++e) {
    const Mat6<double> damping = a * plan.lengthOf(e) / 6.0 * plan.section.mass;
    set.add(item.name(), {nodes[e].index, nodes[e + 1].index}, {},
            {nodes[e].D, nodes[e + 1].D, damping});
  }
}

}  // namespace flexloop::mechanics
