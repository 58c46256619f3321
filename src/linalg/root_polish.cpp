#include "linalg/root_polish.hpp"

#include <cmath>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

constexpr int kMostRounds = 6;
// A root is where P(s) is singular; this far beside it the solver finds its pivots.
constexpr double kBeside = 1e-10;

Eigen::VectorXcd applyDerivative(const QuadraticPencil& p, Complex s, const Eigen::VectorXcd& z) {
  return p.C * z + 2.0 * s * (p.M * z);
}

Eigen::VectorXcd apply(const QuadraticPencil& p, Complex s, const Eigen::VectorXcd& z) {
  return p.K * z + s * (p.C * z) + s * s * (p.M * z);
}

}  // namespace

RootPolish::RootPolish(const QuadraticPencil& pencil)
    : pencil_(pencil), solver_(makeComplexSparseSolver(evaluate(pencil, Complex(1.0, 1.0)))) {}

RootPolish::~RootPolish() = default;

bool RootPolish::factorizeNear(Complex s) {
  if (solver_ == nullptr) return false;
  if (solver_->factorize(evaluate(pencil_, s)).ok) return true;
  return solver_->factorize(evaluate(pencil_, s + kBeside * std::max(std::abs(s), 1.0))).ok;
}

void RootPolish::improve(Eigenpair& pair) {
  pair.residual = calcResidual(pencil_, pair.value, pair.vector);
  for (int round = 0; round < kMostRounds; ++round) {
    if (!factorizeNear(pair.value)) return;
    Eigenpair next = pair;
    next.vector = applyDerivative(pencil_, pair.value, pair.vector);
    Eigen::VectorXcd left = Eigen::VectorXcd(next.vector.conjugate());
    solver_->solve(next.vector);
    if (!next.vector.allFinite() || next.vector.norm() == 0.0) return;
    next.vector.normalize();
    // The left vector makes the correction of the root quadratic in the errors of both.
    for (int k = 0; k < 2; ++k) {
      solver_->solveTransposed(left);
      if (!left.allFinite()) return;
      left.normalize();
    }
    const Complex slope =
        (left.transpose() * applyDerivative(pencil_, pair.value, next.vector)).value();
    if (slope == 0.0) return;
    next.value -= (left.transpose() * apply(pencil_, pair.value, next.vector)).value() / slope;
    next.residual = calcResidual(pencil_, next.value, next.vector);
    if (!(next.residual < pair.residual)) return;
    const bool done = std::abs(next.value - pair.value) <= 1e-15 * std::abs(next.value);
    pair = std::move(next);
    if (done) return;
  }
}

Eigen::VectorXcd RootPolish::findLeftVector(const Eigenpair& pair) {
  Eigen::VectorXcd left = applyDerivative(pencil_, pair.value, pair.vector).conjugate();
  if (!factorizeNear(pair.value)) return Eigen::VectorXcd::Zero(pencil_.size());
  for (int k = 0; k < 3; ++k) {
    solver_->solveTransposed(left);
    if (!left.allFinite()) return Eigen::VectorXcd::Zero(pencil_.size());
    left.normalize();
  }
  return left;
}

}  // namespace flexloop::linalg
