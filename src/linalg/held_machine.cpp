#include "linalg/held_machine.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/matrix_exponential.hpp"
#include "linalg/explicit_form.hpp"
#include "linalg/lapack.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

// A motion that decays by e^-50 has settled.
constexpr double kSettled = 50.0;
constexpr double kShift = 0.8203125;  // of no machine's root, unlike a power of two
// Eigenvalues below this share of the norm of Θ are roots at infinity that rounding has left over, on either side.
constexpr double kInfinite = 1e-13;
// Share of the terms of a sum that is round-off.
constexpr double kNoAnswer = 1e-13;

// Inputs may enter with derivatives, as far as z jumps with them; with z = z~ + E⁻¹F₁ w one derivative less is left.
void absorbDerivatives(ReducedPencil& r) {
  if (r.F.size() == 1) return;
  const DenseLu<double> lu(r.E);
  while (r.F.size() > 1) {
    const MatrixXd jump = lu.solve(r.F.back());
    r.F.pop_back();
    r.F.back() += r.A * jump;
    const std::size_t degree = r.F.size() - 1;
    if (degree < r.W.size()) r.W[degree] += r.V * jump;
  }
}

// T = Q S Qᵀ with the roots s = shift + 1/λ that do not settle first; they are `count`.
struct Split {
  MatrixXd S, Q;
  int count = 0;
};

Split splitSchur(MatrixXd T, double fastestDecay) {
  const int n = static_cast<int>(T.rows());
  const double smallest = kInfinite * T.norm();
  Split split{std::move(T), MatrixXd(n, n), 0};
  std::vector<double> re(n), im(n);
  int ignored = 0;
  LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, n, split.S.data(), n, &ignored, re.data(),
                im.data(), split.Q.data(), n);
  std::vector<lapack_logical> isSlow(n);
  for (int i = 0; i < n; ++i) {
    const Complex value(re[i], im[i]);
    const bool isFinite = std::abs(value) > smallest;
    isSlow[i] = isFinite && (kShift + 1.0 / value).real() > -fastestDecay ? 1 : 0;
  }
  // LAPACKE_dtrsen itself hands over no integer workspace, where LAPACK writes its size.
  double condition = 0.0, separation = 0.0;
  std::vector<double> work(std::max(n, 1));
  int sizes = 0;
  LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', isSlow.data(), n, split.S.data(), n,
                      split.Q.data(), n, re.data(), im.data(), &split.count, &condition,
                      &separation, work.data(), static_cast<int>(work.size()), &sizes, 1);
  return split;
}

// X with S11 X − X S22 = −S12 takes the coupling away.
MatrixXd findDecoupling(const Split& split) {
  const int n = static_cast<int>(split.S.rows()), m = split.count;
  MatrixXd X = -split.S.topRightCorner(m, n - m);
  if (X.size() == 0) return X;
  double scale = 1.0;
  LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'N', -1, m, n - m, split.S.data(), n,
                 split.S.data() + m + static_cast<Eigen::Index>(m) * n, n, X.data(), m, &scale);
  return X / scale;
}

// What cancels to round-off is nothing: a position does not jump with a force.
MatrixXd subtract(const MatrixXd& W, const MatrixXd& left, const MatrixXd& right) {
  const MatrixXd difference = W - left * right;
  const MatrixXd terms = W.cwiseAbs() + left.cwiseAbs() * right.cwiseAbs();
  return (difference.array().abs() <= kNoAnswer * terms.array()).select(0.0, difference);
}

}  // namespace

// With Θ = (A − σE)⁻¹E and G = (A − σE)⁻¹F the equations are Θ z' = (1 + σΘ) z + G w (25.13): neither the slow nor the
// fast roots lose digits.
HeldMachine makeHeldMachine(const QuadraticPencil& pencil, const MatrixXd& F, double shortestWait) {
  HeldMachine machine;
  // What is slower than the samples by far stays where it is between them.
  ReducedPencil reduced = removeInfiniteRoots(pencil, {F}, kUsualShare, 1.0 / shortestWait);
  if (!reduced.ok) {
    machine.trouble = "the linear equations of the machine determine nothing between two samples";
    machine.hint = "a freedom without mass, stiffness and damping, or a loop without a solution?";
    return machine;
  }
  machine.ok = true;
  if (reduced.E.rows() > 0) absorbDerivatives(reduced);
  machine.V = reduced.V;
  machine.W = reduced.W[0];
  machine.A.resize(0, 0);
  machine.B.resize(0, F.cols());
  if (reduced.E.rows() == 0) return machine;
  const DenseLu<double> lu(reduced.A - kShift * reduced.E);
  const Split split =
      splitSchur(lu.solve(reduced.E), kSettled / (reduced.timeScale * shortestWait));
  const int n = static_cast<int>(split.S.rows()), m = split.count;
  const MatrixXd G = split.Q.transpose() * lu.solve(reduced.F[0]);
  const MatrixXd X = findDecoupling(split);
  const MatrixXd slow = split.Q.leftCols(m), fast = slow * X + split.Q.rightCols(n - m);
  const DenseLu<double> slowPart(split.S.topLeftCorner(m, m));
  machine.A = kShift * MatrixXd::Identity(m, m) + slowPart.inverse();
  machine.A *= reduced.timeScale;
  machine.B = reduced.timeScale * slowPart.solve(G.topRows(m) - X * G.bottomRows(n - m));
  machine.V = reduced.V * slow;
  machine.settled = n - m;
  if (n > m) {
    const MatrixXd fastPart =
        MatrixXd::Identity(n - m, n - m) + kShift * split.S.bottomRightCorner(n - m, n - m);
    machine.W = subtract(machine.W, reduced.V * fast, solveDense(fastPart, G.bottomRows(n - m)));
  }
  return machine;
}

HeldFlow makeFlow(const HeldMachine& machine, double duration) {
  const Eigen::Index n = machine.A.rows(), m = machine.B.cols();
  MatrixXd both = MatrixXd::Zero(n + m, n + m);
  both.topLeftCorner(n, n) = duration * machine.A;
  both.topRightCorner(n, m) = duration * machine.B;
  // The exponential errs by a share of its largest entries: whatever the units of the inputs are, theirs are no larger
  // than those of the motions.
  const double largest = n > 0 ? both.topLeftCorner(n, n).cwiseAbs().maxCoeff() : 0.0;
  Eigen::VectorXd units = Eigen::VectorXd::Ones(m);
  for (Eigen::Index i = 0; i < m && n > 0; ++i) {
    const double size = both.col(n + i).cwiseAbs().maxCoeff();
    if (size > 0.0 && largest > 0.0) units[i] = std::exp2(std::round(std::log2(size / largest)));
    both.col(n + i) /= units[i];
  }
  const MatrixXd flow = calcExponential(both);
  return {flow.topLeftCorner(n, n), flow.topRightCorner(n, m) * units.asDiagonal()};
}

}  // namespace flexloop::linalg
