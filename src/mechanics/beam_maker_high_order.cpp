#include "mechanics/beam_high_order.hpp"
#include "mechanics/beam_maker.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using system::Builder;
using system::NodeIndex;

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
    std::array<NodeIndex, order + 1> indices;
    std::array<Frame<double>, order + 1> sections;
    for (int i = 0; i <= order; ++i) {
      indices[i] = nodes[order * e + i].index;
      sections[i] = nodes[order * e + i].section;
    }
    p.length = plan.lengthOf(e);
    p.D_A = nodes[order * e].D;
    p.D_B = nodes[order * e + order].D;
    for (int g = 0; g < order; ++g) {
      p.strain0[g] = calcStrain<order>(sections, Element::kShapes[g], p.length);
    }
    set.add(beam, indices, {}, p);
  }
  builder.attach("beams", beam, {&set, first});
}

}  // namespace

void addHighOrderElements(const std::string& beam, const BeamPlan& plan,
                          const std::vector<BeamNode>& nodes, Builder& builder) {
  if (plan.mesh.order == 2) addElements<2>(beam, plan, nodes, builder);
  if (plan.mesh.order == 3) addElements<3>(beam, plan, nodes, builder);
}

}  // namespace flexloop::mechanics
