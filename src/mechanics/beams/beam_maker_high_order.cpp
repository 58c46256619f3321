#include "mechanics/beams/beam_high_order.hpp"
#include "mechanics/beams/beam_inertia_high_order.hpp"
#include "mechanics/beams/beam_maker.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using system::Builder;
using system::NodeIndex;

template <int order>
std::array<NodeIndex, order + 1> nodesOf(int element, const std::vector<BeamNode>& nodes) {
  std::array<NodeIndex, order + 1> indices;
  for (int i = 0; i <= order; ++i) indices[i] = nodes[order * element + i].index;
  return indices;
}

template <int order>
void addElements(const std::string& beam, const BeamPlan& plan, const std::vector<BeamNode>& nodes,
                 Builder& builder) {
  using Element = BeamHighOrder<order>;
  auto& set = builder.elements<Element>();
  const int first = set.size();
  typename Element::template Parameters<double> p;
  p.damping = plan.damping;
  p.stiffness = plan.section.stiffness;
  for (int e = 0; e < plan.mesh.elements(); ++e) {
    std::array<Frame<double>, order + 1> sections;
    for (int i = 0; i <= order; ++i) sections[i] = nodes[order * e + i].section;
    p.length = plan.lengthOf(e);
    p.D_A = nodes[order * e].D;
    p.D_B = nodes[order * e + order].D;
    for (int g = 0; g < order; ++g) {
      p.strain0[g] = calcStrain<order>(sections, Element::kShapes[g], p.length);
    }
    set.add(beam, nodesOf<order>(e, nodes), {}, p);
  }
  builder.attach("beams", beam, {&set, first, plan.mesh.elements()});
}

template <int order>
void addInertia(const std::string& beam, const BeamPlan& plan, const std::vector<BeamNode>& nodes,
                Builder& builder) {
  auto& set = builder.elements<BeamInertiaHighOrder<order>>();
  builder.attach("beams", beam + std::string(kInertiaPart),
                 {&set, set.size(), plan.mesh.elements()});
  for (int e = 0; e < plan.mesh.elements(); ++e) {
    set.add(beam, nodesOf<order>(e, nodes), {},
            {plan.lengthOf(e), nodes[order * e].D, nodes[order * e + order].D, plan.section.mass});
  }
}

}  // namespace

void addHighOrderElements(const std::string& beam, const BeamPlan& plan,
                          const std::vector<BeamNode>& nodes, Builder& builder) {
  if (plan.mesh.order == 2) addElements<2>(beam, plan, nodes, builder);
  if (plan.mesh.order == 3) addElements<3>(beam, plan, nodes, builder);
}

void addHighOrderInertia(const std::string& beam, const BeamPlan& plan,
                         const std::vector<BeamNode>& nodes, Builder& builder) {
  if (plan.mesh.order == 2) addInertia<2>(beam, plan, nodes, builder);
  if (plan.mesh.order == 3) addInertia<3>(beam, plan, nodes, builder);
}

}  // namespace flexloop::mechanics
