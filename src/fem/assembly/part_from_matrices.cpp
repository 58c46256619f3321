#include "fem/assembly/part_from_matrices.hpp"

#include <cmath>
#include <optional>

#include "base/text_format.hpp"
#include "fem/assembly/element_scatter.hpp"
#include "fem/assembly/finish_part.hpp"
#include "fem/assembly/point_mass.hpp"

namespace flexloop::fem {
namespace {

using base::Failure;
using base::formatText;
using Eigen::MatrixXd;
using linalg::SparseMatrix;

// Digits of a matrix that was written as text.
constexpr double kSymmetry = 1e-6;

std::optional<Failure> checkMatrix(const SparseMatrix& A, const char* name, int nodes) {
  if (A.rows() != A.cols()) {
    return Failure{formatText("%s is not square: %d rows and %d columns", name,
                              static_cast<int>(A.rows()), static_cast<int>(A.cols()))};
  }
  if (A.rows() != 3 * nodes && A.rows() != 6 * nodes) {
    return Failure{
        formatText("%s has %d rows for %d nodes", name, static_cast<int>(A.rows()), nodes),
        "there are three or six rows per node"};
  }
  double largest = 0.0;
  for (int j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry) {
      if (!std::isfinite(entry.value())) {
        return Failure{formatText("%s has an entry that is no number in row %d", name,
                                  static_cast<int>(entry.row()) + 1)};
      }
      largest = std::max(largest, std::abs(entry.value()));
    }
  }
  const SparseMatrix difference = A - SparseMatrix(A.transpose());
  for (int j = 0; j < difference.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator entry(difference, j); entry; ++entry) {
      if (std::abs(entry.value()) <= kSymmetry * largest) continue;
      return Failure{formatText("%s is not symmetric: row %d, column %d", name,
                                static_cast<int>(entry.row()) + 1, j + 1),
                     "store both triangles, or say `symmetric` in the Matrix Market header"};
    }
    const double diagonal = A.coeff(j, j);
    if (diagonal < 0.0) {
      return Failure{formatText("%s has the negative entry %g on its diagonal, row %d", name,
                                diagonal, j + 1)};
    }
  }
  return {};
}

// Blocks of nodes in and below the diagonal: visit(row node, column node, block).
template <class Visit>
void forEachBlock(const SparseMatrix& A, int perNode, const Visit& visit) {
  const auto nodes = static_cast<int>(A.rows()) / perNode;
  std::vector<int> slot(nodes, -1);
  std::vector<int> rows;
  std::vector<MatrixXd> blocks;
  for (int node = 0; node < nodes; ++node) {
    rows.clear();
    for (int k = 0; k < perNode; ++k) {
      for (SparseMatrix::InnerIterator entry(A, perNode * node + k); entry; ++entry) {
        const auto other = static_cast<int>(entry.row()) / perNode;
        if (other < node || entry.value() == 0.0) continue;
        if (slot[other] < 0) {
          slot[other] = static_cast<int>(rows.size());
          rows.push_back(other);
          if (blocks.size() < rows.size()) blocks.emplace_back();
          blocks[slot[other]].setZero(perNode, perNode);
        }
        blocks[slot[other]](entry.row() % perNode, k) = entry.value();
      }
    }
    for (const int other : rows) {
      MatrixXd& block = blocks[slot[other]];
      if (other == node) block = 0.5 * (block + block.transpose()).eval();
      visit(other, node, block);
      slot[other] = -1;
    }
  }
}

class MatrixPart {
 public:
  MatrixPart(const Mesh& mesh, int nodes, const SparseMatrix& K, const SparseMatrix& M)
      : mesh_(mesh), perNode_(static_cast<int>(K.rows()) / nodes), K_(K), M_(M) {
    for (const SparseMatrix* A : {&K, &M}) {
      forEachBlock(*A, perNode_, [&](int row, int column, const MatrixXd&) {
        pairs_.items.push_back(column);
        if (row != column) pairs_.items.push_back(row);
        pairs_.close();
      });
    }
    for (const PointMass& mass : mesh.masses) {
      pairs_.items.push_back(mass.node);
      pairs_.close();
    }
  }

  std::vector<unsigned char> findStiffComponents() const {
    std::vector<unsigned char> result(mesh_.points.size(), 0);
    for (int j = 0; j < K_.outerSize(); ++j) {
      if (K_.coeff(j, j) > 0.0) {
        result[j / perNode_] |= static_cast<unsigned char>(1U << (j % perNode_));
      }
    }
    return result;
  }

  void fill(const FreedomMap& map, PartSystem& part) {
    const Lists groups = findGroups(map);
    const Lists pattern =
        findBlockPattern(map.groups.count(), groups, findStars(map), findStarCentres(map));
    BlockMatrix K(map.groups, pattern, BlockMatrix::Blocks::kFull);
    BlockMatrix M(map.groups, pattern, BlockMatrix::Blocks::kFull);
    const RowGroups nodal = makeNodalGroups();
    const Lists nodalPattern = findBlockPattern(nodal.count(), pairs_, {}, {});
    BlockMatrix nodalMass(nodal, nodalPattern, BlockMatrix::Blocks::kFull);
    forEachBlock(K_, perNode_, [&](int row, int column, const MatrixXd& block) {
      addUnknowns(map, row, column, block, K);
    });
    forEachBlock(M_, perNode_, [&](int row, int column, const MatrixXd& block) {
      addUnknowns(map, row, column, block, M);
      findNodalPlaces(nodal, pair_, count_, perNode_, places_);
      nodalMass.add(places_.members, places_.indices, whole_);
    });
    for (const PointMass& mass : mesh_.masses) {
      calcPointMass(mass, whole_);
      findUnknownPlaces(map, &mass.node, 1, 6, places_);
      M.add(places_.members, places_.indices, places_.project(whole_, buffer_));
      findNodalPlaces(nodal, &mass.node, 1, 6, places_);
      nodalMass.add(places_.members, places_.indices, whole_);
    }
    K.takeInto(part.K);
    M.takeInto(part.M);
    nodalMass.takeInto(part.nodalMass);
  }

 private:
  // A pair of nodes is added like an element that has the block and its transpose only.
  void addUnknowns(const FreedomMap& map, int row, int column, const MatrixXd& block,
                   BlockMatrix& matrix) {
    pair_[0] = column;
    pair_[1] = row;
    count_ = row == column ? 1 : 2;
    if (count_ == 1) {
      whole_ = block;
    } else {
      whole_.setZero(2 * perNode_, 2 * perNode_);
      whole_.bottomLeftCorner(perNode_, perNode_) = block;
      whole_.topRightCorner(perNode_, perNode_) = block.transpose();
    }
    findUnknownPlaces(map, pair_, count_, perNode_, places_);
    matrix.add(places_.members, places_.indices, places_.project(whole_, buffer_));
  }

  Lists findGroups(const FreedomMap& map) const {
    Lists result;
    ElementPlaces places;
    for (int i = 0; i < pairs_.count(); ++i) {
      const auto count = static_cast<int>(pairs_.end(i) - pairs_.begin(i));
      findUnknownPlaces(map, pairs_.begin(i), count, 6, places);
      result.items.insert(result.items.end(), places.members.begin(), places.members.end());
      result.close();
    }
    return result;
  }

  RowGroups makeNodalGroups() const {
    RowGroups groups;
    const auto nodes = static_cast<int>(mesh_.points.size());
    groups.rows = 6 * nodes;
    groups.size.assign(nodes, 6);
    groups.isScalar.assign(nodes, 0);
    for (int node = 0; node < nodes; ++node) groups.first.push_back(6 * node);
    return groups;
  }

  const Mesh& mesh_;
  int perNode_;
  const SparseMatrix &K_, &M_;
  Lists pairs_;  // nodes that are coupled, and single ones
  int pair_[2] = {0, 0};
  int count_ = 0;
  ElementPlaces places_;
  MatrixXd whole_, buffer_;
};

}  // namespace

base::Result<PartSystem> makePartFromMatrices(const Mesh& mesh, int nodes, const SparseMatrix& K,
                                              const SparseMatrix& M) {
  if (nodes < 1) return Failure{"there are no nodes for the matrices"};
  if (auto failure = checkMatrix(K, "K", nodes)) return *failure;
  if (auto failure = checkMatrix(M, "M", nodes)) return *failure;
  if (K.rows() != M.rows()) {
    return Failure{formatText("K has %d rows and M has %d", static_cast<int>(K.rows()),
                              static_cast<int>(M.rows())),
                   "both belong to the same freedoms"};
  }
  MatrixPart given(mesh, nodes, K, M);
  return makePart(mesh, given.findStiffComponents(), std::vector<char>(mesh.points.size(), 0),
                  [&](const FreedomMap& map, PartSystem& part) -> std::optional<Failure> {
                    given.fill(map, part);
                    return {};
                  });
}

}  // namespace flexloop::fem
