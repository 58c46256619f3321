#include "linalg/pair_refinement.hpp"

#include <cmath>
#include <utility>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

constexpr int kMostSteps = 6;
constexpr double kSettled = 1e-6, kNear = 0.1;

}  // namespace

Complex PairRefinement::step(Eigenpair& pair) {
  const Complex s = pair.value;
  const SparseMatrixC P = evaluate(pencil_, s);
  if (solver_ == nullptr) solver_ = makeComplexSparseSolver(P, groups_);
  if (solver_ == nullptr || !solver_->factorize(P).ok) return 0.0;
  Eigen::VectorXcd u = pencil_.C * pair.vector + 2.0 * s * (pencil_.M * pair.vector).eval();
  solver_->solve(u);
  ++solves_;
  const Complex change = -pair.vector.squaredNorm() / pair.vector.dot(u);
  if (!std::isfinite(std::abs(change)) || !u.allFinite()) return 0.0;
  pair.value += change;
  pair.vector = u / u.norm();
  return change;
}

bool PairRefinement::improve(Eigenpair& pair) {
  Eigenpair next = pair;
  step(next);
  next.residual = calcResidual(pencil_, next.value, next.vector);
  if (!(next.residual < pair.residual)) return false;
  pair = std::move(next);
  return true;
}

bool PairRefinement::settle(Eigenpair& pair, double distance) {
  const Complex begin = pair.value;
  double last = kNear * distance;
  for (int k = 0; k < kMostSteps; ++k) {
    const double change = std::abs(step(pair));
    if (std::abs(pair.value - begin) > kNear * distance) return false;
    // The steps shrink quadratically until they are roundings.
    if (change <= kSettled * distance && change >= 0.1 * last) break;
    last = change;
  }
  pair.residual = calcResidual(pencil_, pair.value, pair.vector);
  return last <= kSettled * distance;
}

}  // namespace flexloop::linalg
