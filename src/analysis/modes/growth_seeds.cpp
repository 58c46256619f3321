#include "analysis/modes/growth_seeds.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/linear/effective_matrices.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/solvers/strong_components.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::QuadraticPencil;
using linalg::SparseMatrix;

constexpr double kStable = 1e-10;       // as in Mode::isStable
constexpr double kLightlyDamped = 0.1;  // re s by |s| of roots that a loop may easily make grow
constexpr double kSameRate = 0.1;       // a search about one point sees the others too
constexpr double kBeside = 1e-3;        // P(s) is singular where a group keeps its root
constexpr double kSymmetric = 1e-6;
constexpr std::size_t kMostInGroup = 240;
constexpr std::size_t kMostGrowing = 16, kMostOthers = 8;
constexpr int kMostPerSeed = 8;

// √(k/m) of the freedoms on which controllers act: what grows takes its energy there, and a light part on a stiff spring may
// do so far above all slow modes.
void addActuatedRates(const QuadraticPencil& pencil, std::vector<Complex>& points) {
  const SparseMatrix transposed = pencil.K.transpose();
  for (int j = 0; j < pencil.size(); ++j) {
    if (pencil.M.coeff(j, j) != 0.0) continue;
    for (SparseMatrix::InnerIterator it(pencil.K, j); it; ++it) {
      const int i = static_cast<int>(it.row());
      const double k = std::abs(pencil.K.coeff(i, i)), m = std::abs(pencil.M.coeff(i, i));
      // Forces of joints are symmetric.
      const bool isSignal =
          std::abs(transposed.coeff(i, j) - it.value()) > kSymmetric * std::abs(it.value());
      if (m != 0.0 && k != 0.0 && isSignal) points.emplace_back(0.0, std::sqrt(k / m));
    }
  }
}

SparseMatrix cut(const SparseMatrix& matrix, const std::vector<int>& unknowns) {
  const auto n = static_cast<int>(unknowns.size());
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int c = 0; c < n; ++c) {
    for (SparseMatrix::InnerIterator it(matrix, unknowns[c]); it; ++it) {
      const auto place =
          std::lower_bound(unknowns.begin(), unknowns.end(), static_cast<int>(it.row()));
      if (it.value() == 0.0 || place == unknowns.end() || *place != it.row()) continue;
      entries.emplace_back(static_cast<int>(place - unknowns.begin()), c, it.value());
    }
  }
  SparseMatrix part(n, n);
  part.setFromTriplets(entries.begin(), entries.end());
  part.makeCompressed();
  return part;
}

QuadraticPencil cut(const QuadraticPencil& pencil, const std::vector<int>& unknowns) {
  return {cut(pencil.K, unknowns), cut(pencil.C, unknowns), cut(pencil.M, unknowns)};
}

// All roots of some unknowns in ascending order while the others are held, group by group: P(s) of them is
// block-triangular.
void addRootsOf(const QuadraticPencil& whole, const std::vector<int>& unknowns,
                std::vector<Complex>& points) {
  const QuadraticPencil pencil = cut(whole, unknowns);
  std::vector<std::vector<int>> next(unknowns.size());
  for (const SparseMatrix* matrix : {&pencil.K, &pencil.C, &pencil.M}) {
    for (int c = 0; c < pencil.size(); ++c) {
      for (SparseMatrix::InnerIterator it(*matrix, c); it; ++it) next[it.row()].push_back(c);
    }
  }
  for (const std::vector<int>& group : linalg::findStrongComponents(next)) {
    if (group.size() > kMostInGroup) continue;
    const QuadraticPencil part = cut(pencil, group);
    if (part.C.nonZeros() == 0 && part.M.nonZeros() == 0) continue;
    for (const linalg::Eigenpair& pair : linalg::findAllRoots(part, 0.0, 0).pairs) {
      points.push_back(pair.value);
    }
  }
}

// The controllers by themselves, and with the inertia of what they read and move.
void addControllers(const system::System& system, const LinearModel& linear,
                    std::vector<Complex>& points) {
  const ControlSide side(system, linear);
  std::vector<int> unknowns = side.control();
  std::sort(unknowns.begin(), unknowns.end());
  addRootsOf(linear.pencil, unknowns, points);
  for (const std::vector<int>* ports : {&side.read(), &side.moved()}) {
    for (const int u : *ports) {
      if (linear.pencil.M.coeff(u, u) != 0.0) unknowns.push_back(u);
    }
  }
  std::sort(unknowns.begin(), unknowns.end());
  unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
  addRootsOf(linear.pencil, unknowns, points);
}

// One seed for all points about it. Of too many the slowest, the fastest, and some between.
std::vector<GrowthSeed> merge(std::vector<Complex> points, std::size_t most) {
  std::sort(points.begin(), points.end(), [](Complex a, Complex b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) < std::abs(b) : a.imag() < b.imag();
  });
  std::vector<GrowthSeed> seeds;
  for (const Complex& point : points) {
    const auto same = std::find_if(seeds.begin(), seeds.end(), [&](const GrowthSeed& seed) {
      return std::abs(seed.point - point) < kSameRate * std::abs(point);
    });
    if (same == seeds.end()) {
      seeds.push_back({point * (1.0 + kBeside)});
    } else {
      same->count = std::min(same->count + 1, kMostPerSeed);
    }
  }
  if (seeds.size() <= most) return seeds;
  std::vector<GrowthSeed> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(seeds[i * (seeds.size() - 1) / (most - 1)]);
  }
  return chosen;
}

}  // namespace

std::vector<GrowthSeed> findGrowthSeeds(const system::System& system, const LinearModel& linear,
                                        double least) {
  std::vector<Complex> points, growing, others;
  addActuatedRates(linear.pencil, others);
  addControllers(system, linear, points);
  for (const Complex& point : points) {
    const double size = std::abs(point);
    if (point.real() > kStable * size) {
      growing.push_back(point);
    } else if (point.real() > -kLightlyDamped * size) {
      others.push_back(point);
    }
  }
  const auto isKnown = [&](const Complex& point) {
    return !(std::abs(point) > least) || !std::isfinite(std::abs(point));
  };
  std::erase_if(growing, isKnown);
  std::erase_if(others, isKnown);
  std::vector<GrowthSeed> seeds = merge(std::move(growing), kMostGrowing);
  for (const GrowthSeed& seed : merge(std::move(others), kMostOthers)) seeds.push_back(seed);
  return seeds;
}

}  // namespace flexloop::analysis
