#include "solve/time/signal_correction.hpp"

#include <numeric>

namespace flexloop::solve {

using system::Kind;

namespace {

// Motions and multipliers for each state or signal, from which on the correction is cheap.
constexpr int kLargeMachine = 4;

bool belongs(Kind kind) {
  return kind == Kind::kState || kind == Kind::kSignal;
}

}  // namespace

bool SignalCorrection::isWorthwhile(const system::System& system) {
  int own = 0;
  for (const Kind kind : system.kinds()) own += belongs(kind) ? 1 : 0;
  return own > 0 && system.unknowns() - own > kLargeMachine * own;
}

SignalCorrection::SignalCorrection(const system::System& system,
                                   const linalg::SparseMatrix& pattern) {
  const std::vector<Kind>& kinds = system.kinds();
  std::vector<int> local(kinds.size(), -1);
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (!belongs(kinds[u])) continue;
    local[u] = static_cast<int>(unknowns_.size());
    unknowns_.push_back(static_cast<int>(u));
  }
  std::vector<Eigen::Triplet<double, int>> triplets;
  for (const int column : unknowns_) {
    for (int k = pattern.outerIndexPtr()[column]; k < pattern.outerIndexPtr()[column + 1]; ++k) {
      const int row = local[pattern.innerIndexPtr()[k]];
      if (row < 0) continue;
      triplets.emplace_back(row, local[column], 0.0);
      entries_.push_back(k);
    }
  }
  const int n = static_cast<int>(unknowns_.size());
  matrix_.resize(n, n);
  matrix_.setFromTriplets(triplets.begin(), triplets.end());
  matrix_.makeCompressed();
  local_.setZero(n);
  groups_.resize(unknowns_.size());
  std::iota(groups_.begin(), groups_.end(), 0);
}

void SignalCorrection::factorize(const linalg::SparseMatrix& matrix,
                                 const linalg::MatrixScaling& scaling) {
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    matrix_.valuePtr()[k] = matrix.valuePtr()[entries_[k]];
  }
  linalg::MatrixScaling own;
  own.rows = scaling.rows(unknowns_);
  own.columns = scaling.columns(unknowns_);
  usable_ = factors_.factorize(matrix_, own, linalg::SolverChoice::kAutomatic, groups_).ok;
}

void SignalCorrection::restore(const linalg::FactorRecord& record) {
  factors_.restore(record, matrix_, linalg::SolverChoice::kAutomatic, groups_);
  usable_ = factors_.hasSolver();
}

void SignalCorrection::solve(const Eigen::VectorXd& residual, Eigen::VectorXd& correction) {
  for (std::size_t i = 0; i < unknowns_.size(); ++i) local_[i] = -residual[unknowns_[i]];
  factors_.solve(local_);
  correction.setZero();
  for (std::size_t i = 0; i < unknowns_.size(); ++i) correction[unknowns_[i]] = local_[i];
}

}  // namespace flexloop::solve
