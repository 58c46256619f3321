#include "mechanics/beams/beam_maker.hpp"

#include <string>
#include <vector>

#include "mechanics/beams/beam_element.hpp"
#include "mechanics/beams/beam_mass_damping.hpp"
#include "mechanics/bodies/inertia.hpp"
#include "mechanics/sections/section.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"

namespace flexloop::mechanics {
namespace {

using math::cross;
using math::Frame;
using math::Mat3;
using math::Mat6;
using math::Vec3;
using math::Vec6;
using system::Builder;
using system::NodeIndex;

// The velocity of a point that moves with the node as one body, ground axes.
Vec6<double> velocityAt(const Vec3<double>& point, NodeIndex node, const Builder& builder) {
  const Frame<double>& frame = builder.frame(node);
  const Vec6<double> twist = builder.twist(node);
  const Vec3<double> omega = frame.R * math::secondOf(twist);
  return math::joined<double>(
      frame.R * math::firstOf(twist) + cross<double>(omega, point - frame.x), omega);
}

// Body twist of an inner node: between those of the ends, so that ends that move as one rigid body
// take the beam along.
Vec6<double> innerTwist(const BeamPlan& plan, double fraction, const Frame<double>& frame,
                        const Builder& builder) {
  const Vec6<double> v = (1.0 - fraction) * velocityAt(frame.x, plan.ends[0], builder) +
                         fraction * velocityAt(frame.x, plan.ends[1], builder);
  return math::joined<double>(frame.R.transpose() * math::firstOf(v),
                              frame.R.transpose() * math::secondOf(v));
}

void addEnd(const BeamPlan& plan, int end, const Builder& builder, BeamNode& node) {
  node.index = plan.ends[end];
  const Frame<double>& frame = builder.frame(node.index);
  node.D = frame.R.transpose() * plan.curve.at(end).R;
  node.section = {frame.R * node.D, frame.x};
}

void addInner(const BeamPlan& plan, double fraction, const std::string& name, Builder& builder,
              BeamNode& node) {
  node.section = plan.curve.at(fraction);
  node.index = builder.addNode(name, node.section, system::FreeSet::all(),
                               innerTwist(plan, fraction, node.section, builder));
}

// The nodes `beam.k` come first, one after the other, then those of points.
std::vector<BeamNode> addNodes(const std::string& beam, const BeamPlan& plan, Builder& builder) {
  const BeamMesh& mesh = plan.mesh;
  std::vector<BeamNode> nodes(mesh.nodes());
  addEnd(plan, 0, builder, nodes.front());
  addEnd(plan, 1, builder, nodes.back());
  NodeIndex first;
  int count = 0;
  for (int i = 1; i + 1 < mesh.nodes(); ++i) {
    if (mesh.numbers[i] < 0) continue;
    addInner(plan, mesh.fractions[i], "", builder, nodes[i]);
    if (count++ == 0) first = nodes[i].index;
  }
  if (count > 0) builder.addNodeRange(beam, first, count);
  for (int i = 1; i + 1 < mesh.nodes(); ++i) {
    if (mesh.numbers[i] >= 0) continue;
    addInner(plan, mesh.fractions[i], system::pointName(beam, mesh.fractions[i]), builder,
             nodes[i]);
  }
  for (const double fraction : builder.pointReferences(beam)) {
    const int i = findMeshNode(mesh, fraction);
    if (i >= 0) builder.addNodeName(system::pointName(beam, fraction), nodes[i].index);
  }
  return nodes;
}

template <BeamInertia kInertia>
void addElements(const std::string& beam, const BeamPlan& plan, const std::vector<BeamNode>& nodes,
                 Builder& builder) {
  auto& set = builder.elements<BeamElement<kInertia>>();
  const int first = set.size();
  typename BeamElement<kInertia>::template Parameters<double> p;
  p.damping = plan.damping;
  p.mass = plan.section.mass;
  for (int e = 0; e < plan.mesh.elements(); ++e) {
    const BeamNode& A = nodes[e];
    const BeamNode& B = nodes[e + 1];
    p.length = plan.lengthOf(e);
    p.stiffness = calcElementStiffness(plan.section.stiffness, p.length);
    p.turn = calcSectionTurn(plan.section.stiffness, p.stiffness, p.length);
    p.D_A = A.D;
    p.D_B = B.D;
    p.strain0 = math::logSE3<double>(math::relative(A.section, B.section)) / p.length;
    set.add(beam, {A.index, B.index}, {}, p);
  }
  builder.attach("beams", beam, {&set, first, plan.mesh.elements()});
}

// Quadrature of the section's inertia at the nodes, one share for both sides of a node.
void addLumpedInertia(const std::string& beam, const BeamPlan& plan,
                      const std::vector<BeamNode>& nodes, Builder& builder) {
  const std::vector<double> shares = calcShares(plan.mesh);
  auto& set = builder.elements<Inertia>();
  builder.attach("beams", beam + std::string(kInertiaPart),
                 {&set, set.size(), static_cast<int>(nodes.size())});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Mat6<double> Q = math::blockTriangular<double>(nodes[i].D, Mat3<double>::Zero());
    const Mat6<double> mass = Q * plan.section.mass * Q.transpose();
    set.add(beam, {nodes[i].index}, {}, {plan.curve.length * shares[i] * mass});
  }
}

}  // namespace

void makeBeam(const system::Item& item, Builder& builder) {
  const std::optional<BeamPlan> plan = readBeam(item, builder);
  if (!plan) return;
  const std::string& beam = item.name();
  const std::vector<BeamNode> nodes = addNodes(beam, *plan, builder);
  if (plan->mesh.order > 1) {
    addHighOrderElements(beam, *plan, nodes, builder);
    if (plan->consistent) addHighOrderInertia(beam, *plan, nodes, builder);
  } else if (plan->consistent) {
    addElements<BeamInertia::kConsistent>(beam, *plan, nodes, builder);
  } else {
    addElements<BeamInertia::kNone>(beam, *plan, nodes, builder);
  }
  if (!plan->consistent) addLumpedInertia(beam, *plan, nodes, builder);
  addMassDamping(item, *plan, nodes, builder);
}

}  // namespace flexloop::mechanics
