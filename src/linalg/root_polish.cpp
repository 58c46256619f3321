#include "linalg/root_polish.hpp"

#include <cmath>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

constexpr int kMostRounds = 6;
// A root is where P(s) is singular; this far beside it the solver finds its pivots.
constexpr double kBeside = 1e-10;
// Of a root that is known already; more would be another root.
constexpr double kLargestChange = 1e-2;
constexpr double kLastDigits = 1e-15;
constexpr double kRoundOffOfZero = 1e-6;  // [1/s]

}  // namespace

RootPolish::RootPolish(const QuadraticPencil& pencil, DelayTerms delays)
    : pencil_(pencil),
      delays_(std::move(delays)),
      solver_(makeComplexSparseSolver(evaluate(pencil, delays_, Complex(1.0, 1.0)))) {}

RootPolish::~RootPolish() = default;

bool RootPolish::factorizeNear(Complex s) {
  if (solver_ == nullptr) return false;
  if (solver_->factorize(evaluate(pencil_, delays_, s)).ok) return true;
  return solver_->factorize(evaluate(pencil_, delays_, s + kBeside * std::max(std::abs(s), 1.0)))
      .ok;
}

void RootPolish::improve(Eigenpair& pair) {
  double lastChange = kLargestChange * std::abs(pair.value) + kRoundOffOfZero;
  for (int round = 0; round < kMostRounds; ++round) {
    if (!factorizeNear(pair.value)) return;
    Eigenpair next = pair;
    next.vector = applyDerivative(pencil_, delays_, pair.value, pair.vector);
    Eigen::VectorXcd left = next.vector.conjugate();
    solver_->solve(next.vector);
    // The left vector makes the correction of the root quadratic in the errors of both.
    for (int k = 0; k < 2; ++k) {
      solver_->solveTransposed(left);
      left.normalize();
    }
    next.vector.normalize();
    if (!next.vector.allFinite() || !left.allFinite()) return;
    const Complex slope =
        (left.transpose() * applyDerivative(pencil_, delays_, pair.value, next.vector)).value();
    if (slope == 0.0) return;
    next.value -=
        (left.transpose() * apply(pencil_, delays_, pair.value, next.vector)).value() / slope;
    const double change = std::abs(next.value - pair.value);
    if (!(change <= lastChange)) return;
    lastChange = 0.5 * change;
    next.residual = calcResidual(pencil_, delays_, next.value, next.vector);
    pair = std::move(next);
    if (change <= kLastDigits * std::abs(pair.value)) return;
  }
}

Eigen::VectorXcd RootPolish::findVector(Complex s, double rate, Eigen::VectorXcd start) {
  if (!factorizeNear(s)) return Eigen::VectorXcd::Zero(pencil_.size());
  for (int k = 0; k < 3; ++k) {
    start = applyDerivative(pencil_, delays_, rate, start);
    solver_->solve(start);
    if (!start.allFinite()) return Eigen::VectorXcd::Zero(pencil_.size());
    start.normalize();
  }
  return start;
}

Eigen::VectorXcd RootPolish::findLeftVector(const Eigenpair& pair) {
  Eigen::VectorXcd left = applyDerivative(pencil_, delays_, pair.value, pair.vector).conjugate();
  if (!factorizeNear(pair.value)) return Eigen::VectorXcd::Zero(pencil_.size());
  for (int k = 0; k < 3; ++k) {
    solver_->solveTransposed(left);
    if (!left.allFinite()) return Eigen::VectorXcd::Zero(pencil_.size());
    left.normalize();
  }
  return left;
}

}  // namespace flexloop::linalg
