#include "linalg/solvers/klu_solver.hpp"

#include <vector>

#include "linalg/solvers/klu_factors.hpp"
#include "linalg/solvers/panel_factors.hpp"

namespace flexloop::linalg {
namespace {

// Panels may hold so many times the entries of KLU's factors: zeros between them, and the map of updates.
constexpr double kMostFill = 4.0;

class KluSolver final : public SparseSolver {
 public:
  KluSolver(const SparseMatrix& pattern, const std::vector<int>& groups) : factors_(pattern) {
    factors_.analyze();
    const klu_symbolic* symbolic = factors_.symbolic();
    if (symbolic == nullptr) return;
    estimate_ = {symbolic->est_flops, symbolic->lnz + symbolic->unz};
    if (!groups.empty()) factors_.analyze(makeEliminationOrder(pattern, groups));
  }

  bool analyzed() const { return factors_.symbolic() != nullptr; }
  // Of minimum degree on single unknowns: an order that is given comes without an estimate.
  KluEstimate estimate() const { return estimate_; }

  FactorReport factorize(const SparseMatrix& matrix) override {
    if (factors_.numeric() != nullptr && !isTried_) makePanels(matrix);
    if (hasPanels_) {
      const double ratio = panels_.factorize(matrix);
      if (ratio > factors_.kTrustedPivotRatio) return {true, -1, ratio};
      hasPanels_ = false;
    }
    const FactorReport report = factors_.factorize(matrix);
    if (report.chosePivots) isTried_ = false;
    return report;
  }

  void solve(Eigen::Ref<Eigen::VectorXd> x) override {
    if (hasPanels_) return panels_.solve(x);
    factors_.solve(x.data());
  }

  void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) override {
    if (hasPanels_) return panels_.solvePair(x, y);
    pair_.resize(factors_.size(), 2);
    pair_.col(0) = x;
    pair_.col(1) = y;
    factors_.solve(pair_.data(), 2);
    x = pair_.col(0);
    y = pair_.col(1);
  }

  std::string name() const override { return "KLU"; }

 private:
  // Where unknowns come in groups, factors are kept as panels from the second factorisation on, with the pivots that KLU has
  // chosen: what is factorised once is not worth the analysis.
  void makePanels(const SparseMatrix& matrix) {
    isTried_ = true;
    const klu_symbolic& symbolic = *factors_.symbolic();
    const klu_numeric& numeric = *factors_.numeric();
    if (symbolic.nblocks != 1) return;
    const auto fill = static_cast<double>(numeric.lnz) + static_cast<double>(numeric.unz);
    const std::vector<int> rows(numeric.Pnum, numeric.Pnum + factors_.size());
    const std::vector<int> columns(symbolic.Q, symbolic.Q + factors_.size());
    hasPanels_ = panels_.analyze(matrix, rows, columns, static_cast<std::size_t>(kMostFill * fill));
    if (hasPanels_) factors_.free();
  }

  KluFactors<double> factors_;
  KluEstimate estimate_;
  PanelFactors panels_;
  bool hasPanels_ = false;
  bool isTried_ = false;   // to make panels for the pivots of the factors
  Eigen::MatrixX2d pair_;  // workspace
};

}  // namespace

std::unique_ptr<SparseSolver> makeKluSolver(const SparseMatrix& pattern, KluEstimate& estimate,
                                            const std::vector<int>& groups) {
  auto solver = std::make_unique<KluSolver>(pattern, groups);
  if (!solver->analyzed()) return nullptr;
  estimate = solver->estimate();
  return solver;
}

}  // namespace flexloop::linalg
