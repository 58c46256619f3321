#include "fem/assembly/assemble_part.hpp"

#include <array>
#include <optional>

#include "fem/assembly/block_matrix.hpp"
#include "fem/assembly/element_scatter.hpp"
#include "fem/assembly/element_source.hpp"
#include "fem/assembly/finish_part.hpp"
#include "fem/assembly/freedom_map.hpp"
#include "fem/assembly/nodal_groups.hpp"
#include "fem/assembly/point_mass.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;

class PartAssembler {
 public:
  PartAssembler(const Mesh& mesh, const FreedomMap& map, const NodeUse& use)
      : mesh_(mesh),
        map_(map),
        nodalGroups_(makeNodalGroups(mesh, use)),
        nodalPattern_(findBlockPattern(nodalGroups_.count(), makeNodalLists(mesh), {}, {})),
        pattern_(findUnknownPattern(mesh, map)),
        K_(map.groups, pattern_, BlockMatrix::Blocks::kFull),
        M_(map.groups, pattern_, BlockMatrix::Blocks::kScalarWhereAllowed),
        nodalMass_(nodalGroups_, nodalPattern_, BlockMatrix::Blocks::kScalarWhereAllowed) {}

  std::optional<base::Failure> addElements() {
    std::array<int, 4> counts{}, firsts{};
    ElementPoints points;
    for (std::size_t i = 0; i < mesh_.elements.size(); ++i) {
      const MeshElement& element = mesh_.elements[i];
      const ElementFault fault =
          calcElementMatrices(gatherElement(mesh_, element, points), elementK_, elementM_);
      if (fault == ElementFault::kNone) {
        addElement(mesh_.nodesOf(element), nodeCount(element.shape),
                   freedomsPerNode(element.shape));
      } else if (counts[static_cast<int>(fault)]++ == 0) {
        firsts[static_cast<int>(fault)] = static_cast<int>(i);
      }
    }
    for (int fault = 1; fault < 4; ++fault) {
      if (counts[fault] == 0) continue;
      return makeElementFailure(mesh_, firsts[fault], counts[fault],
                                static_cast<ElementFault>(fault));
    }
    return {};
  }

  void addMasses() {
    for (const PointMass& mass : mesh_.masses) {
      calcPointMass(mass, elementM_);
      findUnknownPlaces(map_, &mass.node, 1, 6, places_);
      M_.add(places_.members, places_.indices, places_.project(elementM_, buffer_));
      findNodalPlaces(nodalGroups_, &mass.node, 1, 6, places_);
      nodalMass_.add(places_.members, places_.indices, elementM_);
    }
  }

  void finish(PartSystem& part) {
    K_.takeInto(part.K);
    M_.takeInto(part.M);
    nodalMass_.takeInto(part.nodalMass);
  }

 private:
  static Lists findUnknownPattern(const Mesh& mesh, const FreedomMap& map) {
    return findBlockPattern(map.groups.count(), findElementGroups(mesh, map), findStars(map),
                            findStarCentres(map));
  }

  void addElement(const int* nodes, int count, int perNode) {
    findUnknownPlaces(map_, nodes, count, perNode, places_);
    K_.add(places_.members, places_.indices, places_.project(elementK_, buffer_));
    M_.add(places_.members, places_.indices, places_.project(elementM_, buffer_));
    findNodalPlaces(nodalGroups_, nodes, count, perNode, places_);
    nodalMass_.add(places_.members, places_.indices, places_.project(elementM_, buffer_));
  }

  const Mesh& mesh_;
  const FreedomMap& map_;
  RowGroups nodalGroups_;
  Lists nodalPattern_, pattern_;
  BlockMatrix K_, M_, nodalMass_;
  ElementPlaces places_;
  MatrixXd elementK_, elementM_, buffer_;
};

}  // namespace

base::Result<PartSystem> assemblePart(const Mesh& mesh) {
  if (auto failure = checkElements(mesh)) return *failure;
  if (auto failure = checkConnected(mesh)) return *failure;
  const NodeUse use = findNodeUse(mesh);
  return makePart(mesh, use.stiffComponents, use.hasScalarMass,
                  [&](const FreedomMap& map, PartSystem& part) -> std::optional<base::Failure> {
                    PartAssembler assembler(mesh, map, use);
                    if (auto failure = assembler.addElements()) return failure;
                    assembler.addMasses();
                    assembler.finish(part);
                    return {};
                  });
}

}  // namespace flexloop::fem
