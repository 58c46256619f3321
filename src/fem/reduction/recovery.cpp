#include "fem/reduction/recovery.hpp"

#include <algorithm>
#include <string>

#include "fem/assembly/part_fields.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;

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
  std::vector<bool> hasElement(mesh.points.size(), false);
  for (const MeshElement& element : mesh.elements) {
    const int* own = mesh.nodesOf(element);
    for (int i = 0; i < nodeCount(element.shape); ++i) hasElement[own[i]] = true;
  }
  for (const int node : nodes) {
    if (hasElement[node]) continue;
    return base::Failure{
        "node " + std::to_string(mesh.nodeIds[node]) + " has no stresses: no element has it",
        "take a node of an element"};
  }
  // Some shapes at a time: all displacements of the mesh in all of them would take too much memory.
  constexpr Eigen::Index kAtOnce = 16;
  MatrixXd rows(6 * nodes.size(), Phi.cols());
  for (Eigen::Index j = 0; j < Phi.cols(); j += kAtOnce) {
    const Eigen::Index count = std::min(kAtOnce, Phi.cols() - j);
    rows.middleCols(j, count) =
        calcStressesAt(mesh, part.T * Phi.middleCols(j, count), nodes, 0.0, side);
  }
  return rows;
}

}  // namespace flexloop::fem
