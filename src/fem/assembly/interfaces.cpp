#include "fem/assembly/interfaces.hpp"

#include <algorithm>
#include <array>

#include "base/text_format.hpp"
#include "fem/assembly/dependence.hpp"

namespace flexloop::fem {
namespace {

using base::Failure;
using base::formatText;

std::string nodeText(const Mesh& mesh, int node) {
  return formatText("node %lld", static_cast<long long>(mesh.nodeIds[node]));
}

// What elements and constraints of the mesh make of each node.
class NodeRoles {
 public:
  NodeRoles(const Mesh& mesh, GivenFreedoms given)
      : mesh_(mesh),
        inElement_(mesh.points.size(), static_cast<char>(given.perNode > 0)),
        turns_(mesh.points.size(), static_cast<char>(given.perNode == 6)),
        leader_(mesh.points.size(), -1) {
    for (const MeshElement& element : mesh.elements) {
      const int* nodes = mesh.nodesOf(element);
      for (int i = 0; i < nodeCount(element.shape); ++i) {
        inElement_[nodes[i]] = 1;
        if (!isSolid(element.shape)) turns_[nodes[i]] = 1;
      }
    }
    for (const Spider& spider : mesh.spiders) {
      const bool isRigid = spider.kind == Spider::Kind::kRigid;
      inElement_[spider.reference] = 1;
      if (isRigid || (spider.referenceComponents & 0x38U) == 0x38U) turns_[spider.reference] = 1;
      if (!isRigid) continue;
      for (const int node : spider.nodes) {
        if (node != spider.reference) leader_[node] = spider.reference;
      }
    }
    for (const Equation& equation : mesh.equations) {
      if (!equation.terms.empty() && equation.terms.size() > 1) {
        leader_[equation.terms[0].node] = equation.terms[1].node;
      }
    }
  }

  bool isConnected(int node) const { return inElement_[node] != 0; }
  bool turns(int node) const { return turns_[node] != 0; }

  std::optional<Failure> checkFree(int node, const std::string& interface) const {
    if (leader_[node] < 0) return {};
    return Failure{interface + ": " + nodeText(mesh_, node) + " already follows " +
                       nodeText(mesh_, leader_[node]) + " by a constraint of the mesh",
                   "take the leading node instead: mesh_node: " +
                       std::to_string(mesh_.nodeIds[leader_[node]])};
  }

 private:
  const Mesh& mesh_;
  std::vector<char> inElement_, turns_;
  std::vector<int> leader_;  // the node whose motion it follows; -1: none
};

// A request with its nodes found.
struct Plan {
  const InterfaceRequest* request;
  std::vector<int> nodes;
  std::string name;  // in messages
};

base::Result<std::vector<int>> findRequestedNodes(const Mesh& mesh, const NodeRoles& roles,
                                                  const InterfaceRequest& request,
                                                  const std::string& name) {
  if (request.set.empty()) {
    const auto found = std::find(mesh.nodeIds.begin(), mesh.nodeIds.end(), *request.meshNode);
    if (found == mesh.nodeIds.end()) {
      return Failure{name + formatText(": the mesh has no node %lld",
                                       static_cast<long long>(*request.meshNode)),
                     "nodes have the numbers of the mesh file"};
    }
    const auto node = static_cast<int>(found - mesh.nodeIds.begin());
    if (roles.isConnected(node)) return std::vector<int>{node};
    return Failure{name + ": " + nodeText(mesh, node) + " belongs to no element",
                   "take a node of an element, or the reference of a spider"};
  }
  const base::Result<std::vector<int>> set = findSetNodes(mesh, request.set);
  if (!set) return base::withContext(name + ": ", set.failure());
  if (set.value().empty()) {
    return Failure{name + ": the set '" + request.set + "' is empty",
                   "a set needs at least one node"};
  }
  std::vector<int> nodes;
  for (const int node : set.value()) {
    if (roles.isConnected(node)) nodes.push_back(node);
  }
  if (!nodes.empty()) return nodes;
  return Failure{name + ": the set '" + request.set +
                     "' carries no stiffness: none of its nodes belongs to an element",
                 "take the set of nodes of a face"};
}

std::string sourceText(const InterfaceRequest& request) {
  return request.set.empty() ? "mesh_node" : "set '" + request.set + "'";
}

// A part that one interface leads as a whole has no stiffness of its own.
std::optional<Failure> checkRest(const NodeRoles& roles, const Mesh& mesh, const Plan& plan) {
  if (plan.request->spread || plan.nodes.size() == 1) return {};
  const auto nodes = static_cast<int>(mesh.points.size());
  int connected = 0;
  for (int node = 0; node < nodes; ++node) connected += roles.isConnected(node) ? 1 : 0;
  if (static_cast<int>(plan.nodes.size()) < connected) return {};
  return Failure{plan.name + " (" + sourceText(*plan.request) +
                     ") leads all nodes of the part, so that nothing of it can deform",
                 "take the nodes of a face; a rigid body needs no mesh, see `bodies`"};
}

// Nodes that are led must be free, and led once.
std::optional<Failure> checkPlans(const Mesh& mesh, const NodeRoles& roles,
                                  const std::vector<Plan>& plans) {
  std::vector<int> owner(mesh.points.size(), -1);
  for (const Plan& plan : plans) {
    if (auto failure = checkRest(roles, mesh, plan)) return failure;
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].request->spread && plans[i].nodes.size() > 1) continue;
    for (const int node : plans[i].nodes) {
      if (auto failure = roles.checkFree(node, plans[i].name)) return failure;
      if (owner[node] >= 0) {
        const Plan& other = plans[owner[node]];
        return Failure{other.name + " (" + sourceText(*other.request) + ") and " + plans[i].name +
                           " (" + sourceText(*plans[i].request) + ") overlap: both would lead " +
                           nodeText(mesh, node),
                       "remove the node from one of the sets, or use `spread: true` for one"};
      }
      owner[node] = static_cast<int>(i);
    }
  }
  return {};
}

class InterfaceMaker {
 public:
  InterfaceMaker(Mesh& mesh, const NodeRoles& roles) : mesh_(mesh), roles_(roles) {
    nextId_ = *std::max_element(mesh.nodeIds.begin(), mesh.nodeIds.end()) + 1;
  }

  int add(const Plan& plan) {
    const std::optional<Eigen::Vector3d>& at = plan.request->at;
    if (plan.nodes.size() == 1) {
      const int node = attach(plan.nodes[0]);
      if (!at) return node;
      const int reference = addNode(*at);
      addSpider(Spider::Kind::kRigid, reference, {node}, 0x3f);
      return reference;
    }
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const int node : plan.nodes) mean += mesh_.points[node];
    const int reference = addNode(at ? *at : mean / static_cast<double>(plan.nodes.size()));
    addSpider(plan.request->spread ? Spider::Kind::kAveraging : Spider::Kind::kRigid, reference,
              plan.nodes, 0x3f);
    return reference;
  }

 private:
  // A node with six freedoms in the place of this one.
  int attach(int node) {
    if (roles_.turns(node)) return node;
    const int reference = addNode(mesh_.points[node]);
    addSpider(Spider::Kind::kRigid, reference, {node}, 0x07);
    addSpider(Spider::Kind::kAveraging, reference, findNeighbours(node), 0x07);
    mesh_.spiders.back().referenceComponents = 0x38;
    return reference;
  }

  std::vector<int> findNeighbours(int node) const {
    std::vector<int> result;
    for (const MeshElement& element : mesh_.elements) {
      const int* nodes = mesh_.nodesOf(element);
      const int* end = nodes + nodeCount(element.shape);
      if (std::find(nodes, end, node) != end) result.insert(result.end(), nodes, end);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  int addNode(const Eigen::Vector3d& point) {
    mesh_.points.push_back(point);
    mesh_.nodeIds.push_back(nextId_++);
    return static_cast<int>(mesh_.points.size()) - 1;
  }

  void addSpider(Spider::Kind kind, int reference, std::vector<int> nodes, unsigned components) {
    Spider spider;
    spider.kind = kind;
    spider.reference = reference;
    spider.nodes = std::move(nodes);
    if (kind == Spider::Kind::kAveraging) spider.weights.assign(spider.nodes.size(), 1.0);
    spider.components = components;
    mesh_.spiders.push_back(std::move(spider));
  }

  Mesh& mesh_;
  const NodeRoles& roles_;
  std::int64_t nextId_ = 0;
};

}  // namespace

base::Result<std::vector<PartInterface>> addInterfaces(
    Mesh& mesh, const std::vector<InterfaceRequest>& requests, GivenFreedoms given) {
  const NodeRoles roles(mesh, given);
  std::vector<Plan> plans;
  for (const InterfaceRequest& request : requests) {
    const std::string name = "interface '" + request.name + "'";
    if (request.set.empty() && !request.meshNode) {
      return Failure{name + " has neither a set nor a mesh_node", "give one of them"};
    }
    const base::Result<std::vector<int>> nodes = findRequestedNodes(mesh, roles, request, name);
    if (!nodes) return nodes.failure();
    plans.push_back({&request, nodes.value(), name});
    if (given.perNode == 3 && nodes.value().size() == 1 && !roles.turns(nodes.value()[0])) {
      return Failure{name + ": " + nodeText(mesh, nodes.value()[0]) +
                         " has no rotations, so that it cannot carry a moment",
                     "take a set of at least three nodes that are not on one line"};
    }
  }
  if (auto failure = checkPlans(mesh, roles, plans)) return *failure;
  InterfaceMaker maker(mesh, roles);
  std::vector<PartInterface> interfaces;
  for (const Plan& plan : plans) {
    PartInterface interface { plan.request->name, maker.add(plan) };
    if (plan.request->modes > 0 && plan.nodes.size() > 1) {
      interface.modes = plan.request->modes;
      interface.set = plan.nodes;
    }
    interfaces.push_back(std::move(interface));
  }
  return interfaces;
}

std::optional<Failure> checkInterfaces(const PartSystem& part,
                                       const std::vector<PartInterface>& interfaces) {
  static constexpr std::array<const char*, 6> kNames = {"x", "y", "z", "rx", "ry", "rz"};
  for (const PartInterface& interface : interfaces) {
    std::string missing;
    for (int k = 0; k < 6; ++k) {
      if (part.unknownOf[6 * interface.node + k] < 0) missing += std::string(" ") + kNames[k];
    }
    if (missing.empty()) continue;
    return Failure{"interface '" + interface.name + "' carries no stiffness in" + missing,
                   "take a set of at least three nodes that are not on one line"};
  }
  return {};
}

}  // namespace flexloop::fem
