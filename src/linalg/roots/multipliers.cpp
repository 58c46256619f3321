#include "linalg/roots/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/roots/real_eigenpairs.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

// What is below this share of the largest entry of a balanced map is round-off of zero.
constexpr double kZero = 1e-12;
constexpr int kBalancingRounds = 8;
// Of a vector of a multiplier one, what is below this share of its largest entry is round-off as well.
constexpr double kNoise = 1e-10;

// D with rows and columns of D⁻¹ Phi D of one size, in powers of two.
Eigen::VectorXd balance(MatrixXd& Phi) {
  Eigen::VectorXd D = Eigen::VectorXd::Ones(Phi.rows());
  for (int round = 0; round < kBalancingRounds; ++round) {
    for (int i = 0; i < Phi.rows(); ++i) {
      const double own = std::abs(Phi(i, i));
      const double row = Phi.row(i).lpNorm<1>() - own, column = Phi.col(i).lpNorm<1>() - own;
      if (!(row > 0.0) || !(column > 0.0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      Phi.row(i) /= factor;
      Phi.col(i) *= factor;
      D[i] *= factor;
    }
  }
  return D;
}

// A matrix N without its zero eigenvalues: N V = V rest. `kernel` spans the vectors with N z = 0.
struct Deflation {
  MatrixXd V, rest, kernel;
};

// With N = Q R of full rank r, N Q = Q (R Q): again and again, until R Q is regular (25.13).
Deflation removeZeros(const MatrixXd& N) {
  const double smallest = kZero * N.cwiseAbs().maxCoeff();
  Deflation d{MatrixXd::Identity(N.rows(), N.rows()), N, MatrixXd(N.rows(), 0)};
  while (d.rest.rows() > 0) {
    const PivotedQr<double> qr(d.rest);
    const Eigen::Index n = d.rest.rows(), rank = qr.countAbove(smallest);
    if (rank == n) break;
    if (d.V.cols() == N.rows()) {
      d.kernel = PivotedQr<double>(d.rest.transpose()).Q().rightCols(n - rank);
    }
    const MatrixXd Q = qr.Q().leftCols(rank);
    d.rest = Q.transpose() * d.rest * Q;
    d.V = d.V * Q;
  }
  return d;
}

// ln(1 + x) without loss of digits near zero.
Complex logarithmOf1p(Complex x) {
  // Of what is far from one all digits are in 1 + x; in its square a small one would be lost.
  if (std::abs(1.0 + x) < 0.5) return std::log(1.0 + x);
  const double square = x.real() * (2.0 + x.real()) + x.imag() * x.imag();
  return {0.5 * std::log1p(square), std::atan2(x.imag(), 1.0 + x.real())};
}

double calcResidual(const MatrixXd& Phi, Complex value, const Eigen::VectorXcd& z) {
  const double scale =
      (Phi.cwiseAbs() * z.cwiseAbs()).lpNorm<1>() + std::abs(value) * z.lpNorm<1>();
  return (Phi * z - value * z).lpNorm<1>() / std::max(scale, std::numeric_limits<double>::min());
}

}  // namespace

Multipliers findMultipliers(const MatrixXd& Phi) {
  Multipliers all;
  if (Phi.rows() == 0) return all;
  MatrixXd balanced = Phi;
  const Eigen::VectorXd D = balance(balanced);
  const Deflation zero = removeZeros(balanced);
  all.zeros = static_cast<int>(Phi.rows() - zero.rest.rows());
  if (zero.rest.rows() == 0) return all;
  // Differences from one: the slow ones keep their digits.
  const int n = static_cast<int>(zero.rest.rows());
  const Deflation one = removeZeros(zero.rest - MatrixXd::Identity(n, n));
  const auto add = [&](Complex difference, const Eigen::VectorXcd& z) {
    Multiplier m{1.0 + difference, logarithmOf1p(difference), {}, 0.0};
    Eigen::VectorXcd balancedVector = zero.V * z;
    if (difference == 0.0) {
      const double smallest = kNoise * balancedVector.cwiseAbs().maxCoeff();
      balancedVector = (balancedVector.array().abs() < smallest).select(0.0, balancedVector);
    }
    m.residual = calcResidual(balanced, m.value, balancedVector);
    m.vector = D.asDiagonal() * balancedVector;
    all.found.push_back(std::move(m));
  };
  for (int i = 0; i < one.kernel.cols(); ++i) add(0.0, one.kernel.col(i).cast<Complex>());
  const double smallest = kZero * std::max(1.0, zero.rest.cwiseAbs().maxCoeff());
  for (const Eigenpair& pair : findRealEigenpairs(one.rest)) {
    if (std::abs(1.0 + pair.value) <= smallest) {
      all.zeros += pair.value.imag() != 0.0 ? 2 : 1;  // its logarithm would be that of round-off
    } else {
      add(pair.value, one.V * pair.vector);
    }
  }
  return all;
}

}  // namespace flexloop::linalg
