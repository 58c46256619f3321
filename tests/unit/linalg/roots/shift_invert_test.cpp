// The roots of large pencils nearest to a point: chains of springs and masses, whose roots are known in
// closed form, with all that closed loops add to them.
#include "linalg/roots/shift_invert.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <ctime>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "linalg/roots/pencil_operator.hpp"
#include "linalg/roots/root_search.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Triplets = std::vector<Eigen::Triplet<double, int>>;

struct Entries {
  Triplets K, C, M;

  QuadraticPencil assemble(int n) const {
    QuadraticPencil pencil{SparseMatrix(n, n), SparseMatrix(n, n), SparseMatrix(n, n)};
    pencil.K.setFromTriplets(K.begin(), K.end());
    pencil.C.setFromTriplets(C.begin(), C.end());
    pencil.M.setFromTriplets(M.begin(), M.end());
    return pencil;
  }
};

enum class Ends { kHeld, kFree };

// n masses of 1 in a row with springs of 1, and C = mass·M + stiffness·K.
void addChain(Entries& entries, int first, int n, Ends ends = Ends::kHeld, double mass = 0.0,
              double stiffness = 0.0) {
  const auto addStiffness = [&](int row, int column, double value) {
    entries.K.emplace_back(first + row, first + column, value);
    if (stiffness != 0.0) entries.C.emplace_back(first + row, first + column, stiffness * value);
  };
  for (int i = 0; i < n; ++i) {
    entries.M.emplace_back(first + i, first + i, 1.0);
    if (mass != 0.0) entries.C.emplace_back(first + i, first + i, mass);
    const bool last = i == 0 || i == n - 1;
    addStiffness(i, i, ends == Ends::kFree && last ? 1.0 : 2.0);
    if (i > 0) addStiffness(i, i - 1, -1.0);
    if (i + 1 < n) addStiffness(i, i + 1, -1.0);
  }
}

// K v = ω² M v: ω = 2 sin(jπ/(2(n + 1))), j from 1, with held ends; 2 sin(jπ/(2n)), j from 0, with free ones.
std::vector<double> calcFrequencies(int n, Ends ends = Ends::kHeld) {
  std::vector<double> frequencies;
  for (int j = 0; j < n; ++j) {
    frequencies.push_back(ends == Ends::kHeld
                              ? 2.0 * std::sin((j + 1) * std::numbers::pi / (2.0 * (n + 1)))
                              : 2.0 * std::sin(j * std::numbers::pi / (2.0 * n)));
  }
  return frequencies;
}

// s² + (mass + stiffness ω²) s + ω² = 0, of conjugate pairs the upper one, nearest to the shift first.
std::vector<Complex> calcRoots(const std::vector<double>& frequencies, double mass,
                               double stiffness, Complex shift, int count) {
  std::vector<Complex> roots;
  for (const double frequency : frequencies) {
    const double square = frequency * frequency, damping = 0.5 * (mass + stiffness * square);
    const double discriminant = damping * damping - square;
    if (discriminant < 0.0) {
      roots.emplace_back(-damping, std::sqrt(-discriminant));
    } else {
      const double fast = -damping - std::sqrt(discriminant);
      roots.emplace_back(fast, 0.0);
      roots.emplace_back(square / fast, 0.0);
    }
  }
  std::sort(roots.begin(), roots.end(),
            [&](Complex a, Complex b) { return std::abs(a - shift) < std::abs(b - shift); });
  roots.resize(std::min(roots.size(), static_cast<std::size_t>(count)));
  return roots;
}

void expectRoots(const NearestResult& result, const std::vector<Complex>& exact,
                 double tolerance = 1e-9) {
  EXPECT_TRUE(result.converged()) << messageOf(result.failure);
  EXPECT_EQ(messageOf(result.failure), "");
  ASSERT_EQ(result.pairs.size(), exact.size());
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const Complex s = result.pairs[k].value;
    EXPECT_LT(std::abs(s - exact[k]), tolerance * std::abs(exact[k]) + 1e-300)
        << k << ": " << s << " instead of " << exact[k];
    EXPECT_LT(result.pairs[k].residual, 1e-12) << k;
  }
}

void expectIndependent(const NearestResult& result) {
  Eigen::MatrixXcd Z(result.pairs.front().vector.size(), result.pairs.size());
  for (std::size_t k = 0; k < result.pairs.size(); ++k) Z.col(k) = result.pairs[k].vector;
  // Modes of undamped chains are orthogonal, but for those of one root.
  for (int k = 0; k < Z.cols(); ++k) {
    Eigen::VectorXcd rest = Z.col(k);
    for (int j = 0; j < k; ++j) rest -= Z.col(j) * Z.col(j).dot(rest);
    EXPECT_GT(rest.norm(), 0.1) << k;
    Z.col(k) = rest.normalized();
  }
}

TEST(ShiftInvert, FindsTheSlowestModesOfAChain) {
  Entries entries;
  addChain(entries, 0, 2000);
  const NearestResult result = findNearest(entries.assemble(2000), {});
  expectRoots(result, calcRoots(calcFrequencies(2000), 0.0, 0.0, 0.0, 10));
  expectIndependent(result);
}

TEST(ShiftInvert, FindsDampedRoots) {
  Entries entries;
  addChain(entries, 0, 2000, Ends::kHeld, 1e-4, 0.3);
  const NearestResult result = findNearest(entries.assemble(2000), {});
  expectRoots(result, calcRoots(calcFrequencies(2000), 1e-4, 0.3, 0.0, 10));
}

// Strong damping: all slow roots are real, one by one.
TEST(ShiftInvert, FindsRealRootsOneByOne) {
  Entries entries;
  addChain(entries, 0, 500, Ends::kHeld, 0.5, 0.0);
  const NearestResult result = findNearest(entries.assemble(500), {.count = 25});
  const std::vector<Complex> exact = calcRoots(calcFrequencies(500), 0.5, 0.0, 0.0, 25);
  EXPECT_EQ(exact.front().imag(), 0.0);
  expectRoots(result, exact);
}

TEST(ShiftInvert, FindsTheRootsNearARealShift) {
  Entries entries;
  addChain(entries, 0, 500, Ends::kHeld, 0.5, 0.0);
  const NearestResult result = findNearest(entries.assemble(500), {.shift = -0.3, .count = 12});
  expectRoots(result, calcRoots(calcFrequencies(500), 0.5, 0.0, -0.3, 12));
}

TEST(ShiftInvert, FindsTheRootsNearAComplexShift) {
  Entries entries;
  addChain(entries, 0, 2000, Ends::kHeld, 1e-3, 0.01);
  const QuadraticPencil pencil = entries.assemble(2000);
  const Complex shift(-0.01, 0.8);
  const NearestResult result = findNearest(pencil, {.shift = shift, .count = 15});
  expectRoots(result, calcRoots(calcFrequencies(2000), 1e-3, 0.01, shift, 15));
  const NearestResult conjugate = findNearest(pencil, {.shift = std::conj(shift), .count = 15});
  ASSERT_EQ(conjugate.pairs.size(), 15U);
  EXPECT_EQ(conjugate.pairs[7].value, result.pairs[7].value);
}

// So near to the real axis that half of what it finds are conjugates, which do not count.
TEST(ShiftInvert, DoesNotCountConjugates) {
  Entries entries;
  addChain(entries, 0, 300, Ends::kHeld, 1e-3, 0.1);
  const Complex shift(0.0, 1e-3);
  const NearestResult result = findNearest(entries.assemble(300), {.shift = shift, .count = 30});
  expectRoots(result, calcRoots(calcFrequencies(300), 1e-3, 0.1, shift, 30));
}

// A multiplier holds mass 700 of 2000, so that two chains are left. Mass 300 is made of 0.4 and of an
// accelerometer whose signal y = 0.6 x'' pushes back: P has a zero row and column for the multiplier,
// and M is unsymmetric.
Entries makeClosedLoop(int n, int held, int pushed, double mass, double stiffness) {
  Entries entries;
  addChain(entries, 0, n, Ends::kHeld, mass, stiffness);
  entries.K.emplace_back(held, n, 1.0);
  entries.K.emplace_back(n, held, 1.0);
  entries.M.emplace_back(pushed, pushed, -0.6);
  entries.K.emplace_back(pushed, n + 1, 1.0);
  entries.K.emplace_back(n + 1, n + 1, 1.0);
  entries.M.emplace_back(n + 1, pushed, -0.6);
  return entries;
}

std::vector<double> calcHeldFrequencies(int n, int held) {
  std::vector<double> frequencies = calcFrequencies(held);
  const std::vector<double> right = calcFrequencies(n - 1 - held);
  frequencies.insert(frequencies.end(), right.begin(), right.end());
  return frequencies;
}

TEST(ShiftInvert, SeesConstraintsAndAccelerationFeedback) {
  for (const double stiffness : {0.0, 0.2}) {
    const Entries entries = makeClosedLoop(2000, 700, 300, 0.0, stiffness);
    const NearestResult result = findNearest(entries.assemble(2002), {});
    expectRoots(result, calcRoots(calcHeldFrequencies(2000, 700), 0.0, stiffness, 0.0, 10));
    for (const Eigenpair& pair : result.pairs) EXPECT_LT(std::abs(pair.vector[700]), 1e-12);
  }
}

TEST(ShiftInvert, SeesThemFromAComplexShiftToo) {
  const Entries entries = makeClosedLoop(200, 70, 30, 0.01, 0.02);
  const Complex shift(0.0, 1.0);
  const NearestResult result = findNearest(entries.assemble(202), {.shift = shift});
  expectRoots(result, calcRoots(calcHeldFrequencies(200, 70), 0.01, 0.02, shift, 10));
}

TEST(ShiftInvert, EliminatesByGroups) {
  const Entries entries = makeClosedLoop(200, 70, 30, 0.01, 0.02);
  std::vector<int> groups(202);
  std::iota(groups.begin(), groups.end(), 0);
  groups[200] = 70;
  groups[201] = 30;
  for (const Complex shift : {Complex(0.0), Complex(0.0, 1.0)}) {
    expectRoots(findNearest(entries.assemble(202), {.shift = shift, .groups = groups}),
                calcRoots(calcHeldFrequencies(200, 70), 0.01, 0.02, shift, 10));
  }
}

// Fewer roots than asked for: all of them, and none of the infinite ones, which rounding makes huge.
TEST(ShiftInvert, LeavesInfiniteRootsOut) {
  for (const double stiffness : {0.0, 0.2}) {
    const Entries entries = makeClosedLoop(12, 4, 8, 0.0, stiffness);
    const NearestResult result = findNearest(entries.assemble(14), {.count = 40});
    expectRoots(result, calcRoots(calcHeldFrequencies(12, 4), 0.0, stiffness, 0.0, 40));
    const NearestResult shifted =
        findNearest(entries.assemble(14), {.shift = {0.0, 0.7}, .count = 40});
    expectRoots(shifted, calcRoots(calcHeldFrequencies(12, 4), 0.0, stiffness, {0.0, 0.7}, 40));
  }
}

TEST(ShiftInvert, FindsEveryCopyOfAMultipleRoot) {
  for (const int copies : {2, 5}) {
    for (const double mass : {0.0, 1e-3}) {
      constexpr int kMasses = 400;
      Entries entries;
      std::vector<double> frequencies;
      for (int copy = 0; copy < copies; ++copy) {
        addChain(entries, copy * kMasses, kMasses, Ends::kHeld, mass);
        const std::vector<double> more = calcFrequencies(kMasses);
        frequencies.insert(frequencies.end(), more.begin(), more.end());
      }
      const NearestResult result =
          findNearest(entries.assemble(copies * kMasses), {.count = 4 * copies});
      expectRoots(result, calcRoots(frequencies, mass, 0.0, 0.0, 4 * copies));
      expectIndependent(result);
      const Complex shift(0.0, 0.5);
      expectRoots(
          findNearest(entries.assemble(copies * kMasses), {.shift = shift, .count = 4 * copies}),
          calcRoots(frequencies, mass, 0.0, shift, 4 * copies));
    }
  }
}

// K alone is singular: the shift has to move. Two chains, thus two free motions.
TEST(ShiftInvert, FindsFreeMotions) {
  for (const int n : {5, 2000}) {
    for (const double stiffness : {0.0, 0.1}) {
      Entries entries;
      addChain(entries, 0, n, Ends::kFree, 0.0, stiffness);
      addChain(entries, n, n, Ends::kFree, 0.0, stiffness);
      const std::vector<double> one = calcFrequencies(n, Ends::kFree);
      std::vector<Complex> exact(2, 0.0);
      for (int j = 1; j < 5; ++j) {
        const Complex root = calcRoots({one[j]}, 0.0, stiffness, 0.0, 1).front();
        exact.insert(exact.end(), {root, root});
      }
      const NearestResult result = findNearest(entries.assemble(2 * n), {.count = 10});
      expectRoots(result, exact, n == 5 ? 1e-9 : 1e-7);
      expectIndependent(result);
    }
  }
}

TEST(ShiftInvert, TakesAShiftThatIsARoot) {
  Entries entries;
  addChain(entries, 0, 20);
  const Complex shift(0.0, calcFrequencies(20)[4]);
  expectRoots(findNearest(entries.assemble(20), {.shift = shift, .count = 5}),
              calcRoots(calcFrequencies(20), 0.0, 0.0, shift, 5));
}

TEST(ShiftInvert, GivesTheSameBitsAgain) {
  Entries entries;
  addChain(entries, 0, 300, Ends::kHeld, 1e-3, 0.1);
  addChain(entries, 300, 300, Ends::kHeld, 1e-3, 0.1);
  const QuadraticPencil pencil = entries.assemble(600);
  const NearestResult first = findNearest(pencil, {}), second = findNearest(pencil, {});
  ASSERT_EQ(first.pairs.size(), second.pairs.size());
  for (std::size_t k = 0; k < first.pairs.size(); ++k) {
    EXPECT_EQ(first.pairs[k].value, second.pairs[k].value);
    EXPECT_EQ(first.pairs[k].vector, second.pairs[k].vector);
  }
}

TEST(ShiftInvert, TellsWhatIsWrong) {
  Entries entries;
  addChain(entries, 0, 50, Ends::kHeld, 0.1);
  QuadraticPencil pencil = entries.assemble(51);  // the last unknown has no equation
  EXPECT_NE(messageOf(findNearest(pencil, {}).failure).find("singular"), std::string::npos);
  pencil = entries.assemble(50);
  const NearestResult result = findNearest(pencil, {.count = 20, .maxRestarts = 1});
  EXPECT_FALSE(result.converged());
  EXPECT_NE(messageOf(result.failure).find("of 20 roots"), std::string::npos)
      << messageOf(result.failure);
  pencil.C.coeffRef(3, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(messageOf(findNearest(pencil, {}).failure).find("not finite numbers"),
            std::string::npos);
}

TEST(ShiftInvert, APencilOfConstantsHasNoRoots) {
  Entries entries;
  entries.K = {{0, 0, 1.0}, {1, 1, 2.0}};
  const NearestResult result = findNearest(entries.assemble(2), {});
  EXPECT_TRUE(result.converged());
  EXPECT_TRUE(result.pairs.empty());
}

// Three masses, a multiplier between the first and the last, a first-order filter and an algebraic signal
// that feeds an acceleration back. Truth:
//
//   /usr/bin/python3 -c '
//   import numpy as np, scipy.linalg as sl
//   K = np.array([[3, -1, 0, 1, 0, 2], [-1, 2, -.5, 0, 0, 0], [0, -.5, 1.5, -1, 0, 0],
//                 [1, 0, -1, 0, 0, 0], [0, -1, 0, 0, 4, 0], [0, .5, 0, 0, -3, 1.]])
//   C = np.diag([.2, .1, 0, 0, 1, 0]); C[0, 1] = -.3
//   M = np.diag([1., 2, .5, 0, 0, 0]); M[5, 2] = -.4
//   I, Z = np.eye(6), np.zeros((6, 6))
//   print(sl.eigvals(np.block([[Z, I], [-K, -C]]), np.block([[I, Z], [Z, M]])))'
TEST(ShiftInvert, AgreesWithADenseSolver) {
  Entries entries;
  entries.K = {{0, 0, 3.0},  {0, 1, -1.0}, {0, 3, 1.0}, {0, 5, 2.0},  {1, 0, -1.0}, {1, 1, 2.0},
               {1, 2, -0.5}, {2, 1, -0.5}, {2, 2, 1.5}, {2, 3, -1.0}, {3, 0, 1.0},  {3, 2, -1.0},
               {4, 1, -1.0}, {4, 4, 4.0},  {5, 1, 0.5}, {5, 4, -3.0}, {5, 5, 1.0}};
  entries.C = {{0, 0, 0.2}, {1, 1, 0.1}, {4, 4, 1.0}, {0, 1, -0.3}};
  entries.M = {{0, 0, 1.0}, {1, 1, 2.0}, {2, 2, 0.5}, {5, 2, -0.4}};
  const QuadraticPencil pencil = entries.assemble(6);
  const Complex unstable(0.040133074499873723, 0.8414889855326863);
  const Complex stable(-0.10531978586008282, 1.510776056751873);
  const Complex filter(-4.006583099018712, 0.0);
  expectRoots(findNearest(pencil, {}), {unstable, stable, filter}, 1e-12);
  expectRoots(findNearest(pencil, {.shift = -3.0}), {filter, unstable, stable}, 1e-12);
  expectRoots(findNearest(pencil, {.shift = {0.0, 2.0}}), {stable, unstable, filter}, 1e-12);
  expectRoots(findNearest(pencil, {.shift = {0.0, 2.0}, .count = 2}), {stable, unstable}, 1e-12);
}

// A row of masses in units that grow along it for forces and fall for motions: the operator is far larger than its eigenvalues, and most
// of these drown in its rounding.
TEST(ShiftInvert, SaysWhereRootsMayDrownInRounding) {
  const int n = 200;
  for (const double factor : {1.0, 1.25}) {
    Entries entries;
    addChain(entries, 0, n, Ends::kHeld, 0.1);
    QuadraticPencil pencil = entries.assemble(n);
    for (SparseMatrix* matrix : {&pencil.K, &pencil.C, &pencil.M}) {
      for (int j = 0; j < n; ++j) {
        for (SparseMatrix::InnerIterator it(*matrix, j); it; ++it) {
          it.valueRef() *= std::pow(factor, static_cast<double>(it.row() - j));
        }
      }
    }
    PencilOperator<double> inverse(pencil, PencilForm::kQuadratic, {});
    ASSERT_TRUE(inverse.setShift(0.0).ok);
    RootRefinement refinement(pencil);
    RootSearch<double> search(inverse, refinement, {.target = 0.0, .count = 8});
    ASSERT_TRUE(search.run());
    EXPECT_EQ(search.isBlurred(), factor > 1.0) << factor;
    // The units of the search do not depend on those of the pencil.
    const NearestResult result = findNearest(pencil, {.count = 8});
    EXPECT_FALSE(result.isBlurred);
    expectRoots(result, calcRoots(calcFrequencies(n), 0.1, 0.0, 0.0, 8), 1e-9);
  }
}

// Of the processor, because other programs may be running.
double measureChain(int n, double damping) {
  Entries entries;
  addChain(entries, 0, n, Ends::kHeld, 0.0, damping);
  const QuadraticPencil pencil = entries.assemble(n);
  const std::clock_t begin = std::clock();
  const NearestResult result = findNearest(pencil, {});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  // Roundings of K move the roots by 1e-16 |K|/ω².
  expectRoots(result, calcRoots(calcFrequencies(n), 0.0, damping, 0.0, 10), 1e-6);
  std::printf("%d unknowns, %s: %.3f s, %d factorisations, %d solves\n", n,
              damping > 0.0 ? "damped" : "undamped", seconds, result.factorizations, result.solves);
  return seconds;
}

// The number of products does not grow; a basis that leaves the caches makes each of them up to three
// times slower.
TEST(ShiftInvertSlow, TimeGrowsWithTheNumberOfUnknowns) {
  for (const double damping : {0.0, 0.1}) {
    const double small = measureChain(1000, damping);
    measureChain(10000, damping);
    const double large = measureChain(100000, damping);
    EXPECT_LT(large, 5.0);
    EXPECT_LT(large, 500.0 * small);
  }
}

}  // namespace
}  // namespace flexloop::linalg
