// Lowest modes against closed forms: lattices of masses and springs, whose frequencies are sums of those of chains.
#include "linalg/symmetric/lowest_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace flexloop::linalg {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Triplets = std::vector<Eigen::Triplet<double>>;

struct Pair {
  SparseMatrix K, M;
  int multipliers = 0;
};

SparseMatrix makeLower(int n, const Triplets& entries) {
  SparseMatrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

void addSpring(Triplets& K, int a, int b, double k) {
  K.emplace_back(a, a, k);
  K.emplace_back(b, b, k);
  K.emplace_back(std::max(a, b), std::min(a, b), -k);
}

// A free cube of n³ masses with springs between neighbours, in `copies` equal layers that do not know of each other:
// λ = Σ 4 k/m sin²(π i/2n), each as often as there are copies.
Pair makeLattice(int n, int copies, double k, double m) {
  const auto index = [&](int x, int y, int z, int c) {
    return (((x * n) + y) * n + z) * copies + c;
  };
  Triplets K, M;
  for (int c = 0; c < copies; ++c) {
    for (int x = 0; x < n; ++x) {
      for (int y = 0; y < n; ++y) {
        for (int z = 0; z < n; ++z) {
          const int here = index(x, y, z, c);
          M.emplace_back(here, here, m);
          if (x + 1 < n) addSpring(K, here, index(x + 1, y, z, c), k);
          if (y + 1 < n) addSpring(K, here, index(x, y + 1, z, c), k);
          if (z + 1 < n) addSpring(K, here, index(x, y, z + 1, c), k);
        }
      }
    }
  }
  const int size = n * n * n * copies;
  return {makeLower(size, K), makeLower(size, M)};
}

std::vector<double> latticeValues(int n, int copies, double k, double m) {
  const auto chain = [&](int i) {
    return 4.0 * k / m * std::pow(std::sin(std::numbers::pi * i / (2.0 * n)), 2);
  };
  std::vector<double> values;
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      for (int z = 0; z < n; ++z)
        values.insert(values.end(), copies, chain(x) + chain(y) + chain(z));
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

void expectModes(const Pair& pair, const LowestModes& modes, const std::vector<double>& exact,
                 int count) {
  ASSERT_EQ(modes.status, ModesStatus::kFound);
  ASSERT_EQ(modes.values.size(), count);
  for (int i = 0; i < count; ++i) {
    EXPECT_NEAR(modes.values[i], exact[i], 1e-9 * exact[count - 1]) << i;
  }
  const MatrixXd gram = modes.vectors.transpose() * multiplySymmetric(pair.M, modes.vectors);
  EXPECT_LT((gram - MatrixXd::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-10);
  const MatrixXd residual = multiplySymmetric(pair.K, modes.vectors) -
                            multiplySymmetric(pair.M, modes.vectors) * modes.values.asDiagonal();
  EXPECT_LT(residual.norm(), 1e-6 * multiplySymmetric(pair.K, modes.vectors).norm());
}

// Six copies: zero and every other mode six times and more, wider than the block.
TEST(LowestModes, OfAFreeLatticeHaveTheirMultiplicities) {
  const Pair pair = makeLattice(5, 6, 3.0, 2.0);
  ModeRequest request;
  request.count = 30;
  const LowestModes modes = findLowestModes(pair.K, pair.M, 0, request);
  expectModes(pair, modes, latticeValues(5, 6, 3.0, 2.0), 30);
  EXPECT_TRUE(modes.verified);
  EXPECT_EQ(modes.zeros, 6);
}

TEST(LowestModes, BelowALimitAreCountedFirst) {
  const Pair pair = makeLattice(6, 1, 1.0, 1.0);
  const std::vector<double> exact = latticeValues(6, 1, 1.0, 1.0);
  ModeRequest request;
  request.count = 100;
  request.below = 0.9;
  const LowestModes modes = findLowestModes(pair.K, pair.M, 0, request);
  const int count =
      static_cast<int>(std::lower_bound(exact.begin(), exact.end(), 0.9) - exact.begin());
  expectModes(pair, modes, exact, count);
  EXPECT_TRUE(modes.verified);
  request.count = 3;
  EXPECT_EQ(findLowestModes(pair.K, pair.M, 0, request).status, ModesStatus::kTooMany);
}

TEST(LowestModes, DoNotDependOnUnits) {
  for (const double k : {1e-12, 1.0, 1e12}) {
    for (const double m : {1e-12, 1.0, 1e12}) {
      const Pair pair = makeLattice(4, 1, k, m);
      ModeRequest request;
      request.count = 9;
      const LowestModes modes = findLowestModes(pair.K, pair.M, 0, request);
      expectModes(pair, modes, latticeValues(4, 1, k, m), 9);
      EXPECT_EQ(modes.zeros, 1) << k << ' ' << m;
    }
  }
}

// As many as there are, and no more.
TEST(LowestModes, OfASmallMatrixAreAllOfThem) {
  const Pair pair = makeLattice(2, 1, 1.0, 1.0);
  ModeRequest request;
  request.count = 20;
  const LowestModes modes = findLowestModes(pair.K, pair.M, 0, request);
  expectModes(pair, modes, latticeValues(2, 1, 1.0, 1.0), 8);
}

// A chain of n masses with its first node held by a multiplier and a massless follower of its last one held to it by another:
// λ = 4 k/m sin²(π (2i − 1)/(4n − 2)) of a chain whose first mass is held.
TEST(LowestModes, WithMultipliersCountTheirPivots) {
  const int n = 40;
  Triplets K, M;
  for (int i = 0; i < n; ++i) M.emplace_back(i, i, 1.0);
  for (int i = 0; i + 1 < n; ++i) addSpring(K, i, i + 1, 1.0);
  K.emplace_back(n + 1, 0, 1.0);
  K.emplace_back(n + 2, n - 1, 1.0);
  K.emplace_back(n + 2, n, -1.0);
  const Pair pair{makeLower(n + 3, K), makeLower(n + 3, M), 2};
  std::vector<double> exact;
  for (int i = 1; i <= 10; ++i)
    exact.push_back(4.0 * std::pow(std::sin(std::numbers::pi * (2 * i - 1) / (4.0 * n - 2.0)), 2));
  ModeRequest request;
  request.count = 6;
  const LowestModes modes = findLowestModes(pair.K, pair.M, 2, request);
  ASSERT_EQ(modes.status, ModesStatus::kFound);
  EXPECT_TRUE(modes.verified);
  EXPECT_EQ(modes.zeros, 0);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(modes.values[i], exact[i], 1e-10 * exact[i]);
    EXPECT_NEAR(modes.vectors(n, i), modes.vectors(n - 1, i), 1e-10);
    EXPECT_NEAR(modes.vectors(0, i), 0.0, 1e-10);
  }
}

TEST(LowestModes, OfAnIndefiniteStiffnessNameTheUnknown) {
  Pair pair = makeLattice(4, 1, 1.0, 1.0);
  pair.K.coeffRef(37, 37) = -2.0;
  const LowestModes modes = findLowestModes(pair.K, pair.M, 0, {});
  EXPECT_EQ(modes.status, ModesStatus::kIndefinite);
  EXPECT_EQ(modes.unknown, 37);
}

TEST(LowestModes, OfAnUnknownWithNeitherStiffnessNorMassNameIt) {
  Pair pair = makeLattice(4, 1, 1.0, 1.0);
  pair.K.conservativeResize(65, 65);
  pair.M.conservativeResize(65, 65);
  const LowestModes modes = findLowestModes(pair.K, pair.M, 0, {});
  EXPECT_EQ(modes.status, ModesStatus::kSingular);
  EXPECT_EQ(modes.unknown, 64);
}

TEST(LowestModes, StopWhereTheyAreTold) {
  const Pair pair = makeLattice(4, 1, 1.0, 1.0);
  int calls = 0;
  const LowestModes modes =
      findLowestModes(pair.K, pair.M, 0, {}, [&](double, const char*) { return ++calls < 3; });
  EXPECT_EQ(modes.status, ModesStatus::kStopped);
  EXPECT_EQ(calls, 3);
}

// Large enough for factors in single precision at first, which show where to count.
TEST(LowestModes, OfALargeLatticeAreCountedAtTheGapSlow) {
  const Pair pair = makeLattice(37, 1, 1.0, 1.0);
  const std::vector<double> exact = latticeValues(37, 1, 1.0, 1.0);
  ModeRequest request;
  request.count = 10;
  request.scale = exact[1];
  const auto modes = findLowestModesByGap(pair.K, pair.M, request);
  ASSERT_TRUE(modes);
  expectModes(pair, *modes, exact, 10);
  EXPECT_TRUE(modes->verified);
  EXPECT_EQ(modes->zeros, 1);
}

TEST(LowestModes, AreTheSameBitsAgain) {
  const Pair pair = makeLattice(5, 2, 3.0, 2.0);
  const LowestModes first = findLowestModes(pair.K, pair.M, 0, {});
  const LowestModes second = findLowestModes(pair.K, pair.M, 0, {});
  EXPECT_EQ(first.vectors, second.vectors);
}

}  // namespace
}  // namespace flexloop::linalg
