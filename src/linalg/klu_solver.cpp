#include "linalg/klu_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <amd.h>
#include <klu.h>

namespace flexloop::linalg {
namespace {

// Below this ratio of the smallest to the largest pivot a refactorisation with old pivots is not
// trusted and pivots are chosen anew.
constexpr double kTrustedPivotRatio = 1e-13;
constexpr double kSingular = 1e-300;

// Minimum degree on the graph of the groups; inside a group the order of the unknowns is kept. A
// multiplier that comes after the node it acts on finds a pivot on the diagonal, where minimum degree
// on single unknowns would meet zeros and fill the factors by pivoting away from them.
std::vector<int> orderByGroups(const SparseMatrix& pattern, const std::vector<int>& groups) {
  const int count = 1 + *std::max_element(groups.begin(), groups.end());
  std::vector<std::vector<int>> members(count);
  for (std::size_t u = 0; u < groups.size(); ++u) {
    members[groups[u]].push_back(static_cast<int>(u));
  }
  std::vector<int> starts{0}, neighbours, mark(count, -1);
  neighbours.reserve(pattern.nonZeros() / 4 + 1);  // never null: AMD refuses a null list
  for (int g = 0; g < count; ++g) {
    for (const int u : members[g]) {
      for (SparseMatrix::InnerIterator it(pattern, u); it; ++it) {
        const int other = groups[it.row()];
        if (other == g || mark[other] == g) continue;
        mark[other] = g;
        neighbours.push_back(other);
      }
    }
    starts.push_back(static_cast<int>(neighbours.size()));
  }
  std::vector<int> groupOrder(count);
  const int status =
      amd_order(count, starts.data(), neighbours.data(), groupOrder.data(), nullptr, nullptr);
  if (status < AMD_OK) std::iota(groupOrder.begin(), groupOrder.end(), 0);
  std::vector<int> order;
  for (const int g : groupOrder) order.insert(order.end(), members[g].begin(), members[g].end());
  return order;
}

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
      std::vector<int> order = orderByGroups(pattern, groups);
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
    if (numeric_ != nullptr) {
      const bool ok =
          klu_refactor(columns_.data(), rows_.data(), values, symbolic_, numeric_, &common_) != 0;
      klu_rcond(symbolic_, numeric_, &common_);
      if (ok && common_.rcond > kTrustedPivotRatio) return {true, -1, common_.rcond};
      klu_free_numeric(&numeric_, &common_);
    }
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
    return {true, -1, common_.rcond};
  }

  void solve(Eigen::Ref<Eigen::VectorXd> x) override {
    klu_solve(symbolic_, numeric_, size_, 1, x.data(), &common_);
  }

  std::string name() const override { return "KLU"; }

 private:
  int size_;
  KluEstimate estimate_;
  std::vector<int> columns_, rows_;
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
