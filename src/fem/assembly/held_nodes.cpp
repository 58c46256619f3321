#include "fem/assembly/held_nodes.hpp"

namespace flexloop::fem {
namespace {

using linalg::SparseMatrix;

// Rows and columns with a number >= 0, which rise, so that a lower triangle stays one.
SparseMatrix selectEntries(const SparseMatrix& lower, const std::vector<int>& numbers, int size) {
  SparseMatrix selected(size, size);
  std::vector<int> counts(size, 0);
  for (int j = 0; j < lower.cols(); ++j) {
    if (numbers[j] < 0) continue;
    for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
      if (numbers[entry.row()] >= 0) ++counts[numbers[j]];
    }
  }
  selected.reserve(counts);
  for (int j = 0; j < lower.cols(); ++j) {
    if (numbers[j] < 0) continue;
    for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
      const int row = numbers[entry.row()];
      if (row >= 0) selected.insert(row, numbers[j]) = entry.value();
    }
  }
  selected.makeCompressed();
  return selected;
}

// Nodal freedoms that follow others have no unknown but a row of T that is not empty.
std::vector<char> findFollowing(const PartSystem& part) {
  std::vector<char> moves(part.unknownOf.size(), 0);
  for (int j = 0; j < part.T.cols(); ++j) {
    for (SparseMatrix::InnerIterator entry(part.T, j); entry; ++entry) moves[entry.row()] = 1;
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (part.unknownOf[i] >= 0) moves[i] = 0;
  }
  return moves;
}

}  // namespace

HeldResult holdNodes(const PartSystem& part, const std::vector<int>& nodes) {
  const std::vector<char> follows = findFollowing(part);
  std::vector<char> isHeld(part.unknowns(), 0);
  for (const int node : nodes) {
    for (int i = 6 * node; i < 6 * node + 6; ++i) {
      if (follows[i] != 0) return {{}, node};
      if (part.unknownOf[i] >= 0) isHeld[part.unknownOf[i]] = 1;
    }
  }
  std::vector<int> numbers(part.unknowns(), -1);
  int size = 0;
  for (int i = 0; i < part.unknowns(); ++i) {
    if (isHeld[i] == 0) numbers[i] = size++;
  }
  return {{selectEntries(part.K, numbers, size), selectEntries(part.M, numbers, size),
           part.multipliers}};
}

}  // namespace flexloop::fem
