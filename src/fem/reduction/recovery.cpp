#include "fem/reduction/recovery.hpp"

#include <algorithm>
#include <map>

#include "fem/assembly/element_source.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// T Φ, row by row. T is stored by columns, so it is turned round once.
class Shapes {
 public:
  Shapes(const PartSystem& part, const MatrixXd& Phi) : T_(part.T), Phi_(Phi) {}

  MatrixXd rows(const std::vector<int>& freedoms) const {
    MatrixXd rows = MatrixXd::Zero(freedoms.size(), Phi_.cols());
    for (std::size_t i = 0; i < freedoms.size(); ++i) {
      for (RowMatrix::InnerIterator it(T_, freedoms[i]); it; ++it)
        rows.row(i) += it.value() * Phi_.row(it.col());
    }
    return rows;
  }

 private:
  using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  RowMatrix T_;
  const MatrixXd& Phi_;
};

std::vector<int> freedomsOf(const int* nodes, int count, int perNode) {
  std::vector<int> freedoms;
  for (int i = 0; i < count; ++i) {
    for (int component = 0; component < perNode; ++component)
      freedoms.push_back(6 * nodes[i] + component);
  }
  return freedoms;
}

}  // namespace

MatrixXd makeDisplacementRows(const PartSystem& part, const MatrixXd& Phi,
                              const std::vector<int>& nodes) {
  return Shapes(part, Phi).rows(freedomsOf(nodes.data(), static_cast<int>(nodes.size()), 6));
}

Eigen::MatrixXf makeSurfaceRows(const PartSystem& part, const MatrixXd& Phi,
                                const std::vector<int>& nodes) {
  return Shapes(part, Phi)
      .rows(freedomsOf(nodes.data(), static_cast<int>(nodes.size()), 3))
      .cast<float>();
}

base::Result<MatrixXd> makeStressRows(const Mesh& mesh, const PartSystem& part, const MatrixXd& Phi,
                                      const std::vector<int>& nodes, ShellSide side) {
  std::map<int, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) places[nodes[i]].push_back(i);
  MatrixXd rows = MatrixXd::Zero(6 * nodes.size(), Phi.cols());
  std::vector<int> elements(nodes.size(), 0);
  const Shapes shapes(part, Phi);
  ElementPoints points;
  NodeStresses stresses;
  for (const MeshElement& element : mesh.elements) {
    const int* own = mesh.nodesOf(element);
    const int count = nodeCount(element.shape);
    const bool isAsked =
        std::any_of(own, own + count, [&](int node) { return places.count(node) > 0; });
    if (!isAsked) continue;
    const ElementGeometry geometry = gatherElement(mesh, element, points);
    const MatrixXd U = shapes.rows(freedomsOf(own, count, freedomsPerNode(element.shape)));
    for (Eigen::Index j = 0; j < Phi.cols(); ++j) {
      if (calcElementStresses(geometry, U.col(j), 0.0, side, stresses) != ElementFault::kNone)
        continue;
      for (int i = 0; i < count; ++i) {
        const auto found = places.find(own[i]);
        if (found == places.end()) continue;
        for (const std::size_t place : found->second) {
          rows.block<6, 1>(6 * place, j) += stresses.col(i);
          if (j == 0) ++elements[place];
        }
      }
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (elements[i] == 0) {
      return base::Failure{
          "node " + std::to_string(mesh.nodeIds[nodes[i]]) + " has no stresses: no element has it",
          "take a node of an element"};
    }
    rows.middleRows<6>(6 * i) /= elements[i];
  }
  return rows;
}

linalg::SparseMatrix makeGeometricStiffness(const Mesh& mesh, const VectorXd& nodalDisplacement) {
  std::vector<Eigen::Triplet<double>> entries;
  ElementPoints points;
  MatrixXd Kg;
  for (const MeshElement& element : mesh.elements) {
    const int count = nodeCount(element.shape);
    const ElementGeometry geometry = gatherElement(mesh, element, points);
    const std::vector<int> freedoms =
        freedomsOf(mesh.nodesOf(element), count, freedomsPerNode(element.shape));
    VectorXd u(freedoms.size());
    for (std::size_t i = 0; i < freedoms.size(); ++i) u[i] = nodalDisplacement[freedoms[i]];
    if (calcElementGeometricStiffness(geometry, u, 0.0, Kg) != ElementFault::kNone) continue;
    for (std::size_t i = 0; i < freedoms.size(); ++i) {
      for (std::size_t j = 0; j < freedoms.size(); ++j) {
        if (freedoms[i] >= freedoms[j] && Kg(i, j) != 0.0)
          entries.emplace_back(freedoms[i], freedoms[j], Kg(i, j));
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(6 * mesh.points.size());
  linalg::SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace flexloop::fem
