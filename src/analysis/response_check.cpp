#include "analysis/response_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <Eigen/LU>

#include "linalg/root_refinement.hpp"

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
constexpr Eigen::Index kMostRepeated = 120;  // states

// C x + D by states x = (s − A)⁻¹ B, and what rounding makes of it. An output may be the small difference of large terms,
// as an acceleration is of forces far below all roots: no state equations have more digits of it than the last of C and
// D. What the rounding of A by its largest entry makes of the states, `ofSolution`, is more with some of them than with
// others, so that only little of it is no difference.
void calcOwn(const linalg::StateMatrices& system, Complex s, MatrixXcd& H, MatrixXd& roundOff,
             MatrixXd& ofSolution) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  MatrixXcd pencil = -system.A.cast<Complex>();
  pencil.diagonal().array() += s;
  const Eigen::PartialPivLU<MatrixXcd> lu(pencil);
  const MatrixXcd x = lu.solve(system.B.cast<Complex>());
  const MatrixXcd C = system.C.transpose().cast<Complex>();
  const MatrixXcd y = lu.transpose().solve(C);
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

}  // namespace

ResponseCheck::ResponseCheck(const LinearPorts& ports, const std::vector<linalg::Eigenpair>& roots)
    : solver_(ports) {
  std::vector<double> sizes;
  for (const linalg::Eigenpair& root : roots) {
    const double size = std::abs(root.value);
    if (!linalg::mayBeZero(root) && std::isfinite(size)) sizes.push_back(size);
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

}  // namespace flexloop::analysis
