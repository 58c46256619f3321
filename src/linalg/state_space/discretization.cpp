#include "linalg/state_space/discretization.hpp"

#include <cmath>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/matrix_exponential.hpp"
#include "linalg/solvers/lapack.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Of the largest root: a zero beyond is one at infinity that rounding made finite.
constexpr double kInfinite = 1e6;
// Of 1/T: where gains are compared if that at rest is zero or infinite; and squared, what is at rest.
constexpr double kSlow = 1e-3;

// Coefficients of Π(z − root), the highest power first.
std::vector<double> expand(const std::vector<Complex>& roots) {
  std::vector<Complex> p{1.0};
  for (const Complex& root : roots) {
    p.emplace_back(0.0);
    for (std::size_t k = p.size() - 1; k > 0; --k) p[k] -= root * p[k - 1];
  }
  std::vector<double> real;
  for (const Complex& c : p) real.push_back(c.real());
  return real;
}

// The observer form of gain · num/den with a den that begins with one.
StateMatrices realize(double gain, std::vector<double> num, const std::vector<double>& den) {
  const Index n = std::ssize(den) - 1;
  num.insert(num.begin(), den.size() - num.size(), 0.0);
  StateMatrices s{MatrixXd::Zero(n, n), MatrixXd(n, 1), MatrixXd::Zero(1, n),
                  MatrixXd::Constant(1, 1, gain * num[0])};
  for (Index i = 0; i < n; ++i) {
    s.A(i, 0) = -den[i + 1];
    if (i + 1 < n) s.A(i, i + 1) = 1.0;
    s.B(i, 0) = gain * (num[i + 1] - den[i + 1] * num[0]);
  }
  if (n > 0) s.C(0, 0) = 1.0;
  return s;
}

}  // namespace

StateMatrices discretizeHeld(const StateMatrices& system, double sample) {
  const Index n = system.A.rows(), m = system.B.cols();
  MatrixXd M = MatrixXd::Zero(n + m, n + m);
  M.topLeftCorner(n, n) = system.A * sample;
  M.topRightCorner(n, m) = system.B * sample;
  const MatrixXd E = calcExponential(M);
  return {E.topLeftCorner(n, n), E.topRightCorner(n, m), system.C, system.D};
}

base::Result<StateMatrices> discretizeTustin(const StateMatrices& system, double sample) {
  const Index n = system.A.rows();
  const MatrixXd I = MatrixXd::Identity(n, n), half = 0.5 * sample * system.A;
  if (n == 0) return system;
  const DenseLu<double> lu(I - half);
  StateMatrices s;
  s.A = lu.solve(I + half);
  s.B = lu.solve(system.B) * sample;
  s.C = lu.solveTransposed(system.C.transpose()).transpose();
  s.D = system.D + 0.5 * (system.C * s.B);
  if (!s.A.allFinite()) {
    return base::Failure{"2/T is a root of the system, so that Tustin's rule has no result",
                         "use another sample time"};
  }
  return s;
}

base::Result<StateMatrices> discretize(const StateMatrices& system, double sample,
                                       SampleRule rule) {
  if (rule == SampleRule::kHeld) return discretizeHeld(system, sample);
  return rule == SampleRule::kTustin ? discretizeTustin(system, sample)
                                     : discretizeMatched(system, sample);
}

base::Result<StateMatrices> undoTustin(const StateMatrices& sampled, double sample) {
  const Index n = sampled.A.rows();
  if (n == 0) return sampled;
  const MatrixXd I = MatrixXd::Identity(n, n);
  const DenseLu<double> lu(sampled.A + I);
  StateMatrices s;
  s.A = 2.0 / sample * lu.solve(sampled.A - I);
  s.B = 2.0 / sample * lu.solve(sampled.B);
  s.C = 2.0 * lu.solveTransposed(sampled.C.transpose()).transpose();
  s.D = sampled.D - 0.5 * (s.C * sampled.B);
  if (!s.A.allFinite() || !s.B.allFinite() || !s.C.allFinite()) {
    return base::Failure{
        "the sampled system has a root at z = -1, which changes its sign from sample to sample",
        "use another sample time, or another rule"};
  }
  return s;
}

std::vector<Complex> findZeros(const StateMatrices& system) {
  const StateMatrices s = balanceStates(system);
  const int n = static_cast<int>(s.A.rows());
  MatrixXd P(n + 1, n + 1), E = MatrixXd::Zero(n + 1, n + 1), unused(1, 1);
  P << s.A, s.B, s.C, s.D;
  // The last row and column in the units of the others.
  const double row = P.bottomRows(1).norm(), column = P.col(n).head(n).norm();
  if (row > 0.0) P.bottomRows(1) /= row;
  if (column > 0.0) P.col(n) /= column;
  E.topLeftCorner(n, n).setIdentity();
  Eigen::VectorXd re(n + 1), im(n + 1), divisor(n + 1);
  double largest = 0.0;
  for (const Complex& root : findEigenvaluesOfReal(s.A)) {
    largest = std::max(largest, std::abs(root));
  }
  std::vector<Complex> zeros;
  if (LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'N', n + 1, P.data(), n + 1, E.data(), n + 1, re.data(),
                    im.data(), divisor.data(), unused.data(), 1, unused.data(), 1) != 0) {
    return zeros;
  }
  for (int i = 0; i <= n; ++i) {
    if (std::hypot(re[i], im[i]) < kInfinite * largest * std::abs(divisor[i])) {
      zeros.push_back(Complex(re[i], im[i]) / divisor[i]);
    }
  }
  return zeros;
}

base::Result<StateMatrices> discretizeMatched(const StateMatrices& system, double sample) {
  if (system.countInputs() != 1 || system.countOutputs() != 1) {
    return base::Failure{"roots and zeros are matched of one input and one output only",
                         "use 'tustin' or 'zoh'"};
  }
  if (system.A.rows() == 0) return system;
  std::vector<Complex> zeros, poles;
  for (const Complex& zero : findZeros(system)) zeros.push_back(std::exp(zero * sample));
  for (const Complex& pole : findEigenvaluesOfReal(system.A)) {
    poles.push_back(std::exp(pole * sample));
  }
  const bool hasDirect = zeros.size() == poles.size();
  while (!hasDirect && zeros.size() + 1 < poles.size()) zeros.emplace_back(-1.0);
  StateMatrices s = realize(1.0, expand(zeros), expand(poles));
  // At s = 0, or at a slow positive real s where something is at zero itself; the response is real there.
  double rate = 0.0;
  for (const std::vector<Complex>& roots : {zeros, poles}) {
    for (const Complex& root : roots) {
      if (std::abs(root - 1.0) < kSlow * kSlow) rate = kSlow / sample;
    }
  }
  const double gain =
      (calcResponse(system, rate)(0, 0) / calcResponse(s, std::exp(rate * sample))(0, 0)).real();
  if (!std::isfinite(gain)) {
    return base::numericalFailure("the gain of the sampled system could not be matched");
  }
  s.B *= gain;
  s.D *= gain;
  return s;
}

}  // namespace flexloop::linalg
