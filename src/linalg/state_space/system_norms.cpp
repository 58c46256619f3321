#include "linalg/state_space/system_norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/roots/hessenberg.hpp"
#include "linalg/state_space/lyapunov.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "linalg/state_space/riccati.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

constexpr int kMostRounds = 60;
// Of its modulus: the real part that rounding gives to an imaginary root.
constexpr double kOnAxis = 1e-6;

base::Failure unstable() {
  return base::numericalFailure("the system is not stable, so that its norm is infinite",
                                "only a stable system has a norm");
}

double calcDirectGain(const StateMatrices& system) {
  return system.D.size() == 0 ? 0.0 : findSvd(system.D, SvdForm::kThin).values[0];
}

// Gains at many rates by one Hessenberg form, and the largest of them.
class PeakSearch {
 public:
  explicit PeakSearch(const StateMatrices& system)
      : system_(system), solver_(system.A), B_(system.B.cast<Complex>()) {
    peak_ = {calcDirectGain(system), std::numeric_limits<double>::infinity()};
  }

  const PeakGain& peak() const { return peak_; }

  void take(double rate) {
    rates_.push_back(rate);
    const double gain = calcGain(rate);
    if (gain > peak_.gain) peak_ = {gain, rate};
  }

  // By golden sections between the rates beside the peak, so that few levels need to be tried.
  void climb() {
    if (!std::isfinite(peak_.rate)) return;
    std::sort(rates_.begin(), rates_.end());
    const auto above = std::upper_bound(rates_.begin(), rates_.end(), peak_.rate);
    const auto below = std::lower_bound(rates_.begin(), rates_.end(), peak_.rate);
    double low = below == rates_.begin() ? 0.5 * peak_.rate : *(below - 1);
    double high = above == rates_.end() ? 2.0 * peak_.rate : *above;
    const double share = 0.5 * (3.0 - std::sqrt(5.0));
    double a = low + share * (high - low), b = high - share * (high - low);
    double gainA = calcGain(a), gainB = calcGain(b);
    for (int k = 0; k < kMostSections && high - low > kSameRate * high; ++k) {
      if (gainA > gainB) {
        high = b, b = a, gainB = gainA;
        gainA = calcGain(a = low + share * (high - low));
      } else {
        low = a, a = b, gainA = gainB;
        gainB = calcGain(b = high - share * (high - low));
      }
    }
    take(gainA > gainB ? a : b);
  }

 private:
  static constexpr int kMostSections = 60;
  static constexpr double kSameRate = 1e-10;

  double calcGain(double rate) const {
    const Eigen::MatrixXcd G = system_.C * solver_.solve({0.0, rate}, B_) + system_.D;
    return G.size() == 0 || !G.allFinite() ? 0.0 : findSvd(G, SvdForm::kThin).values[0];
  }

  const StateMatrices& system_;
  HessenbergSolver solver_;
  Eigen::MatrixXcd B_;
  PeakGain peak_;
  std::vector<double> rates_;
};

// The rates ≥ 0 at which a singular value of G may be `level`, rising: roots of the Hamiltonian matrix near the axis.
std::vector<double> findCrossings(const StateMatrices& s, double level) {
  const Index n = s.A.rows();
  const MatrixXd R =
      level * level * MatrixXd::Identity(s.D.cols(), s.D.cols()) - s.D.transpose() * s.D;
  const DenseLu<double> lu(R);
  const MatrixXd A = s.A + s.B * lu.solve(s.D.transpose() * s.C);
  // With unit factors on both sides instead of a level squared on one.
  const MatrixXd G = level * (s.B * lu.solve(s.B.transpose()));
  const MatrixXd RD = s.D * lu.solve(s.D.transpose());
  const MatrixXd Q =
      (s.C.transpose() * (MatrixXd::Identity(s.D.rows(), s.D.rows()) + RD) * s.C) / level;
  const Eigen::VectorXd d = findHamiltonianUnits(A, G, Q), inverse = d.cwiseInverse();
  MatrixXd H(2 * n, 2 * n);
  H << inverse.asDiagonal() * A * d.asDiagonal(), inverse.asDiagonal() * G * inverse.asDiagonal(),
      -(d.asDiagonal() * Q * d.asDiagonal()),
      -(d.asDiagonal() * A.transpose() * inverse.asDiagonal());
  std::vector<double> rates;
  for (const Complex& root : findEigenvaluesOfReal(H)) {
    if (root.imag() >= 0.0 && std::abs(root.real()) <= kOnAxis * std::abs(root)) {
      rates.push_back(root.imag());
    }
  }
  std::sort(rates.begin(), rates.end());
  return rates;
}

}  // namespace

double calcLargestRealPart(const MatrixXd& A) {
  if (A.rows() == 0) return -std::numeric_limits<double>::infinity();
  return findEigenvaluesOfReal(A).real().maxCoeff();
}

base::Result<double> calcH2Norm(const StateMatrices& system) {
  if (!system.D.isZero(0.0)) {
    return base::numericalFailure("a system with a direct term has an infinite H2 norm",
                                  "every input must reach the output through a lag");
  }
  if (!(calcLargestRealPart(system.A) < 0.0)) return unstable();
  const base::Result<MatrixXd> P =
      solveLyapunov(system.A, MatrixXd(system.B * system.B.transpose()));
  if (!P) return P.failure();
  return std::sqrt(std::max(0.0, (system.C * P.value() * system.C.transpose()).trace()));
}

// Bruinsma and Steinbuch: a level above all known gains is crossed at some rates, or it bounds the norm; between two
// crossings the gain is higher still.
base::Result<PeakGain> calcHInfinityNorm(const StateMatrices& system, double tolerance) {
  const StateMatrices s = balanceStates(system);
  if (s.A.rows() == 0) return PeakGain{calcDirectGain(s), std::numeric_limits<double>::infinity()};
  PeakSearch search(s);
  search.take(0.0);
  for (const Complex& root : findEigenvaluesOfReal(s.A)) {
    if (!(root.real() < 0.0)) return unstable();
    if (root.imag() < 0.0) continue;
    search.take(std::abs(root));
    search.take(root.imag());
  }
  if (search.peak().gain == 0.0) return search.peak();
  search.climb();
  for (int round = 0; round < kMostRounds; ++round) {
    const double before = search.peak().gain;
    const std::vector<double> rates = findCrossings(s, before * (1.0 + tolerance));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      search.take(rates[i]);
      if (i > 0) search.take(0.5 * (rates[i] + rates[i - 1]));
    }
    if (search.peak().gain <= before * (1.0 + tolerance)) return search.peak();
    search.climb();
  }
  return base::numericalFailure("the largest gain of a system could not be found");
}

StateMatrices makeSeries(const StateMatrices& first, const StateMatrices& second) {
  const Index n = first.A.rows(), m = second.A.rows();
  StateMatrices s;
  s.A.setZero(n + m, n + m);
  s.A.topLeftCorner(n, n) = first.A;
  s.A.bottomLeftCorner(m, n) = second.B * first.C;
  s.A.bottomRightCorner(m, m) = second.A;
  s.B.resize(n + m, first.B.cols());
  s.B << first.B, second.B * first.D;
  s.C.resize(second.C.rows(), n + m);
  s.C << second.D * first.C, second.C;
  s.D = second.D * first.D;
  return s;
}

StateMatrices makeDifference(const StateMatrices& first, const StateMatrices& second) {
  const Index n = first.A.rows(), m = second.A.rows();
  StateMatrices s;
  s.A.setZero(n + m, n + m);
  s.A.topLeftCorner(n, n) = first.A;
  s.A.bottomRightCorner(m, m) = second.A;
  s.B.resize(n + m, first.B.cols());
  s.B << first.B, second.B;
  s.C.resize(first.C.rows(), n + m);
  s.C << first.C, -second.C;
  s.D = first.D - second.D;
  return s;
}

}  // namespace flexloop::linalg
