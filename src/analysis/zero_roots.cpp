#include "analysis/zero_roots.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "linalg/root_polish.hpp"

namespace flexloop::analysis {
namespace {

using linalg::Eigenpair;

// Roots at zero: share of the next root, and of K z that does not cancel.
constexpr double kZeroRoot = 1e-3;
constexpr double kZeroResidual = 1e-12;
constexpr double kUntouched = 1e-4;     // of the stiffest unknown
constexpr double kSlowestMotion = 1.0;  // [rad/s] where there is no next root
// A chain of integrals has roots of about the root of round-off: this share of the next root, at most. Its vector is
// looked for this close to zero, and is the same up to the third.
constexpr double kChainRoot = 1e-4, kSameVector = 1e-3;
constexpr double kBesideZero[] = {1e-14, 1e-8};  // where s² is lost in K, P(s) has no inverse
// Reactions of what spins are known less well than stiffnesses; a root this small is round-off all the same.
constexpr double kRoundOffRoot = 1e-6, kResidualOfReactions = 1e-10;
constexpr double kSameShape = 1e-5;  // what is left of a shape after those before it

double findLargest(const linalg::SparseMatrix& matrix) {
  double largest = 0.0;
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      largest = std::max(largest, std::abs(it.value()));
    }
  }
  return largest;
}

// Of a small root, z has multipliers of the size of s² M z; a motion without resistance needs none. One that nothing
// touches has no terms but round-off, which is compared with what the stiffest unknown would give.
double calcResidualAtZero(const LinearModel& linear, const system::System& system,
                          const Eigen::VectorXcd& z) {
  Eigen::VectorXcd motion = z;
  for (int i = 0; i < z.size(); ++i) {
    const int unknown = i < std::ssize(linear.unknowns) ? linear.unknowns[i] : -1;
    if (unknown < 0 || system.kinds()[unknown] == system::Kind::kMultiplier) motion[i] = 0.0;
  }
  const double withForces = linalg::calcResidual(linear.pencil, linear.delays, 0.0, z);
  if (motion.isZero(0.0)) return withForces;
  const double rest = linalg::apply(linear.pencil, linear.delays, 0.0, motion).lpNorm<1>();
  const double scale =
      std::max(linalg::calcScale(linear.pencil, 0.0, motion),
               kUntouched * findLargest(linear.pencil.K) * motion.cwiseAbs().maxCoeff());
  return scale > 0.0 ? std::min(withForces, rest / scale) : 0.0;
}

// The first root that is far larger than this one. Pairs are sorted by size.
double findNextSize(const std::vector<Eigenpair>& pairs, int index) {
  for (int i = index + 1; i < static_cast<int>(pairs.size()); ++i) {
    if (std::abs(pairs[index].value) <= kZeroRoot * std::abs(pairs[i].value)) {
      return std::abs(pairs[i].value);
    }
  }
  return kSlowestMotion;
}

// The mean of the vectors at s and -s, which differ from that of zero by ± s y.
Eigen::VectorXcd findVectorOfZero(linalg::RootPolish& polish, double s, double rate,
                                  const Eigen::VectorXcd& start) {
  const Eigen::VectorXcd above = polish.findVector(s, rate, start);
  const Eigen::VectorXcd below = polish.findVector(-s, rate, start);
  const std::complex<double> phase = below.dot(above);
  if (phase == 0.0) return Eigen::VectorXcd::Zero(start.size());
  return (above + phase / std::abs(phase) * below).normalized();
}

// An integral of what stays displaced grows evenly: a double root zero with a single vector z, K z = 0. Rounding makes
// ±ε of it, with vectors for which K z is of the size of ε; the vector of zero itself is found beside it.
bool isChainAtZero(const LinearModel& linear, const system::System& system,
                   const std::vector<Eigenpair>& pairs, int index) {
  const Eigenpair& pair = pairs[index];
  const double next = findNextSize(pairs, index);
  if (std::abs(pair.value) > kChainRoot * next) return false;
  const Eigen::VectorXcd start = pair.vector.normalized();
  linalg::RootPolish polish(linear.pencil, linear.delays);
  Eigen::VectorXcd z = Eigen::VectorXcd::Zero(start.size());
  for (const double share : kBesideZero) {
    if (z.isZero(0.0)) z = findVectorOfZero(polish, share * next, next, start);
  }
  const bool isTiny = std::abs(pair.value) <= kRoundOffRoot * next;
  return std::abs(z.dot(start)) > 1.0 - kSameVector &&
         calcResidualAtZero(linear, system, z) <= (isTiny ? kResidualOfReactions : kZeroResidual);
}

// Roots at zero: the machine can stay displaced by z, K z = 0. As double roots they come out as small
// numbers of about the root of round-off, far below those of the next mode. From the smallest on, up to
// the returned count of the pairs, which are sorted by size.
int countZeroRoots(const LinearModel& linear, const system::System& system,
                   const std::vector<Eigenpair>& pairs) {
  const int size = static_cast<int>(pairs.size());
  int candidates = 0;
  while (candidates < size &&
         (calcResidualAtZero(linear, system, pairs[candidates].vector) <= kZeroResidual ||
          isChainAtZero(linear, system, pairs, candidates))) {
    ++candidates;
  }
  double next = candidates < size ? std::abs(pairs[candidates].value) : kSlowestMotion;
  while (candidates > 0 && std::abs(pairs[candidates - 1].value) > kZeroRoot * next) {
    next = std::abs(pairs[--candidates].value);
  }
  return candidates;
}

// Of the first vectors, those that differ most from each other and make all others.
std::vector<bool> findIndependent(const std::vector<Eigenpair>& pairs, int count) {
  std::vector<bool> chosen(count, false);
  if (count == 0) return chosen;
  Eigen::MatrixXcd vectors(pairs.front().vector.size(), count);
  for (int i = 0; i < count; ++i) vectors.col(i) = pairs[i].vector.normalized();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXcd> qr(vectors);
  qr.setThreshold(kSameShape);
  for (Eigen::Index i = 0; i < qr.rank(); ++i) chosen[qr.colsPermutation().indices()[i]] = true;
  return chosen;
}

}  // namespace

void mergeZeroRoots(const LinearModel& linear, const system::System& system,
                    std::vector<Eigenpair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const Eigenpair& a, const Eigenpair& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
  const int zeros = countZeroRoots(linear, system, pairs);
  const std::vector<bool> isNew = findIndependent(pairs, zeros);
  std::vector<Eigenpair> kept;
  for (int i = 0; i < static_cast<int>(pairs.size()); ++i) {
    Eigenpair& pair = pairs[i];
    if (i < zeros) {
      if (!isNew[i]) continue;
      pair.value = 0.0;
      pair.residual = calcResidualAtZero(linear, system, pair.vector);
    }
    kept.push_back(std::move(pair));
  }
  pairs = std::move(kept);
}

}  // namespace flexloop::analysis
