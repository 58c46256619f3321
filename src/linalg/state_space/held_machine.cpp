#include "linalg/state_space/held_machine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/matrix_exponential.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/solvers/complex_solver.hpp"
#include "linalg/solvers/lapack.hpp"
#include "linalg/state_space/explicit_form.hpp"

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
// Of the reduced equations; damping of a slow motion is a far smaller share of its response.
constexpr double kSameResponse = 1e-7;
// Of the double numbers.
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

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

// What rounding each entry of P makes of the unknown i of a solution z: with Pᵀ x = e_i, a change of P by δP changes z_i by
// −xᵀ δP z, as in (19.4).
double calcRoundOff(const SparseMatrixC& P, ComplexSparseSolver& solver, const Eigen::VectorXcd& z,
                    int i) {
  Eigen::VectorXcd x = Eigen::VectorXcd::Unit(P.rows(), i);
  solver.solveTransposed(x);
  double squares = 0.0;
  for (int c = 0; c < P.cols(); ++c) {
    double column = 0.0;
    for (SparseMatrixC::InnerIterator it(P, c); it; ++it) {
      column += std::norm(x[it.row()] * it.value());
    }
    squares += column * std::norm(z[c]);
  }
  return kEpsilon * std::sqrt(squares);
}

// What is small beside other unknowns gets its digits by refinement.
Eigen::VectorXcd solveRefined(const SparseMatrixC& P, ComplexSparseSolver& solver,
                              const Eigen::VectorXcd& f) {
  constexpr int kRefinements = 2;
  Eigen::VectorXcd z = f;
  solver.solve(z);
  for (int k = 0; k < kRefinements; ++k) {
    Eigen::VectorXcd rest = f - P * z;
    solver.solve(rest);
    z += rest;
  }
  return z;
}

// How far the reduced equations are from those of the machine at iω: the largest share of a response, or of its terms where
// it is hardly anything. What does not respond at all, as the distance of two points of a rigid body, has nothing but the
// rounding of the equations.
double findDifference(const ReducedPencil& reduced, const QuadraticPencil& pencil,
                      const MatrixXd& F, const std::vector<int>& unknowns, double omega) {
  constexpr double kHardlyAnything = 1e-6, kRoundOffs = 100.0;
  const Complex own(0.0, omega / reduced.timeScale);
  Eigen::MatrixXcd right = reduced.F[0].cast<Complex>(), direct = reduced.W[0].cast<Complex>();
  Complex power = own;
  for (std::size_t k = 1; k < std::max(reduced.F.size(), reduced.W.size()); ++k, power *= own) {
    if (k < reduced.F.size()) right += power * reduced.F[k];
    if (k < reduced.W.size()) direct += power * reduced.W[k];
  }
  const Eigen::MatrixXcd x = solveDense(own * reduced.E - reduced.A, right);
  const PencilScaling scaling = findScalingForPivots(pencil);
  const SparseMatrixC P =
      evaluate(applyScaling(pencil, scaling), Complex(0.0, omega) / scaling.rate);
  const std::unique_ptr<ComplexSparseSolver> solver = makeComplexSparseSolver(P);
  if (solver == nullptr || !solver->factorize(P).ok) return HUGE_VAL;
  double worst = 0.0;
  for (Eigen::Index j = 0; j < F.cols(); ++j) {
    const Eigen::VectorXcd f = scaling.rows.cwiseProduct(F.col(j)).cast<Complex>();
    const Eigen::VectorXcd z = solveRefined(P, *solver, f);
    const Eigen::VectorXcd u = scaling.columns.asDiagonal() * z;
    const Eigen::VectorXcd difference = reduced.V * x.col(j) + direct.col(j) - u;
    const Eigen::VectorXd terms = reduced.V.cwiseAbs() * x.col(j).cwiseAbs();
    const Eigen::VectorXd sizes = u.cwiseAbs().cwiseMax(kHardlyAnything * terms);
    for (const int i : unknowns) {
      const double found = std::abs(difference[i]);
      if (found <= kSameResponse * sizes[i]) continue;
      const double nothing =
          scaling.columns[i] * std::max(kRoundOffs * calcRoundOff(P, *solver, z, i),
                                        kEpsilon * kEpsilon * z.cwiseAbs().maxCoeff());
      if (std::abs(u[i]) <= nothing && found <= nothing) continue;
      worst = std::max(worst, found / sizes[i]);
    }
  }
  return std::isfinite(worst) ? worst : HUGE_VAL;
}

}  // namespace

// With Θ = (A − σE)⁻¹E and G = (A − σE)⁻¹F the equations are Θ z' = (1 + σΘ) z + G w (25.9): neither the slow nor the
// fast roots lose digits.
HeldMachine makeHeldMachine(const QuadraticPencil& pencil, const MatrixXd& F,
                            const std::vector<int>& reads, double shortestWait) {
  HeldMachine machine;
  // What is slower than the samples by far stays where it is between them.
  ReducedPencil reduced = removeInfiniteRoots(pencil, {F}, kUsualShare, 1.0 / shortestWait);
  if (!reduced.ok) {
    machine.failure = base::numericalFailure(
        "the linear equations of the machine are singular between two samples",
        "is there a freedom without mass, stiffness and damping, a loop without a solution, or too "
        "fine a mesh?");
    return machine;
  }
  for (const double share : {0.01, 2.0}) {
    if (findDifference(reduced, pencil, F, reads, share / shortestWait) <= kSameResponse) continue;
    machine.failure = base::numericalFailure(
        "the motion between two samples cannot be computed accurately enough",
        "use fewer elements, or stiffnesses that differ less");
    return machine;
  }
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
