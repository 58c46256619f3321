#include "fem/reduction/component.hpp"

namespace flexloop::fem {
namespace {

// By unknown, its place in the list; -1: not there.
std::vector<int> findPlaces(Eigen::Index unknowns, const std::vector<int>& list) {
  std::vector<int> places(unknowns, -1);
  for (std::size_t i = 0; i < list.size(); ++i) places[list[i]] = static_cast<int>(i);
  return places;
}

}  // namespace

std::vector<int> findOthers(int unknowns, const std::vector<int>& held) {
  const std::vector<int> places = findPlaces(unknowns, held);
  std::vector<int> others;
  others.reserve(unknowns);
  for (int i = 0; i < unknowns; ++i) {
    if (places[i] < 0) others.push_back(i);
  }
  return others;
}

std::vector<int> findSettledMultipliers(const Component& component, const std::vector<int>& held) {
  const std::vector<int> places = findPlaces(component.unknowns(), held);
  const int first = component.unknowns() - component.multipliers;
  std::vector<char> isOpen(component.multipliers, 0);
  for (int column = 0; column < first; ++column) {
    if (places[column] >= 0) continue;
    for (linalg::SparseMatrix::InnerIterator it(*component.K, column); it; ++it) {
      if (it.row() >= first && it.value() != 0.0) isOpen[it.row() - first] = 1;
    }
  }
  std::vector<int> settled;
  for (int i = 0; i < component.multipliers; ++i) {
    if (isOpen[i] == 0) settled.push_back(first + i);
  }
  return settled;
}

linalg::SparseMatrix extract(const linalg::SparseMatrix& lower, const std::vector<int>& kept) {
  const std::vector<int> places = findPlaces(lower.rows(), kept);
  linalg::SparseMatrix part(kept.size(), kept.size());
  Eigen::VectorXi counts(kept.size());
  for (std::size_t column = 0; column < kept.size(); ++column) {
    const int* starts = lower.outerIndexPtr();
    counts[column] = starts[kept[column] + 1] - starts[kept[column]];
  }
  part.reserve(counts);
  for (std::size_t column = 0; column < kept.size(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(lower, kept[column]); it; ++it) {
      if (places[it.row()] >= 0)
        part.insert(places[it.row()], static_cast<int>(column)) = it.value();
    }
  }
  part.makeCompressed();
  return part;
}

Eigen::MatrixXd extractColumns(const linalg::SparseMatrix& lower, const std::vector<int>& rows,
                               const std::vector<int>& columns) {
  const std::vector<int> rowPlaces = findPlaces(lower.rows(), rows);
  const std::vector<int> columnPlaces = findPlaces(lower.rows(), columns);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows.size(), columns.size());
  for (int column = 0; column < lower.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(lower, column); it; ++it) {
      const auto row = static_cast<int>(it.row());
      if (row < column) continue;
      if (rowPlaces[row] >= 0 && columnPlaces[column] >= 0)
        dense(rowPlaces[row], columnPlaces[column]) = it.value();
      if (rowPlaces[column] >= 0 && columnPlaces[row] >= 0)
        dense(rowPlaces[column], columnPlaces[row]) = it.value();
    }
  }
  return dense;
}

}  // namespace flexloop::fem
