#include "fem/parts/given_matrices.hpp"

#include <algorithm>

#include "fem/matrices/matrix_market.hpp"
#include "fem/matrices/node_table.hpp"

namespace flexloop::fem {
namespace {

using linalg::SparseMatrix;

// Both triangles of a lower one, with rows and columns at new places.
SparseMatrix place(const SparseMatrix& lower, const std::vector<int>& places, int size) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(2 * lower.nonZeros());
  for (int j = 0; j < lower.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
      const int row = places[entry.row()], column = places[j];
      entries.emplace_back(row, column, entry.value());
      if (row != column) entries.emplace_back(column, row, entry.value());
    }
  }
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace

base::Result<GivenMatrices> readGivenMatrices(const MatricesRequest& request, double lengthUnit) {
  const base::Result<SparseMatrix> K = readMatrixMarket(request.K);
  if (!K) return K.failure();
  const base::Result<SparseMatrix> M = readMatrixMarket(request.M);
  if (!M) return M.failure();
  if (K.value().rows() != M.value().rows()) {
    return base::Failure{request.K + " has " + std::to_string(K.value().rows()) + " rows, " +
                             request.M + " has " + std::to_string(M.value().rows()),
                         "both belong to the same freedoms"};
  }
  const base::Result<NodeTable> table =
      readNodeTable(request.nodes, lengthUnit, static_cast<int>(K.value().rows()));
  if (!table) return table.failure();

  GivenMatrices given;
  given.mesh.file = request.K;
  given.mesh.points = table.value().points;
  given.mesh.nodeIds = table.value().ids;
  given.mesh.nodeSets = table.value().sets;
  const auto& rowOf = table.value().rowOf;
  const bool turns = std::any_of(rowOf.begin(), rowOf.end(), [](const auto& rows) {
    return rows[3] >= 0 || rows[4] >= 0 || rows[5] >= 0;
  });
  given.freedomsPerNode = turns ? 6 : 3;
  std::vector<int> places(K.value().rows(), -1);
  for (std::size_t n = 0; n < rowOf.size(); ++n) {
    for (int c = 0; c < given.freedomsPerNode; ++c) {
      if (rowOf[n][c] >= 0) places[rowOf[n][c]] = given.freedomsPerNode * static_cast<int>(n) + c;
    }
  }
  const int size = given.freedomsPerNode * static_cast<int>(rowOf.size());
  given.K = place(K.value(), places, size);
  given.M = place(M.value(), places, size);
  return given;
}

}  // namespace flexloop::fem
