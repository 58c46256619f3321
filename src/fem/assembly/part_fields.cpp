#include "fem/assembly/part_fields.hpp"

#include <numeric>

#include "fem/assembly/block_matrix.hpp"
#include "fem/assembly/element_scatter.hpp"
#include "fem/assembly/element_source.hpp"
#include "fem/assembly/nodal_groups.hpp"

namespace flexloop::fem {
namespace {

using Eigen::VectorXd;

void gatherDisplacement(const Mesh& mesh, const MeshElement& element, const VectorXd& U,
                        VectorXd& displacement) {
  const int count = nodeCount(element.shape), perNode = freedomsPerNode(element.shape);
  displacement.resize(count * perNode);
  const int* nodes = mesh.nodesOf(element);
  for (int i = 0; i < count; ++i) {
    displacement.segment(perNode * i, perNode) = U.segment(6 * nodes[i], perNode);
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
    gatherDisplacement(mesh, element, U, displacement);
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

NodeStresses calcNodeStresses(const Mesh& mesh, const VectorXd& U, const std::vector<int>& nodes,
                              double temperature, ShellSide side) {
  std::vector<int> columnOf(mesh.points.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) columnOf[nodes[i]] = static_cast<int>(i);
  NodeStresses sums = NodeStresses::Zero(6, static_cast<Eigen::Index>(nodes.size()));
  std::vector<int> counts(nodes.size(), 0);
  ElementPoints points;
  VectorXd displacement;
  NodeStresses stresses;
  for (const MeshElement& element : mesh.elements) {
    const int* members = mesh.nodesOf(element);
    const int count = nodeCount(element.shape);
    bool isUsed = false;
    for (int i = 0; i < count; ++i) isUsed = isUsed || columnOf[members[i]] >= 0;
    if (!isUsed) continue;
    gatherDisplacement(mesh, element, U, displacement);
    const ElementFault fault = calcElementStresses(gatherElement(mesh, element, points),
                                                   displacement, temperature, side, stresses);
    if (fault != ElementFault::kNone) continue;
    for (int i = 0; i < count; ++i) {
      const int column = columnOf[members[i]];
      if (column < 0) continue;
      sums.col(column) += stresses.col(i);
      ++counts[column];
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] > 0) sums.col(static_cast<Eigen::Index>(i)) /= counts[i];
  }
  return sums;
}

NodeStresses calcNodeStresses(const Mesh& mesh, const VectorXd& U, double temperature,
                              ShellSide side) {
  std::vector<int> nodes(mesh.points.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  return calcNodeStresses(mesh, U, nodes, temperature, side);
}

}  // namespace flexloop::fem
