#include "control/dynamics/realization.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/dense/least_squares.hpp"

namespace flexloop::control {
namespace {

constexpr int kMostSweeps = 20;
constexpr double kRests = 1e-9;  // relative rate of a state that counts as rest

double powerOfTwo(double x) {
  return std::exp2(std::round(std::log2(x)));
}

// (14.4): the geometric mean of the poles that are not zero.
double typicalFrequency(const std::vector<double>& a) {
  const int n = static_cast<int>(a.size()) - 1;
  for (int i = n; i > 0; --i) {
    if (a[i] == 0.0) continue;
    return powerOfTwo(std::pow(std::abs(a[i] / a[0]), 1.0 / i));
  }
  return 1.0;
}

// (14.5): scales the states by powers of two until what enters a state is as large as what leaves it.
void balance(StateMatrices& s, double frequency) {
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (int i = 0; i < s.countStates(); ++i) {
      const double own = std::abs(s.A(i, i));
      const double enters = s.A.row(i).lpNorm<1>() - own + s.B.row(i).lpNorm<1>();
      const double leaves = s.A.col(i).lpNorm<1>() - own + frequency * s.C.col(i).lpNorm<1>();
      if (enters == 0.0 || leaves == 0.0) continue;
      const double factor = powerOfTwo(std::sqrt(enters / leaves));
      if (factor == 1.0) continue;
      changed = true;
      s.A.row(i) /= factor;
      s.B.row(i) /= factor;
      s.A.col(i) *= factor;
      s.C.col(i) *= factor;
    }
  }
}

}  // namespace

StateMatrices realizeTransferFunction(const std::vector<double>& numerator,
                                      const std::vector<double>& denominator) {
  const std::vector<double>& a = denominator;
  const int n = static_cast<int>(a.size()) - 1;
  std::vector<double> b(a.size() - numerator.size(), 0.0);
  b.insert(b.end(), numerator.begin(), numerator.end());
  const double omega = typicalFrequency(a), direct = b[0] / a[0];
  StateMatrices s{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, 1),
                  Eigen::MatrixXd::Zero(1, n), Eigen::MatrixXd::Constant(1, 1, direct)};
  for (int i = 0; i < n; ++i) {
    const double scale = std::pow(omega, i - n) / a[0];  // of the power i
    if (i + 1 < n) s.A(i, i + 1) = omega;
    s.A(n - 1, i) = -omega * scale * a[n - i];
    s.C(0, i) = scale * (b[n - i] - direct * a[n - i]);
  }
  if (n > 0) s.B(n - 1, 0) = omega;
  balance(s, omega);
  return s;
}

std::optional<std::vector<double>> findRest(const StateMatrices& s, double output) {
  const int n = s.countStates();
  Eigen::MatrixXd M;
  SystemRows(s).copyTo(M);
  Eigen::VectorXd target = Eigen::VectorXd::Zero(n + 1);
  target[n] = output;
  for (int i = 0; i < n; ++i) {
    if (const double size = M.row(i).norm(); size > 0.0) M.row(i) /= size;
  }
  const Eigen::VectorXd x = linalg::solveSmallest(M, target);
  const Eigen::VectorXd rest = M * x - target;
  if (!x.allFinite() || rest.norm() > kRests * std::abs(output)) return std::nullopt;
  return std::vector<double>(x.data(), x.data() + n);
}

}  // namespace flexloop::control
