#include "linalg/state_space/like_states.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/state_space/balanced_truncation.hpp"
#include "linalg/state_space/lyapunov.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Of the largest Hankel value: a state below does nothing.
constexpr double kIdle = 1e-9;
// Of the fastest root: a root nearer to the imaginary axis decays slowly or not at all.
constexpr double kNearAxis = 1e-9;
// Of the slowest root that is not near the axis: how far roots that do not decay are moved into the left half plane.
constexpr double kBeyond = 0.1;

// s − shift instead of s, for which all roots of all systems decay. Zero if they do so anyway.
double findShift(const std::vector<StateMatrices>& systems) {
  double fastest = 0.0, right = -std::numeric_limits<double>::infinity();
  std::vector<double> sizes;
  for (const StateMatrices& s : systems) {
    if (s.A.rows() == 0) continue;
    for (const Complex& root : findEigenvaluesOfReal(s.A)) {
      sizes.push_back(std::abs(root));
      fastest = std::max(fastest, std::abs(root));
      right = std::max(right, root.real());
    }
  }
  if (right < -kNearAxis * fastest) return 0.0;
  double slowest = fastest > 0.0 ? fastest : 1.0;
  for (const double size : sizes) {
    if (size > kNearAxis * fastest) slowest = std::min(slowest, size);
  }
  return std::max(right, 0.0) + kBeyond * slowest;
}

StateMatrices shifted(StateMatrices s, double shift) {
  s.A.diagonal().array() -= shift;
  return s;
}

// P and Q of two systems: what one input does to the states of both, and what the states of both do to one output.
//     A_i P + P A_kᵀ + B_i B_kᵀ = 0,   A_iᵀ Q + Q A_k + C_iᵀ C_k = 0                                (38.14)
base::Result<MatrixXd> addCrossGramians(const StateMatrices& i, const StateMatrices& k) {
  const auto P = solveSylvester(i.A, k.A, i.B * k.B.transpose());
  if (!P) return P.failure();
  const auto Q = solveSylvester(i.A.transpose(), k.A.transpose(), i.C.transpose() * k.C);
  if (!Q) return Q.failure();
  return MatrixXd(P.value() + Q.value());
}

}  // namespace

base::Result<LikeStates> findLikeStates(const std::vector<StateMatrices>& systems,
                                        const std::vector<std::pair<int, int>>& steps) {
  const double shift = findShift(systems);
  LikeStates result;
  int order = systems.front().countStates();
  const int before = order;
  std::vector<BalancedTruncation> balanced;
  // In balanced states, the first of which matter most; as many as matter everywhere.
  for (int round = 0; round < 2; ++round) {
    balanced.clear();
    int least = order;
    for (const StateMatrices& system : systems) {
      auto made = truncateBalanced(balanceStates(shifted(system, shift)), order);
      if (!made) return made.failure();
      const Eigen::VectorXd& hankel = made.value().hankel;
      int r = made.value().system.countStates();
      while (r > 0 && !(hankel[r - 1] > kIdle * hankel[0])) --r;
      least = std::min(least, r);
      balanced.push_back(made.value());
    }
    if (least == order) break;
    order = least;
  }
  result.leftOut = before - order;
  std::vector<StateMatrices> turned(systems.size());
  const int first = steps.empty() ? 0 : steps.front().first;
  turned[first] = balanced[first].system;
  for (const auto& [from, to] : steps) {
    const StateMatrices& s = balanced[to].system;
    const auto sum = addCrossGramians(turned[from], s);
    if (!sum) return sum.failure();
    const Svd<double> svd = findSvd(sum.value());
    // The orthogonal matrix nearest to the sum                                                    (38.15)
    const MatrixXd R = svd.U * svd.V.transpose();
    const double size =
        std::sqrt(balanced[from].hankel.head(order).sum() * balanced[to].hankel.head(order).sum());
    result.likeness.push_back(size > 0.0 ? 0.5 * svd.values.sum() / size : 1.0);
    turned[to] = {R * s.A * R.transpose(), R * s.B, s.C * R.transpose(), s.D};
  }
  for (const StateMatrices& s : turned) result.systems.push_back(shifted(s, -shift));
  return result;
}

}  // namespace flexloop::linalg
