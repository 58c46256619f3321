// The linear algebra of a balance: its units, its factors, and what constraints that depend on each other need.
#include <algorithm>
#include <cmath>

#include "solve/balance/balance_units.hpp"
#include "solve/balance/infinite_slope.hpp"
#include "solve/balance/scaled_stiffness.hpp"
#include "solve/balance/static_balance.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

// Of the loads over the size of the machine: what would yield to them by more is round-off, and no unit.
constexpr double kLeastByLoad = 1e-12;

}  // namespace

// By the stiffness that motions have at the start; where they have none, by that which the loads give them over the size of the
// machine. Both stay what they are, so that all tangents of a search agree.
void StaticBalance::chooseUnits() {
  State idle = start_;
  for (int u = 0; u < system().unknowns(); ++u) {
    if (kinds_[u] == Kind::kMultiplier) idle.value[u] = 0.0;
  }
  calcResidual(idle);
  assemble(idle);
  const Eigen::VectorXd stiffness = findStiffness();
  if (!soft_.isEmpty()) softness_ = soft_.calcSoftness(matrix_, stiffness);
  units_ = findBalanceUnits(kinds_, matrix_, stiffness);
}

// Without the reactions of an earlier search, whose round-off is no stiffness.
Eigen::VectorXd StaticBalance::findStiffness() {
  const double load = std::max(motionNorm(calcAppliedLoads(start_)), motionNorm(held_));
  const ScaledStiffness scaled(*this, mechanicalPart(), load);
  const Eigen::VectorXd own = scaled.spread(scaled.stiffness(), matrix_.cols());
  const auto isGood = [](double k) { return k > 0.0 && std::isfinite(k); };
  const auto isTurn = [&](int u) { return system().isRotation(UnknownIndex{u}); };
  const double length = size_ > 0.0 ? size_ : 1.0;
  double least = load / length;  // of moves
  for (int u = 0; u < own.size() && !isGood(load); ++u) {
    if (kinds_[u] != Kind::kMotion || !isGood(own[u])) continue;
    least = std::max(least, isTurn(u) ? own[u] / (length * length) : own[u]);
  }
  if (!isGood(least)) least = 1.0;
  Eigen::VectorXd stiffness = Eigen::VectorXd::Ones(matrix_.cols());
  for (int u = 0; u < stiffness.size(); ++u) {
    if (kinds_[u] != Kind::kMotion) continue;
    const double usual = isTurn(u) ? least * length * length : least;
    stiffness[u] = isGood(own[u]) && own[u] > kLeastByLoad * usual ? own[u] : usual;
  }
  return stiffness;
}

Eigen::VectorXd StaticBalance::calcMasses(const State& state) {
  linalg::SparseMatrix K, C, M;
  Eigen::VectorXd r;
  assembler_.calcResidual(state, r);
  assembler_.calcTangents(state, K, C, M);
  Eigen::VectorXd masses = Eigen::VectorXd::Zero(matrix_.cols());
  for (int u = 0; u < M.cols(); ++u) {
    if (kinds_[u] == Kind::kMotion) masses[u] = std::max(M.coeff(u, u), 0.0);
  }
  return masses;
}

linalg::SparseMatrix StaticBalance::scaledMatrix() const {
  return inUnits(units_, matrix_);
}

linalg::SparseMatrix StaticBalance::scaledPart(const linalg::SparseMatrix& part) const {
  linalg::MatrixScaling ofPart;
  ofPart.rows.resize(part.rows());
  int place = 0;
  for (std::size_t u = 0; u < kinds_.size(); ++u) {
    if (kinds_[u] != Kind::kMotion && kinds_[u] != Kind::kMultiplier) continue;
    ofPart.rows[place++] = units_.rows[static_cast<Eigen::Index>(u)];
  }
  ofPart.columns = ofPart.rows;
  return inUnits(ofPart, part);
}

std::optional<base::Failure> StaticBalance::factorize() {
  ++factorizations_;
  if (solver_ == nullptr) {
    solver_ = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kAutomatic, groups_);
  }
  const linalg::FactorReport factored = solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0}
                                                           : solver_->factorize(scaledMatrix());
  if (factored.ok) return std::nullopt;
  if (auto steep = describeInfiniteSlope(system(), matrix_)) return steep;
  return describeSingular(factored.singularColumn);
}

void StaticBalance::solveByFactors(Eigen::VectorXd& x) {
  x.array() *= units_.rows.array();
  solver_->solve(x);
  x.array() *= units_.columns.array();
}

Eigen::VectorXd StaticBalance::solve(Eigen::VectorXd x) {
  for (const int row : followedRows_) x[row] = 0.0;
  for (const int row : fixed_) x[row] = 0.0;
  solveByFactors(x);
  return x;
}

Eigen::VectorXd StaticBalance::solveNewton(const Eigen::VectorXd& unbalance) {
  Eigen::VectorXd x = -unbalance;
  const auto byFactors = [&](Eigen::VectorXd& b) { solveByFactors(b); };
  if (!soft_.isEmpty()) soft_.removeSelfStress(multipliers_, softness_, byFactors, x);
  return solve(std::move(x));
}

}  // namespace flexloop::solve
