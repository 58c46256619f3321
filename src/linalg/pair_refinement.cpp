#include "linalg/pair_refinement.hpp"

#include <cmath>
#include <utility>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

constexpr int kMostSteps = 4;
constexpr double kSettled = 1e-4;

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

bool PairRefinement::isRoot(const Eigenpair& pair, double distance) {
  Eigenpair next = pair;
  for (int k = 0; k < kMostSteps; ++k) {
    if (std::abs(step(next)) <= kSettled * distance) {
      return std::abs(next.value - pair.value) < 0.1 * distance;
    }
  }
  return false;
}

}  // namespace flexloop::linalg
