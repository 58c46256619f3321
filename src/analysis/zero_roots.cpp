#include "analysis/zero_roots.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "linalg/pencil_scaling.hpp"
#include "linalg/root_refinement.hpp"

namespace flexloop::analysis {
namespace {

using linalg::Eigenpair;

constexpr double kBesideZero =
    1e-13;  // by the unit of time, where the vector of zero itself is found
constexpr double kSameVector = 1e-3;
constexpr double kSameShape =
    1e-8;  // what is left of a shape after those before it, in scaled units

// From the smallest on; pairs are sorted by size. What rounding may have moved from zero is there.
int countZeroRoots(const std::vector<Eigenpair>& pairs) {
  int count = 0;
  for (const Eigenpair& pair : pairs) {
    if (!linalg::mayBeZero(pair)) break;
    ++count;
  }
  return count;
}

// How far from zero the root may be. Of a double root rounding moves the square.
double findRadius(const Eigenpair& pair) {
  const double size = std::abs(pair.value);
  return size > 0.0 ? std::max(size, std::sqrt(2.0 * size * std::max(pair.uncertainty, 0.0))) : 0.0;
}

// The vectors of roots beside zero differ from those of zero by as much as the roots do.
class ZeroVectors {
 public:
  explicit ZeroVectors(const LinearModel& linear)
      : scaling_(linalg::findScaling(linear.pencil, linear.delays)),
        pencil_(linalg::applyScaling(linear.pencil, scaling_)),
        delays_(linalg::applyScaling(linear.delays, scaling_)),
        refinement_(pencil_, delays_, linear.groups) {}

  Eigen::VectorXcd scale(const Eigen::VectorXcd& vector) const {
    return (scaling_.columns.cwiseInverse().asDiagonal() * vector).normalized();
  }

  void improve(Eigenpair& pair) {
    const Eigen::VectorXcd scaled = scale(pair.vector);
    const Eigen::VectorXcd better = refinement_.findVector(kBesideZero, 1.0, scaled);
    const double before = linalg::calcResidual(pencil_, delays_, 0.0, scaled);
    pair.value = 0.0;
    pair.residual = before;
    // Of several free motions rounding prefers some; none may turn into another.
    if (std::abs(better.dot(scaled)) < 1.0 - kSameVector) return;
    const double after = linalg::calcResidual(pencil_, delays_, 0.0, better);
    if (!(after < before)) return;
    pair.residual = after;
    pair.vector = (scaling_.columns.asDiagonal() * better).normalized();
  }

 private:
  linalg::PencilScaling scaling_;
  linalg::QuadraticPencil pencil_;
  linalg::DelayTerms delays_;
  linalg::RootRefinement refinement_;
};

// Of the first vectors, those that differ most from each other and make all others.
std::vector<bool> findIndependent(const std::vector<Eigenpair>& pairs, int count,
                                  const ZeroVectors& zero) {
  std::vector<bool> chosen(count, false);
  if (count == 0) return chosen;
  Eigen::MatrixXcd vectors(pairs.front().vector.size(), count);
  for (int i = 0; i < count; ++i) vectors.col(i) = zero.scale(pairs[i].vector);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXcd> qr(vectors);
  qr.setThreshold(kSameShape);
  for (Eigen::Index i = 0; i < qr.rank(); ++i) chosen[qr.colsPermutation().indices()[i]] = true;
  return chosen;
}

}  // namespace

void mergeZeroRoots(const LinearModel& linear, std::vector<Eigenpair>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(), [](const Eigenpair& a, const Eigenpair& b) {
    return std::abs(a.value) < std::abs(b.value);
  });
  const int zeros = countZeroRoots(pairs);
  if (zeros == 0) return;
  ZeroVectors vectors(linear);
  const std::vector<bool> isNew = findIndependent(pairs, zeros, vectors);
  std::vector<Eigenpair> kept;
  for (int i = 0; i < static_cast<int>(pairs.size()); ++i) {
    if (i < zeros && !isNew[i]) continue;
    if (i < zeros) {
      pairs[i].uncertainty = findRadius(pairs[i]);
      vectors.improve(pairs[i]);
    }
    kept.push_back(std::move(pairs[i]));
  }
  pairs = std::move(kept);
}

}  // namespace flexloop::analysis
