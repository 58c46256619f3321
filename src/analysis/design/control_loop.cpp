#include "analysis/design/control_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/roots/hessenberg.hpp"
#include "linalg/roots/real_eigenpairs.hpp"
#include "linalg/state_space/discretization.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using linalg::StateMatrices;
using Complex = std::complex<double>;

// Of the fastest root: what rounding makes of a free motion.
constexpr double kAtZero = 1e-7;
// Of its own size, and of the fastest root: a pair that grows by less is undamped.
constexpr double kUndamped = 1e-9, kSlow = 1e-6;
constexpr double kGone = 1e-16;
// Of ‖C‖ ‖x‖ in a response.
constexpr double kRounding = 1e-13;

MatrixXd zeros(Index rows, Index columns) {
  return MatrixXd::Zero(rows, columns);
}

// C (z − A)⁻¹ B + D at many z, and the size of its terms.
class Response {
 public:
  explicit Response(const StateMatrices& system) : system_(system), solver_(system.A) {}

  MatrixXcd at(Complex z, MatrixXd& terms) const {
    terms = system_.D.cwiseAbs();
    if (system_.A.rows() == 0) return system_.D.cast<Complex>();
    const MatrixXcd x = solver_.solve(z, system_.B.cast<Complex>());
    terms += system_.C.cwiseAbs() * x.cwiseAbs();
    return system_.C * x + system_.D;
  }

 private:
  StateMatrices system_;
  linalg::HessenbergSolver solver_;
};

std::vector<Complex> findRoots(const MatrixXd& A) {
  std::vector<Complex> roots;
  for (const linalg::Eigenpair& pair : linalg::findRealEigenpairs(A)) roots.push_back(pair.value);
  return roots;
}

StateMatrices takeMeasured(const StateMatrices& plant, Index measured) {
  return {plant.A, plant.B, plant.C.topRows(measured), plant.D.topRows(measured)};
}

// u = K (y − r) + d enters the plant:
//     u = M (C_K x_K + D_K (C x + D d − r)),   M = (1 − D_K D)⁻¹
base::Result<StateMatrices> close(const StateMatrices& plant, const StateMatrices& K) {
  const Index n = plant.A.rows(), k = K.A.rows(), m = plant.B.cols();
  const Index p = K.B.cols(), q = plant.C.rows();
  const StateMatrices y = takeMeasured(plant, p);
  const MatrixXd M = linalg::DenseLu<double>(MatrixXd::Identity(m, m) - K.D * y.D).inverse();
  if (!M.allFinite()) return base::numericalFailure("the closed loop has no solution");
  // Columns: x, x_K, d, r.
  MatrixXd u(m, n + k + m + p), out(q, n + k + m + p);
  u << M * K.D * y.C, M * K.C, M * K.D * y.D, -(M * K.D);
  out << plant.C, zeros(q, k), plant.D, zeros(q, p);
  out += plant.D * u;
  MatrixXd rates = zeros(n + k, n + k + m + p);
  rates.topLeftCorner(n, n) = plant.A;
  rates.block(0, n + k, n, m) = plant.B;
  rates.topRows(n) += plant.B * u;
  rates.block(n, n, k, k) = K.A;
  rates.bottomRows(k) += K.B * out.topRows(p);
  rates.bottomRightCorner(k, p) -= K.B;
  StateMatrices s;
  s.A = rates.leftCols(n + k);
  s.B = rates.rightCols(m + p);
  s.C.resize(q + m, n + k);
  s.C << out.leftCols(n + k), u.leftCols(n + k);
  s.D.resize(q + m, m + p);
  s.D << out.rightCols(m + p), u.rightCols(m + p);
  return s;
}

}  // namespace

base::Result<ControlLoop> makeLoop(const StateMatrices& plant, const StateMatrices& K,
                                   std::optional<double> sample) {
  const StateMatrices held = sample ? linalg::discretizeHeld(plant, *sample) : plant;
  const base::Result<StateMatrices> closed = close(held, K);
  if (!closed) return closed.failure();
  ControlLoop loop{closed.value(), sample, K.countOutputs(), K.countInputs(), {}, {}};
  const auto G = std::make_shared<Response>(takeMeasured(held, loop.measured));
  const auto k = std::make_shared<Response>(K);
  loop.gain = [G, k, sample](double omega) -> std::pair<MatrixXcd, MatrixXd> {
    const Complex z = sample ? std::polar(1.0, omega * *sample) : Complex(0.0, omega);
    MatrixXd plantTerms, terms;
    const MatrixXcd g = G->at(z, plantTerms), c = k->at(z, terms);
    return {-(c * g), kRounding * (terms * plantTerms)};
  };
  loop.openRoots = findRoots(plant.A);
  return loop;
}

// u = −(kp (y − r) + ki q + kd y'), q' = y − r, y' = C A x + C B (u + d).                          (39.14)
base::Result<ControlLoop> makePidLoop(const StateMatrices& plant, const PidGains& gains) {
  const StateMatrices y = takeMeasured(plant, 1);
  if (!y.D.isZero(0.0)) {
    return base::Failure{"a PID on an output with a direct term needs a filter",
                         "measure a position or a velocity"};
  }
  const Index n = plant.A.rows(), q = plant.C.rows();
  const double direct = (y.C * y.B)(0, 0), divisor = 1.0 + gains.kd * direct;
  if (divisor == 0.0) return base::numericalFailure("the closed loop has no solution");
  // Columns: x, q, d, r.
  MatrixXd u(1, n + 3);
  u << -(gains.kp * y.C + gains.kd * y.C * y.A), -gains.ki, -gains.kd * direct, gains.kp;
  u /= divisor;
  MatrixXd out = zeros(q, n + 3), rates = zeros(n + 1, n + 3);
  out.leftCols(n) = plant.C;
  out.col(n + 1) = plant.D;
  out += plant.D * u;
  rates.topLeftCorner(n, n) = plant.A;
  rates.block(0, n + 1, n, 1) = plant.B;
  rates.topRows(n) += plant.B * u;
  rates.block(n, 0, 1, n) = y.C;
  rates(n, n + 2) = -1.0;
  ControlLoop loop{{}, std::nullopt, 1, 1, {}, {}, false};
  StateMatrices& s = loop.closed;
  s.A = rates.leftCols(n + 1);
  s.B = rates.rightCols(2);
  s.C.resize(q + 1, n + 1);
  s.C << out.leftCols(n + 1), u.leftCols(n + 1);
  s.D.resize(q + 1, 2);
  s.D << out.rightCols(2), u.rightCols(2);
  const auto G = std::make_shared<Response>(y);
  loop.gain = [G, gains](double omega) -> std::pair<MatrixXcd, MatrixXd> {
    const Complex rate(0.0, omega);
    MatrixXd terms;
    const MatrixXcd g = G->at(rate, terms);
    const Complex k = gains.kp + gains.ki / rate + gains.kd * rate;
    return {k * g, kRounding * std::abs(k) * terms};
  };
  loop.openRoots = findRoots(plant.A);
  return loop;
}

std::vector<Complex> findRoots(const ControlLoop& loop) {
  std::vector<Complex> roots = findRoots(loop.closed.A);
  if (loop.sample) {
    // A root at z = 0 is gone after one sample, which is as fast as rounding can tell.
    for (Complex& root : roots) {
      root = std::log(std::abs(root) > kGone ? root : Complex(kGone)) / *loop.sample;
    }
  }
  return roots;
}

bool isStable(const std::vector<Complex>& roots) {
  double fastest = 0.0;
  for (const Complex& root : roots) fastest = std::max(fastest, std::abs(root));
  return std::none_of(roots.begin(), roots.end(), [&](const Complex& root) {
    return root.real() > kAtZero * fastest ||
           (root.real() > kUndamped * std::abs(root) && std::abs(root) > kSlow * fastest);
  });
}

std::vector<LoopMargins> findMargins(const ControlLoop& loop) {
  const double pi = std::numbers::pi;
  std::vector<Complex> poles = findRoots(loop);
  poles.insert(poles.end(), loop.openRoots.begin(), loop.openRoots.end());
  double fastest = 0.0;
  for (const Complex& pole : poles) fastest = std::max(fastest, std::abs(pole));
  double slowest = fastest;
  for (const Complex& pole : poles) {
    if (std::abs(pole) > kAtZero * fastest) slowest = std::min(slowest, std::abs(pole));
  }
  if (fastest == 0.0) slowest = fastest = 1.0;
  const double high = loop.sample ? pi / *loop.sample : 100.0 * fastest;
  const std::vector<double> grid =
      makeSearchGrid(std::min(0.01 * slowest, 0.01 * high), high, poles);
  std::vector<LoopMargins> margins;
  for (int i = 0; i < loop.controls; ++i) {
    const LociFunction L = [&, i](double omega) -> std::optional<std::vector<LoopValue>> {
      if (omega == 0.0 && !loop.sample) return std::nullopt;
      const auto [gain, noise] = loop.gain(omega);
      Complex value = gain(0, 0);
      if (loop.controls > 1) {
        const MatrixXcd S =
            linalg::solveDense(MatrixXcd(MatrixXcd::Identity(gain.rows(), gain.rows()) + gain),
                               MatrixXcd(MatrixXcd::Identity(gain.rows(), gain.rows())));
        value = 1.0 / S(i, i) - 1.0;
      }
      if (!std::isfinite(std::abs(value))) return std::nullopt;
      return std::vector<LoopValue>{{value, noise(i, i)}};
    };
    margins.push_back(findMargins(L, grid, loop.sample ? std::optional(high) : std::nullopt));
  }
  return margins;
}

std::vector<ModeChange> findSpillover(const std::vector<Complex>& open,
                                      const std::vector<Complex>& closed) {
  constexpr double kOscillation = 0.7;  // the largest damping ratio
  constexpr double kLess = 0.999;       // of the damping ratio before
  constexpr double kFar = 0.5;          // of ln λ: no longer the same mode
  const auto damping = [](const Complex& root) { return -root.real() / std::abs(root); };
  struct Pair {
    double distance;
    std::size_t open, closed;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!(open[i].imag() > 0.0) || damping(open[i]) > kOscillation) continue;
    for (std::size_t k = 0; k < closed.size(); ++k) {
      const double distance = std::abs(std::log(closed[k] / open[i]));
      if (closed[k].imag() > 0.0 && distance < kFar) pairs.push_back({distance, i, k});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
  std::vector<bool> isUsed(open.size()), isTaken(closed.size());
  std::vector<ModeChange> changes;
  for (const Pair& pair : pairs) {
    if (isUsed[pair.open] || isTaken[pair.closed]) continue;
    isUsed[pair.open] = isTaken[pair.closed] = true;
    const double before = damping(open[pair.open]), after = damping(closed[pair.closed]);
    if (after < kLess * before || (after < 0.0 && after < before)) {
      changes.push_back({open[pair.open], closed[pair.closed]});
    }
  }
  std::stable_sort(changes.begin(), changes.end(), [&](const ModeChange& a, const ModeChange& b) {
    return damping(a.closed) * damping(b.open) < damping(b.closed) * damping(a.open);
  });
  return changes;
}

}  // namespace flexloop::analysis
