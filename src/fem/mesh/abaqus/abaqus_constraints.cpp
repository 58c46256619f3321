// From the rigid bodies, couplings and equations of an .inp file to spiders and equations of the mesh.
#include <algorithm>
#include <array>

#include "fem/mesh/abaqus/abaqus_deck.hpp"
#include "fem/mesh/number_text.hpp"

namespace flexloop::fem {
namespace {

class ConstraintMaker {
 public:
  ConstraintMaker(AbaqusDeck& deck, MeshBuilder& builder)
      : deck_(deck), builder_(builder), names_(deck, builder) {}

  bool make() {
    for (const std::string& name : deck_.transformed) {
      const auto nodes = names_.findNodes(name, FilePlace{});
      if (!nodes) return false;
      turned_.insert(nodes->begin(), nodes->end());
    }
    for (const AbaqusRigidBody& body : deck_.rigidBodies) {
      if (!makeRigidBody(body)) return false;
    }
    for (const AbaqusCoupling& coupling : deck_.couplings) {
      if (!makeCoupling(coupling)) return false;
    }
    for (const AbaqusPair& pair : deck_.pairs) {
      if (!makePair(pair)) return false;
    }
    for (const AbaqusEquation& equation : deck_.equations) {
      if (!makeEquation(equation)) return false;
    }
    return true;
  }

 private:
  bool addSpider(Spider spider, std::vector<int> nodes, FilePlace place) {
    std::erase(nodes, spider.reference);
    spider.nodes = std::move(nodes);
    spider.line = place.line;
    if (spider.nodes.empty())
      return builder_.fail(place, "the constraint has no node beside its reference node");
    if (spider.kind == Spider::Kind::kAveraging) spider.weights.assign(spider.nodes.size(), 1.0);
    builder_.mesh().spiders.push_back(std::move(spider));
    return true;
  }

  bool makeRigidBody(const AbaqusRigidBody& body) {
    Spider spider;
    spider.reference = names_.findOneNode(body.reference, body.place);
    if (spider.reference < 0) return false;
    std::optional<std::vector<int>> nodes;
    if (!body.nodeSet.empty()) {
      nodes = names_.findNodes(body.nodeSet, body.place);
    } else if (const auto elements = names_.findElements(body.elementSet, body.place)) {
      nodes = collectNodes(builder_.mesh(), *elements);
    }
    if (!nodes) return false;
    if (!body.rotation.empty()) {
      // CalculiX gives the rotation to the displacements of a node of its own.
      const int rotation = names_.findOneNode(body.rotation, body.place);
      if (rotation < 0) return false;
      if (rotation != spider.reference) rotationOf_[rotation] = spider.reference;
    }
    return addSpider(spider, std::move(*nodes), body.place);
  }

  std::optional<std::vector<int>> findSurfaceNodes(const std::string& name, FilePlace place) {
    const auto found = deck_.surfaceNodes.find(toUpper(names_.withoutInstance(name)));
    if (found != deck_.surfaceNodes.end()) return found->second;
    builder_.fail(place, "there is no surface '" + name + "'");
    return {};
  }

  bool makeCoupling(const AbaqusCoupling& coupling) {
    if (!coupling.hasKind) {
      return builder_.fail(coupling.place,
                           "*COUPLING is not followed by *KINEMATIC or *DISTRIBUTING");
    }
    Spider spider;
    spider.reference = names_.findOneNode(coupling.reference, coupling.place);
    if (spider.reference < 0) return false;
    auto nodes = findSurfaceNodes(coupling.surface, coupling.place);
    if (!nodes) return false;
    if (coupling.isDistributing) {
      spider.kind = Spider::Kind::kAveraging;
      spider.components = 0x7;
      if (coupling.components != 0) spider.referenceComponents = coupling.components;
      const bool isOfFaces =
          std::any_of(deck_.surfaces.begin(), deck_.surfaces.end(), [&](const AbaqusSurface& s) {
            return !s.isOfNodes && toUpper(s.name) == toUpper(coupling.surface);
          });
      if (isOfFaces)
        builder_.warn(coupling.place,
                      "*DISTRIBUTING: all nodes of the surface have the same weight");
    } else if (coupling.components != 0) {
      spider.components = coupling.components;
      for (const int node : *nodes) {
        if (!checkAxes(node, coupling.place)) return false;
      }
    }
    return addSpider(spider, std::move(*nodes), coupling.place);
  }

  bool makePair(const AbaqusPair& pair) {
    const int leader = names_.findOneNode(pair.independent, pair.place);
    if (leader < 0) return false;
    auto followers = names_.findNodes(pair.dependent, pair.place);
    if (!followers) return false;
    if (pair.type == "BEAM") {
      Spider spider;
      spider.reference = leader;
      return addSpider(spider, std::move(*followers), pair.place);
    }
    const int components = pair.type == "PIN" ? 3 : 6;
    for (const int follower : *followers) {
      for (int c = 0; c < components; ++c) {
        builder_.mesh().equations.push_back(
            {{{follower, c, 1.0}, {leader, c, -1.0}}, pair.place.line});
      }
    }
    return true;
  }

  bool makeEquation(const AbaqusEquation& given) {
    Equation equation;
    equation.line = given.place.line;
    for (const AbaqusEquation::Term& term : given.terms) {
      int node = names_.findOneNode(term.node, given.place), component = term.component - 1;
      if (node < 0 || !checkAxes(node, given.place)) return false;
      if (const auto rotation = rotationOf_.find(node); rotation != rotationOf_.end()) {
        if (component > 2)
          return builder_.fail(given.place, "a ROT NODE has the components 1 to 3");
        node = rotation->second;
        component += 3;
      }
      equation.terms.push_back({node, component, term.factor});
    }
    if (equation.terms.front().factor == 0.0) {
      return builder_.fail(given.place, "the first factor of the equation is zero");
    }
    builder_.mesh().equations.push_back(std::move(equation));
    return true;
  }

  bool checkAxes(int node, FilePlace place) {
    if (!turned_.contains(node)) return true;
    return builder_.fail(place,
                         "node " + std::to_string(builder_.mesh().nodeIds[node]) +
                             " has axes of its own (*TRANSFORM), which constraints do not support");
  }

  AbaqusDeck& deck_;
  MeshBuilder& builder_;
  AbaqusNames names_;
  std::set<int> turned_;
  std::map<int, int> rotationOf_;  // from the node of the rotation to the reference node
};

}  // namespace

bool makeAbaqusConstraints(AbaqusDeck& deck, MeshBuilder& builder) {
  return ConstraintMaker(deck, builder).make();
}

}  // namespace flexloop::fem
