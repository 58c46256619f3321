#include "fem/assembly/dependent_interfaces.hpp"

#include <cmath>
#include <string>

#include <Eigen/Eigenvalues>

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::SparseMatrix;

constexpr int kFreedoms = 6;
// Of a sum of unit rows, in the square; and of a unit vector, a row's share that counts.
constexpr double kDependent = 1e-12, kShare = 1e-3;

// By unknown: the interface that it belongs to; -1: none.
std::vector<int> findOwners(const PartSystem& part, const std::vector<PartInterface>& interfaces) {
  std::vector<int> owners(part.unknowns(), -1);
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    for (int c = 0; c < kFreedoms; ++c) {
      const int unknown = part.unknownOf[kFreedoms * interfaces[i].node + c];
      if (unknown >= 0) owners[unknown] = static_cast<int>(i);
    }
  }
  return owners;
}

// The rows of C, of unit length in the unknowns that belong to no interface. Rows without any are zero.
Eigen::SparseMatrix<double, Eigen::RowMajor> makeUnitRows(const PartSystem& part,
                                                          const std::vector<int>& owners) {
  const int first = part.unknowns() - part.multipliers;
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd squares = VectorXd::Zero(part.multipliers);
  for (int column = 0; column < first; ++column) {
    for (SparseMatrix::InnerIterator it(part.K, column); it; ++it) {
      if (it.row() < first || owners[column] >= 0) continue;
      entries.emplace_back(it.row() - first, column, it.value());
      squares[it.row() - first] += it.value() * it.value();
    }
  }
  for (auto& entry : entries) {
    entry = {entry.row(), entry.col(), entry.value() / std::sqrt(squares[entry.row()])};
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> rows(part.multipliers, first);
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

// The interfaces that a combination of rows speaks of.
std::vector<char> findInvolved(const PartSystem& part, const std::vector<int>& owners,
                               const VectorXd& combination, std::size_t interfaces) {
  const int first = part.unknowns() - part.multipliers;
  std::vector<char> involved(interfaces, 0);
  for (int column = 0; column < first; ++column) {
    if (owners[column] < 0) continue;
    for (SparseMatrix::InnerIterator it(part.K, column); it; ++it) {
      if (it.row() >= first && std::abs(combination[it.row() - first]) > kShare)
        involved[owners[column]] = 1;
    }
  }
  return involved;
}

}  // namespace

std::optional<base::Failure> findDependentInterfaces(const PartSystem& part,
                                                     const std::vector<PartInterface>& interfaces) {
  if (part.multipliers == 0) return {};
  const std::vector<int> owners = findOwners(part, interfaces);
  const auto rows = makeUnitRows(part, owners);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> gram(
      MatrixXd(Eigen::SparseMatrix<double>(rows * rows.transpose())));
  if (gram.eigenvalues()[0] > kDependent) return {};
  const std::vector<char> involved =
      findInvolved(part, owners, gram.eigenvectors().col(0), interfaces.size());
  std::string names;
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    if (involved[i] != 0) names += (names.empty() ? "'" : ", '") + interfaces[i].name + "'";
  }
  return base::Failure{names.empty()
                           ? "averaging spiders of the mesh depend on each other"
                           : "the motions of the interfaces " + names + " depend on each other",
                       "an interface with `spread` needs nodes that no other interface leads: at "
                       "least three that are not on one line"};
}

}  // namespace flexloop::fem
