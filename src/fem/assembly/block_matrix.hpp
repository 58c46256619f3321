// Lower triangles of symmetric sparse matrices whose rows come in groups: the freedoms of a node. Columns of a group have the
// same pattern, so that it is found and searched by group, and sizes are known before anything is stored.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::fem {

// Lists of numbers, one after the other: list i is items[first[i]] … items[first[i + 1] − 1].
struct Lists {
  std::vector<int> first{0};
  std::vector<int> items;

  int count() const { return static_cast<int>(first.size()) - 1; }
  const int* begin(int i) const { return items.data() + first[i]; }
  const int* end(int i) const { return items.data() + first[i + 1]; }
  void close() { first.push_back(static_cast<int>(items.size())); }
};

// In which lists each number below `numbers` is.
Lists transpose(const Lists& lists, int numbers);

struct RowGroups {
  std::vector<int> first;      // row of each group
  std::vector<int> size;       // rows of it, at most six
  std::vector<char> isScalar;  // a block between two such groups is a multiple of the identity
  int rows = 0;

  int count() const { return static_cast<int>(first.size()); }
};

// By column group: the row groups at and below the diagonal, ascending, which share an element with it. In `stars` list i
// couples group `centres[i]` with all groups of the list, but not these with each other; centres come after all of them.
Lists findBlockPattern(int groups, const Lists& elements, const Lists& stars,
                       const std::vector<int>& centres);

class BlockMatrix {
 public:
  enum class Blocks { kFull, kScalarWhereAllowed };

  // Both must outlive this object.
  BlockMatrix(const RowGroups& groups, const Lists& pattern, Blocks blocks);

  // Adds the entries of a full symmetric matrix. `indices` has six numbers per group: the rows of the matrix that belong to
  // the rows of the group, -1 for none. The groups ascend, each once.
  void add(const std::vector<int>& members, const std::vector<int>& indices,
           const Eigen::MatrixXd& matrix);
  // One entry of a block below the diagonal.
  void addEntry(int rowGroup, int row, int columnGroup, int column, double value);

  void takeInto(linalg::SparseMatrix& matrix) { matrix.swap(matrix_); }

 private:
  bool isScalar(int rowGroup, int columnGroup) const {
    return blocks_ == Blocks::kScalarWhereAllowed && groups_.isScalar[rowGroup] != 0 &&
           groups_.isScalar[columnGroup] != 0;
  }
  int diagonalEntries(int group, int column) const {
    return isScalar(group, group) ? 1 : groups_.size[group] - column;
  }
  void addDiagonalBlock(int group, const int* rows, const Eigen::MatrixXd& matrix);
  void addBlock(int block, int rowGroup, const int* rows, int columnGroup, const int* columns,
                const Eigen::MatrixXd& matrix);

  const RowGroups& groups_;
  const Lists& pattern_;
  Blocks blocks_;
  std::vector<int>
      offsets_;  // by block: entries of a column between those of the diagonal block and of this one
  linalg::SparseMatrix matrix_;
};

}  // namespace flexloop::fem
