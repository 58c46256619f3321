#include "linalg/state_space/system_norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/svd.hpp"
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

double calcGain(const StateMatrices& system, double rate) {
  const Eigen::MatrixXcd G = calcResponse(system, {0.0, rate});
  return G.size() == 0 ? 0.0 : findSvd(G, SvdForm::kThin).values[0];
}

double calcDirectGain(const StateMatrices& system) {
  return system.D.size() == 0 ? 0.0 : findSvd(system.D, SvdForm::kThin).values[0];
}

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
  for (const Complex& root : findEigenvalues(H.cast<Complex>())) {
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
  return findEigenvalues(A.cast<Complex>()).real().maxCoeff();
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
  PeakGain peak{calcDirectGain(s), std::numeric_limits<double>::infinity()};
  const auto take = [&](double rate) {
    const double gain = calcGain(s, rate);
    if (gain > peak.gain) peak = {gain, rate};
  };
  if (s.A.rows() == 0) return peak;
  take(0.0);
  for (const Complex& root : findEigenvalues(s.A.cast<Complex>())) {
    if (!(root.real() < 0.0)) return unstable();
    take(std::abs(root));
    take(std::abs(root.imag()));
  }
  if (peak.gain == 0.0) return peak;
  for (int round = 0; round < kMostRounds; ++round) {
    const double before = peak.gain;
    const std::vector<double> rates = findCrossings(s, before * (1.0 + tolerance));
    for (std::size_t i = 0; i < rates.size(); ++i) {
      take(rates[i]);
      if (i > 0) take(0.5 * (rates[i] + rates[i - 1]));
    }
    if (peak.gain <= before * (1.0 + tolerance)) return peak;
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
