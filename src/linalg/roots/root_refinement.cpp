#include "linalg/roots/root_refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/interruption.hpp"
#include "linalg/solvers/exact_product.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostRounds = 12, kMostSteps = 6;
// A root is where P(s) is singular; this far beside it, by the root and by the unit of time, pivots are found and z
// still dominates.
constexpr double kBeside = 1e-6;
constexpr double kBesideZero[] = {1e-14, 1e-10, 1e-6};
// Of a root that is known already; more would be another root.
constexpr double kLargestChange = 1e-2;
constexpr double kFalls = 0.7;  // of a correction that is not round-off, by the one before
constexpr double kSameVector = 1e-3, kSolved = 1e-12;
constexpr double kSettledVector = 1e-14;
constexpr double kVanished = 1e-10;
constexpr double kSettled = 1e-6, kNear = 0.1;
constexpr double kLost = 1e-3;         // residual of a vector that solves nothing
constexpr double kDoubleRoot = 1e-12;  // of the terms of P' z, which vanishes there

double sumOfTerms(const SparseMatrix& matrix, const Eigen::VectorXd& w, const Eigen::VectorXd& z) {
  double sum = 0.0;
  for (int j = 0; j < matrix.outerSize(); ++j) {
    double column = 0.0;
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
      column += w[it.row()] * std::abs(it.value());
    }
    sum += column * z[j];
  }
  return sum;
}

// What inverse iteration starts from: P'(s) z, but for a double root with one vector, where that is zero and its rounding
// leads anywhere; there the moduli of its terms.
Eigen::VectorXcd findStart(const QuadraticPencil& pencil, const DelayTerms& delays,
                           const Eigenpair& pair) {
  const Eigen::VectorXcd start = applyDerivative(pencil, delays, pair.value, pair.vector);
  const Eigen::VectorXd z = pair.vector.cwiseAbs();
  const Eigen::VectorXd terms =
      pencil.C.cwiseAbs() * z + 2.0 * std::abs(pair.value) * (pencil.M.cwiseAbs() * z);
  if (start.norm() > kDoubleRoot * terms.norm()) return start;
  return terms.cast<Complex>();
}

}  // namespace

double calcUncertainty(const QuadraticPencil& pencil, const DelayTerms& delays,
                       const Eigenpair& pair, const Eigen::VectorXcd& left) {
  const Complex s = pair.value;
  const Eigen::VectorXd w = left.cwiseAbs(), z = pair.vector.cwiseAbs();
  double terms = sumOfTerms(pencil.K, w, z) + std::abs(s) * sumOfTerms(pencil.C, w, z) +
                 std::norm(s) * sumOfTerms(pencil.M, w, z);
  for (const DelayTerm& term : delays) {
    terms += w[term.row] * std::abs(term.factor * std::exp(-s * term.delay)) * z[term.column];
  }
  Complex curvature = (left.transpose() * (pencil.M * pair.vector).eval()).value();
  for (const DelayTerm& term : delays) {
    curvature += 0.5 * term.delay * term.delay * term.factor * std::exp(-s * term.delay) *
                 left[term.row] * pair.vector[term.column];
  }
  const double slope =
      std::abs((left.transpose() * applyDerivative(pencil, delays, s, pair.vector)).value());
  const double byCurvature = std::sqrt(kEpsilon * terms / std::abs(curvature));
  const double bySlope = kEpsilon * terms / slope;
  return terms == 0.0 ? 0.0 : std::min(bySlope, byCurvature);
}

bool mayBeZero(const Eigenpair& pair) {
  constexpr double kLongestChain = 8.0;
  return pair.value == 0.0 || std::abs(pair.value) <= kLongestChain * pair.uncertainty;
}

RootRefinement::RootRefinement(const QuadraticPencil& pencil, DelayTerms delays,
                               std::vector<int> groups)
    : pencil_(pencil), delays_(std::move(delays)), groups_(std::move(groups)) {}

RootRefinement::~RootRefinement() = default;

bool RootRefinement::factorize(Complex s) {
  const SparseMatrixC P = evaluate(pencil_, delays_, s);
  if (solver_ == nullptr) solver_ = makeComplexSparseSolver(P, groups_);
  ++factorizations_;
  return solver_ != nullptr && solver_->factorize(P).ok;
}

bool RootRefinement::factorizeBeside(Complex s) {
  if (s != 0.0 && factorize(s * (1.0 + kBeside))) return true;
  for (const double move : kBesideZero) {
    if (factorize(s + move)) return true;
  }
  return false;
}

bool RootRefinement::improve(Eigenpair& pair, double mostly) {
  if (!factorizeBeside(pair.value)) return false;
  Eigenpair next = pair;
  next.vector = findStart(pencil_, delays_, pair);
  Eigen::VectorXcd left = next.vector.conjugate();
  solver_->solve(next.vector);
  next.vector.normalize();
  // Where wᵀ P' z = 0, as at a double root with one vector, the solution may have nothing of z.
  const double found = calcResidual(pencil_, delays_, pair.value, next.vector);
  if (!(found <= kLost) && !(found <= calcResidual(pencil_, delays_, pair.value, pair.vector))) {
    next.vector = pair.vector.normalized();
  }
  for (int k = 0; k < 2; ++k) {
    solver_->solveTransposed(left);
    left.normalize();
  }
  const Eigen::VectorXcd before = pair.vector.normalized();
  bool isBetter = false;
  int vanished = 0;
  double last = kLargestChange * std::abs(pair.value) + mostly;
  for (int round = 0; round < kMostRounds; ++round) {
    base::lookForInterruption();
    if (!next.vector.allFinite() || !left.allFinite()) break;
    const Complex slope =
        (left.transpose() * applyDerivative(pencil_, delays_, next.value, next.vector)).value();
    if (round == 0) pair.uncertainty = calcUncertainty(pencil_, delays_, next, left);
    if (slope == 0.0) break;
    Eigen::VectorXcd rest = applyExactly(pencil_, delays_, next.value, next.vector);
    const Complex change = -multiplyExactly(left, rest) / slope;
    const double size = std::abs(change), roundOff = kEpsilon * std::abs(next.value);
    if (!(size <= std::max(last, roundOff))) break;
    last = kFalls * size;
    // What two corrections in a row leave nothing of is zero itself, however small its error bound: an idle integrator.
    vanished = std::abs(next.value + change) <= kVanished * std::abs(next.value) ? vanished + 1 : 0;
    next.value = vanished < 2 ? next.value + change : 0.0;
    rest = applyExactly(pencil_, delays_, next.value, next.vector);
    solver_->solve(rest);
    next.vector = (next.vector - rest).normalized();
    const bool isSettled = size <= roundOff && rest.norm() <= kSettledVector;
    rest = applyTransposedExactly(pencil_, delays_, next.value, left);
    solver_->solveTransposed(rest);
    left = (left - rest).normalized();
    if (!next.vector.allFinite() || !left.allFinite()) break;
    next.residual = calcResidual(pencil_, delays_, next.value, next.vector);
    // Towards a double root each correction is half of the one before, and what is left is as large as the last.
    next.uncertainty = std::max(calcUncertainty(pencil_, delays_, next, left), size);
    pair = next;
    isBetter = true;
    if (isSettled) break;
  }
  if (isBetter) keepApart(before, pair);
  return isBetter;
}

// Of several shapes at one root, as free motions have, rounding prefers some, and inverse iteration turns all others into them:
// one that solves the equations stays.
void RootRefinement::keepApart(const Eigen::VectorXcd& before, Eigenpair& pair) const {
  if (std::abs(before.dot(pair.vector)) >= 1.0 - kSameVector) return;
  const double residual = calcResidual(pencil_, delays_, pair.value, before);
  if (residual > kSolved) return;
  pair.vector = before;
  pair.residual = residual;
}

Complex RootRefinement::step(Eigenpair& pair) {
  if (!factorize(pair.value)) return 0.0;  // singular to the last digit: there is no better root
  Eigen::VectorXcd u = applyDerivative(pencil_, delays_, pair.value, pair.vector);
  solver_->solve(u);
  const Complex change = -pair.vector.squaredNorm() / pair.vector.dot(u);
  if (!std::isfinite(std::abs(change)) || !u.allFinite()) return 0.0;
  pair.value += change;
  pair.vector = u / u.norm();
  return change;
}

bool RootRefinement::settle(Eigenpair& pair, double distance) {
  const Complex begin = pair.value;
  double last = kNear * distance;
  for (int k = 0; k < kMostSteps; ++k) {
    const double change = std::abs(step(pair));
    if (std::abs(pair.value - begin) > kNear * distance) return false;
    // The steps shrink quadratically until they are roundings.
    if (change <= kSettled * distance && change >= 0.1 * last) break;
    last = change;
  }
  pair.residual = calcResidual(pencil_, delays_, pair.value, pair.vector);
  return last <= kSettled * distance;
}

Eigen::VectorXcd RootRefinement::findVector(Complex s, double rate, Eigen::VectorXcd start) {
  if (!factorizeBeside(s)) return Eigen::VectorXcd::Zero(pencil_.size());
  for (int k = 0; k < 3; ++k) {
    start = applyDerivative(pencil_, delays_, rate, start);
    solver_->solve(start);
    if (!start.allFinite()) return Eigen::VectorXcd::Zero(pencil_.size());
    start.normalize();
  }
  return start;
}

Eigen::VectorXcd RootRefinement::findLeftVector(const Eigenpair& pair) {
  Eigen::VectorXcd left = findStart(pencil_, delays_, pair).conjugate();
  if (!factorizeBeside(pair.value)) return Eigen::VectorXcd::Zero(pencil_.size());
  for (int k = 0; k < 3; ++k) {
    solver_->solveTransposed(left);
    if (!left.allFinite()) return Eigen::VectorXcd::Zero(pencil_.size());
    left.normalize();
  }
  // P(σ)⁻ᵀ w is w but for the distance of σ from the root.
  double last = 1.0;
  for (int k = 0; k < kMostRounds; ++k) {
    Eigen::VectorXcd rest = applyTransposedExactly(pencil_, delays_, pair.value, left);
    solver_->solveTransposed(rest);
    const double size = rest.norm();
    if (!(size <= kFalls * last)) break;
    left = (left - rest).normalized();
    last = size;
  }
  return left;
}

}  // namespace flexloop::linalg
