#include "fem/assembly/part_fields.hpp"

#include <algorithm>
#include <numeric>

#include "fem/assembly/block_matrix.hpp"
#include "fem/assembly/element_scatter.hpp"
#include "fem/assembly/element_source.hpp"
#include "fem/assembly/nodal_groups.hpp"

namespace flexloop::fem {
namespace {

using Eigen::VectorXd;

template <class Fields>
void gatherDisplacements(const Mesh& mesh, const MeshElement& element, const Fields& U,
                         Fields& displacements) {
  const int count = nodeCount(element.shape), perNode = freedomsPerNode(element.shape);
  displacements.resize(count * perNode, U.cols());
  const int* nodes = mesh.nodesOf(element);
  for (int i = 0; i < count; ++i) {
    displacements.middleRows(perNode * i, perNode) = U.middleRows(6 * nodes[i], perNode);
  }
}

}  // namespace

VectorXd calcAccelerationForces(const PartSystem& part, const Eigen::Vector3d& acceleration) {
  VectorXd field = VectorXd::Zero(part.nodalMass.rows());
  for (Eigen::Index i = 0; i < field.size(); i += 6) field.segment<3>(i) = acceleration;
  return part.nodalMass.selfadjointView<Eigen::Lower>() * field;
}

VectorXd calcThermalForces(const Mesh& mesh, double temperature) {
  VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
  ElementPoints points;
  VectorXd load;
  for (const MeshElement& element : mesh.elements) {
    const ElementFault fault = calcElementThermalLoad(gatherElement(mesh, element, points), load);
    if (fault != ElementFault::kNone) continue;
    const int perNode = freedomsPerNode(element.shape);
    for (int i = 0; i < nodeCount(element.shape); ++i) {
      forces.segment(6 * mesh.nodesOf(element)[i], perNode) +=
          temperature * load.segment(perNode * i, perNode);
    }
  }
  return forces;
}

VectorXd calcElementForces(const Mesh& mesh, const VectorXd& U) {
  VectorXd forces = VectorXd::Zero(U.size());
  ElementPoints points;
  VectorXd displacement;
  Eigen::MatrixXd K, M;
  for (const MeshElement& element : mesh.elements) {
    const ElementFault fault = calcElementMatrices(gatherElement(mesh, element, points), K, M);
    if (fault != ElementFault::kNone) continue;
    gatherDisplacements(mesh, element, U, displacement);
    const VectorXd own = K * displacement;
    const int perNode = freedomsPerNode(element.shape);
    for (int i = 0; i < nodeCount(element.shape); ++i)
      forces.segment(6 * mesh.nodesOf(element)[i], perNode) += own.segment(perNode * i, perNode);
  }
  return forces;
}

linalg::SparseMatrix assembleGeometricStiffness(const Mesh& mesh, const VectorXd& U,
                                                double temperature) {
  const RowGroups groups = makeNodalGroups(mesh, findNodeUse(mesh));
  const Lists pattern = findBlockPattern(groups.count(), makeNodalLists(mesh), {}, {});
  BlockMatrix matrix(groups, pattern, BlockMatrix::Blocks::kScalarWhereAllowed);
  ElementPoints points;
  ElementPlaces places;
  VectorXd displacement;
  Eigen::MatrixXd Kg, buffer;
  for (const MeshElement& element : mesh.elements) {
    gatherDisplacements(mesh, element, U, displacement);
    const ElementFault fault = calcElementGeometricStiffness(gatherElement(mesh, element, points),
                                                             displacement, temperature, Kg);
    if (fault != ElementFault::kNone) continue;
    findNodalPlaces(groups, mesh.nodesOf(element), nodeCount(element.shape),
                    freedomsPerNode(element.shape), places);
    matrix.add(places.members, places.indices, places.project(Kg, buffer));
  }
  linalg::SparseMatrix result;
  matrix.takeInto(result);
  return result;
}

Eigen::MatrixXd calcStressesAt(const Mesh& mesh, const Eigen::MatrixXd& U,
                               const std::vector<int>& nodes, double temperature, ShellSide side) {
  std::vector<int> placeOf(mesh.points.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) placeOf[nodes[i]] = static_cast<int>(i);
  Eigen::MatrixXd sums =
      Eigen::MatrixXd::Zero(6 * static_cast<Eigen::Index>(nodes.size()), U.cols());
  std::vector<int> counts(nodes.size(), 0);
  ElementPoints points;
  Eigen::MatrixXd displacements;
  NodeStresses stresses;
  for (const MeshElement& element : mesh.elements) {
    const int* members = mesh.nodesOf(element);
    const int count = nodeCount(element.shape);
    const bool isUsed =
        std::any_of(members, members + count, [&](int node) { return placeOf[node] >= 0; });
    if (!isUsed) continue;
    gatherDisplacements(mesh, element, U, displacements);
    const ElementFault fault = calcElementStresses(gatherElement(mesh, element, points),
                                                   displacements, temperature, side, stresses);
    if (fault != ElementFault::kNone) continue;
    for (int i = 0; i < count; ++i) {
      const int place = placeOf[members[i]];
      if (place < 0) continue;
      for (Eigen::Index j = 0; j < U.cols(); ++j) {
        sums.block<6, 1>(6 * place, j) += stresses.col(count * j + i);
      }
      ++counts[place];
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] > 0) sums.middleRows(6 * static_cast<Eigen::Index>(i), 6) /= counts[i];
  }
  return sums;
}

NodeStresses calcNodeStresses(const Mesh& mesh, const VectorXd& U, double temperature,
                              ShellSide side) {
  std::vector<int> nodes(mesh.points.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  return calcStressesAt(mesh, U, nodes, temperature, side)
      .reshaped(6, static_cast<Eigen::Index>(nodes.size()));
}

}  // namespace flexloop::fem
