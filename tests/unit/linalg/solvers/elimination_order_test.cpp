// The order of elimination: groups stay together, and a wire between the ends of a chain costs little.
#include "linalg/solvers/elimination_order.hpp"

#include <algorithm>
#include <vector>

#include <Eigen/SparseCholesky>
#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

constexpr int kWidth = 6;

struct Chain {
  SparseMatrix matrix;
  std::vector<int> groups;
};

// Nodes of six unknowns in a row; `wires` more unknowns in a row between the last node and the first.
Chain makeChain(int nodes, int wires) {
  const int n = kWidth * nodes + wires;
  std::vector<Eigen::Triplet<double, int>> entries;
  const auto couple = [&](int a, int b) {
    entries.emplace_back(a, b, -0.01);
    entries.emplace_back(b, a, -0.01);
  };
  Chain chain;
  for (int u = 0; u < n; ++u) {
    entries.emplace_back(u, u, 1.0);
    chain.groups.push_back(u < kWidth * nodes ? u / kWidth : nodes + u - kWidth * nodes);
  }
  for (int node = 0; node < nodes; ++node) {
    for (int i = 0; i < kWidth; ++i) {
      for (int j = 0; j < kWidth; ++j) {
        if (i < j) couple(kWidth * node + i, kWidth * node + j);
        if (node + 1 < nodes) couple(kWidth * node + i, kWidth * (node + 1) + j);
      }
    }
  }
  for (int w = 0; w + 1 < wires; ++w) couple(kWidth * nodes + w, kWidth * nodes + w + 1);
  for (int i = 0; i < kWidth && wires > 0; ++i) {
    couple(i, n - 1);
    couple(kWidth * (nodes - 1) + i, kWidth * nodes);
  }
  chain.matrix.resize(n, n);
  chain.matrix.setFromTriplets(entries.begin(), entries.end());
  return chain;
}

// By an independent factorisation.
long countFactorEntries(const Chain& chain, const std::vector<int>& order) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation(chain.matrix.rows());
  for (std::size_t k = 0; k < order.size(); ++k) {
    permutation.indices()[order[k]] = static_cast<int>(k);
  }
  const SparseMatrix permuted = permutation * chain.matrix * permutation.transpose();
  const Eigen::SimplicialLLT<SparseMatrix, Eigen::Lower, Eigen::NaturalOrdering<int>> factor(
      permuted);
  EXPECT_EQ(factor.info(), Eigen::Success);
  return SparseMatrix(factor.matrixL()).nonZeros();
}

TEST(EliminationOrder, KeepsGroupsTogether) {
  const Chain chain = makeChain(20, 7);
  const std::vector<int> order = makeEliminationOrder(chain.matrix, chain.groups);
  std::vector<int> sorted = order, seen;
  std::sort(sorted.begin(), sorted.end());
  for (int u = 0; u < static_cast<int>(sorted.size()); ++u) EXPECT_EQ(sorted[u], u);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const int group = chain.groups[order[k]];
    if (k > 0 && group == chain.groups[order[k - 1]]) {
      EXPECT_EQ(order[k], order[k - 1] + 1) << "the order inside a group is kept";
      continue;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), group), 0) << "group " << group << " is torn";
    seen.push_back(group);
  }
}

TEST(EliminationOrder, AChainFillsNothing) {
  const Chain chain = makeChain(40, 0);
  EXPECT_EQ(countFactorEntries(chain, makeEliminationOrder(chain.matrix, chain.groups)),
            SparseMatrix(chain.matrix.triangularView<Eigen::Lower>()).nonZeros());
}

TEST(EliminationOrder, AWireBetweenTheEndsCostsANarrowBorder) {
  const Chain open = makeChain(160, 0), ring = makeChain(160, 30);
  const long chain = countFactorEntries(open, makeEliminationOrder(open.matrix, open.groups));
  const long closed = countFactorEntries(ring, makeEliminationOrder(ring.matrix, ring.groups));
  // One more row of six entries by node, and the wires.
  EXPECT_LE(closed, chain + 160L * kWidth + 4 * 30);
}

TEST(EliminationOrder, OneGroupAlone) {
  const Chain chain = makeChain(1, 0);
  EXPECT_EQ(makeEliminationOrder(chain.matrix, chain.groups).size(), 6u);
}

}  // namespace
}  // namespace flexloop::linalg
