#include "linalg/solvers/klu_solver.hpp"

#include <cmath>
#include <vector>

#include <klu.h>

#include "linalg/solvers/elimination_order.hpp"
#include "linalg/solvers/panel_factors.hpp"

namespace flexloop::linalg {
namespace {

// Below this ratio of the smallest to the largest pivot a refactorisation with old pivots is not
// trusted and pivots are chosen anew.
constexpr double kTrustedPivotRatio = 1e-13;
constexpr double kSingular = 1e-300;
// Panels may hold so many times the entries of KLU's factors: zeros between them, and the map of updates.
constexpr double kMostFill = 4.0;

class KluSolver final : public SparseSolver {
 public:
  KluSolver(const SparseMatrix& pattern, const std::vector<int>& groups)
      : size_(static_cast<int>(pattern.rows())) {
    klu_defaults(&common_);
    // The weak preference for the diagonal keeps the fill of the ordering; a zero there still gets
    // another pivot.
    common_.tol = 1e-4;
    common_.scale = -1;
    columns_.assign(pattern.outerIndexPtr(), pattern.outerIndexPtr() + size_ + 1);
    rows_.assign(pattern.innerIndexPtr(), pattern.innerIndexPtr() + pattern.nonZeros());
    symbolic_ = klu_analyze(size_, columns_.data(), rows_.data(), &common_);
    if (symbolic_ == nullptr) return;
    estimate_ = {symbolic_->est_flops, symbolic_->lnz + symbolic_->unz};
    if (!groups.empty()) {
      std::vector<int> order = makeEliminationOrder(pattern, groups);
      klu_free_symbolic(&symbolic_, &common_);
      common_.btf = 0;
      symbolic_ = klu_analyze_given(size_, columns_.data(), rows_.data(), order.data(),
                                    order.data(), &common_);
    }
  }

  ~KluSolver() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;

  bool analyzed() const { return symbolic_ != nullptr; }
  // Of minimum degree on single unknowns: an order that is given comes without an estimate.
  KluEstimate estimate() const { return estimate_; }

  FactorReport factorize(const SparseMatrix& matrix) override {
    auto* values = const_cast<double*>(matrix.valuePtr());  // KLU's interface is not const-correct
    if (numeric_ != nullptr && !isTried_) makePanels(matrix);
    if (hasPanels_) {
      const double ratio = panels_.factorize(matrix);
      if (ratio > kTrustedPivotRatio) return {true, -1, ratio};
      hasPanels_ = false;
    } else if (numeric_ != nullptr) {
      const bool ok =
          klu_refactor(columns_.data(), rows_.data(), values, symbolic_, numeric_, &common_) != 0;
      klu_rcond(symbolic_, numeric_, &common_);
      if (ok && common_.rcond > kTrustedPivotRatio) return {true, -1, common_.rcond};
      klu_free_numeric(&numeric_, &common_);
    }
    isTried_ = false;
    numeric_ = klu_factor(columns_.data(), rows_.data(), values, symbolic_, &common_);
    if (numeric_ == nullptr || common_.status == KLU_SINGULAR) {
      const int column = common_.singular_col;
      klu_free_numeric(&numeric_, &common_);
      return {false, column < size_ ? column : -1, 0.0};
    }
    klu_rcond(symbolic_, numeric_, &common_);
    if (!(common_.rcond > kSingular) || !std::isfinite(common_.rcond)) {
      klu_free_numeric(&numeric_, &common_);
      return {false, -1, 0.0};
    }
    return {true, -1, common_.rcond, true};
  }

  void solve(Eigen::Ref<Eigen::VectorXd> x) override {
    if (hasPanels_) return panels_.solve(x);
    klu_solve(symbolic_, numeric_, size_, 1, x.data(), &common_);
  }

  void solvePair(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> y) override {
    if (hasPanels_) return panels_.solvePair(x, y);
    pair_.resize(size_, 2);
    pair_.col(0) = x;
    pair_.col(1) = y;
    klu_solve(symbolic_, numeric_, size_, 2, pair_.data(), &common_);
    x = pair_.col(0);
    y = pair_.col(1);
  }

  std::string name() const override { return "KLU"; }

 private:
  // Where unknowns come in groups, factors are kept as panels from the second factorisation on, with the pivots that KLU has
  // chosen: what is factorised once is not worth the analysis.
  void makePanels(const SparseMatrix& matrix) {
    isTried_ = true;
    if (symbolic_->nblocks != 1) return;
    const auto fill = static_cast<double>(numeric_->lnz) + static_cast<double>(numeric_->unz);
    const std::vector<int> rows(numeric_->Pnum, numeric_->Pnum + size_);
    const std::vector<int> columns(symbolic_->Q, symbolic_->Q + size_);
    hasPanels_ = panels_.analyze(matrix, rows, columns, static_cast<std::size_t>(kMostFill * fill));
    if (hasPanels_) klu_free_numeric(&numeric_, &common_);
  }

  int size_;
  KluEstimate estimate_;
  PanelFactors panels_;
  bool hasPanels_ = false;
  bool isTried_ = false;  // to make panels for the pivots of `numeric_`
  std::vector<int> columns_, rows_;
  Eigen::MatrixX2d pair_;  // workspace
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
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
