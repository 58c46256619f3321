#include "analysis/linear/response_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/LU>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/roots/real_eigenpairs.hpp"
#include "linalg/roots/root_refinement.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

// So far to both sides of all roots, and how many frequencies between and at roots.
constexpr double kBeyond = 100.0;
constexpr int kBetween = 60, kAtRoots = 60;
// A little to the right of the axis, where roots without damping are finite.
constexpr double kDamping = 1e-3;
// Differences up to so many times the round-off of the machine's own response are none.
constexpr double kRoundOffs = 100.0;

// Of a response, at most so much is put down to the rounding of states: of many states, whose solution is not repeated with
// more digits, and beyond all roots, where a response falls off because its terms cancel.
constexpr double kMostOfSolution = 1e-8, kMostBeyond = 1e-6;
constexpr Eigen::Index kMostRepeated = 120, kMostWithRoots = 600;  // states

// C x + D by states x = (s − A)⁻¹ B, and what rounding makes of it. An output may be the small difference of large terms,
// as an acceleration is of forces far below all roots: no state equations have more digits of it than the last of C and
// D. What the rounding of A by its largest entry makes of the states, `ofSolution`, is more with some of them than with
// others, so that only little of it is no difference.
void calcOwn(const linalg::StateMatrices& system, Complex s, MatrixXcd& H, MatrixXd& roundOff,
             MatrixXd& ofSolution) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  MatrixXcd pencil = -system.A.cast<Complex>();
  pencil.diagonal().array() += s;
  const linalg::DenseLu<Complex> lu(pencil);
  const MatrixXcd x = lu.solve(system.B.cast<Complex>());
  const MatrixXcd C = system.C.transpose().cast<Complex>();
  const MatrixXcd y = lu.solveTransposed(C);
  const MatrixXd size = x.cwiseAbs();
  H = system.C * x + system.D;
  const double largest =
      system.A.size() > 0 ? system.A.cwiseAbs().maxCoeff() + std::abs(s) : std::abs(s);
  ofSolution = kRoundOffs * kEpsilon * largest * y.cwiseAbs().colwise().sum().transpose() *
               size.colwise().sum();
  roundOff = kRoundOffs * kEpsilon * (system.C.cwiseAbs() * size + system.D.cwiseAbs());
}

// The same with digits to spare: what differs then is the system.
MatrixXcd calcPrecisely(const linalg::StateMatrices& system, Complex s) {
  using Long = std::complex<long double>;
  using Matrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
  Matrix pencil = -system.A.cast<Long>();
  pencil.diagonal().array() += Long(s);
  const Matrix x = pencil.partialPivLu().solve(system.B.cast<Long>());
  return (system.C.cast<Long>() * x + system.D.cast<Long>()).cast<Complex>();
}

struct OwnRoot {
  Complex value;
  double uncertainty;  // what rounding of A by its size makes of it
};

// The eigenvalues of A with im ≥ 0. Where two are one nothing is known of them.
std::vector<OwnRoot> findOwnRoots(const MatrixXd& A) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const std::vector<linalg::Eigenpair> pairs = linalg::findRealEigenpairs(A);
  MatrixXcd right(A.rows(), A.rows());
  std::vector<Eigen::Index> places;
  Eigen::Index column = 0;
  for (const linalg::Eigenpair& pair : pairs) {
    places.push_back(column);
    right.col(column++) = pair.vector.normalized();
    if (pair.value.imag() != 0.0) right.col(column++) = pair.vector.normalized().conjugate();
  }
  if (column != A.rows()) return {};
  const MatrixXcd left = linalg::DenseLu<Complex>(right).inverse();
  std::vector<OwnRoot> roots;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double size = kRoundOffs * kEpsilon * A.norm() * left.row(places[i]).norm();
    roots.push_back({pairs[i].value, std::isfinite(size) ? size : INFINITY});
  }
  return roots;
}

}  // namespace

ResponseCheck::ResponseCheck(const LinearPorts& ports, const std::vector<linalg::Eigenpair>& roots)
    : solver_(ports) {
  std::vector<double> sizes;
  for (const linalg::Eigenpair& root : roots) {
    const double size = std::abs(root.value);
    if (linalg::mayBeZero(root) || !std::isfinite(size)) continue;
    sizes.push_back(size);
    roots_.push_back(root.value);
    uncertainties_.push_back(std::max(root.uncertainty, 0.0));
  }
  std::sort(sizes.begin(), sizes.end());
  const double low = (sizes.empty() ? 1.0 : sizes.front()) / kBeyond;
  fastest_ = sizes.empty() ? 1.0 : sizes.back();
  const double high = fastest_ * kBeyond;
  for (int i = 0; i <= kBetween; ++i) {
    frequencies_.push_back(low * std::pow(high / low, static_cast<double>(i) / kBetween));
  }
  const std::size_t step = 1 + sizes.size() / kAtRoots;
  for (std::size_t i = 0; i < sizes.size(); i += step) frequencies_.push_back(sizes[i]);
}

ResponseDifference ResponseCheck::compare(const linalg::StateMatrices& given) {
  // Pivots of the solution, not the system, depend on the units of its states.
  const linalg::StateMatrices system = linalg::balanceStates(given);
  ResponseDifference worst;
  for (const double frequency : frequencies_) {
    const Complex s = frequency * Complex(kDamping, 1.0);
    MatrixXcd H;
    MatrixXd roundOff;
    if (!solver_.calc(s, H, roundOff)) continue;
    MatrixXcd own;
    MatrixXd ownRoundOff, ofSolution;
    calcOwn(system, s, own, ownRoundOff, ofSolution);
    const bool isLarge = system.A.rows() > kMostRepeated;
    if (!isLarge && ((own - H).cwiseAbs().array() > ownRoundOff.array()).any()) {
      own = calcPrecisely(system, s);
    }
    ++worst.points;
    for (Eigen::Index k = 0; k < H.rows(); ++k) {
      for (Eigen::Index i = 0; i < H.cols(); ++i) {
        const double size = std::abs(H(k, i)), noise = kRoundOffs * roundOff(k, i);
        // Where the machine itself does not respond, all that is left is rounding.
        const double mostOf = frequency > fastest_ ? kMostBeyond : isLarge ? kMostOfSolution : 0.0;
        const double most = size <= noise ? ofSolution(k, i) : mostOf * size;
        const double solution = std::min(ofSolution(k, i), most);
        const double difference =
            std::abs(own(k, i) - H(k, i)) - noise - ownRoundOff(k, i) - solution;
        if (difference <= 0.0) continue;
        const double found = difference / size;
        // Not a number is no agreement.
        if (found <= worst.share) continue;
        worst.share = std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
        worst.frequencyHz = frequency / (2.0 * std::numbers::pi);
        worst.input = static_cast<int>(i);
        worst.output = static_cast<int>(k);
      }
    }
  }
  return worst;
}

ResponseDifference ResponseCheck::compareWithRoots(const linalg::StateMatrices& given) {
  ResponseDifference worst = compare(given);
  if (given.A.rows() == 0 || given.A.rows() > kMostWithRoots) return worst;
  const std::vector<OwnRoot> own = findOwnRoots(linalg::balanceStates(given).A);
  for (std::size_t i = 0; i < roots_.size() && !own.empty(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const OwnRoot& root : own) {
      const double distance = std::abs(root.value - roots_[i]) - root.uncertainty;
      nearest = std::min(nearest, std::max(distance, 0.0));
    }
    const double share = (nearest - kRoundOffs * uncertainties_[i]) / std::abs(roots_[i]);
    if (!(share > worst.share)) continue;
    worst.share = share;
    worst.root = roots_[i];
  }
  return worst;
}

}  // namespace flexloop::analysis
