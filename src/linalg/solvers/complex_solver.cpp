#include "linalg/solvers/complex_solver.hpp"

#include <cmath>

#include <klu.h>

#include "linalg/solvers/elimination_order.hpp"

namespace flexloop::linalg {
namespace {

// As for the real solver: the smallest over the largest pivot below which old pivots are not reused.
constexpr double kTrustedPivotRatio = 1e-13;
constexpr double kSingular = 1e-300;

// KLU takes complex numbers as pairs of doubles, which is how std::complex stores them.
double* asPairs(const std::complex<double>* values) {
  return reinterpret_cast<double*>(const_cast<std::complex<double>*>(values));
}

class ComplexKluSolver final : public ComplexSparseSolver {
 public:
  ComplexKluSolver(const SparseMatrixC& pattern, const std::vector<int>& groups)
      : size_(static_cast<int>(pattern.rows())) {
    klu_defaults(&common_);
    common_.tol = 1e-4;  // keeps the fill of the ordering, as in the real solver
    common_.scale = -1;
    columns_.assign(pattern.outerIndexPtr(), pattern.outerIndexPtr() + size_ + 1);
    rows_.assign(pattern.innerIndexPtr(), pattern.innerIndexPtr() + pattern.nonZeros());
    if (groups.empty()) {
      symbolic_ = klu_analyze(size_, columns_.data(), rows_.data(), &common_);
      return;
    }
    std::vector<int> order = makeEliminationOrder(pattern.real(), groups);
    common_.btf = 0;
    symbolic_ = klu_analyze_given(size_, columns_.data(), rows_.data(), order.data(), order.data(),
                                  &common_);
  }

  ~ComplexKluSolver() override {
    klu_z_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  ComplexKluSolver(const ComplexKluSolver&) = delete;
  ComplexKluSolver& operator=(const ComplexKluSolver&) = delete;

  bool analyzed() const { return symbolic_ != nullptr; }

  FactorReport factorize(const SparseMatrixC& matrix) override {
    double* values = asPairs(matrix.valuePtr());
    if (numeric_ != nullptr) {
      const bool ok =
          klu_z_refactor(columns_.data(), rows_.data(), values, symbolic_, numeric_, &common_) != 0;
      klu_z_rcond(symbolic_, numeric_, &common_);
      if (ok && common_.rcond > kTrustedPivotRatio) return {true, -1, common_.rcond};
      klu_z_free_numeric(&numeric_, &common_);
    }
    numeric_ = klu_z_factor(columns_.data(), rows_.data(), values, symbolic_, &common_);
    if (numeric_ == nullptr || common_.status == KLU_SINGULAR) {
      const int column = common_.singular_col;
      klu_z_free_numeric(&numeric_, &common_);
      return {false, column < size_ ? column : -1, 0.0};
    }
    klu_z_rcond(symbolic_, numeric_, &common_);
    if (!(common_.rcond > kSingular) || !std::isfinite(common_.rcond)) {
      klu_z_free_numeric(&numeric_, &common_);
      return {false, -1, 0.0};
    }
    return {true, -1, common_.rcond};
  }

  void solve(Eigen::Ref<Eigen::VectorXcd> x) override {
    klu_z_solve(symbolic_, numeric_, size_, 1, asPairs(x.data()), &common_);
  }

  void solveTransposed(Eigen::Ref<Eigen::VectorXcd> x) override {
    constexpr int kWithoutConjugation = 0;
    klu_z_tsolve(symbolic_, numeric_, size_, 1, asPairs(x.data()), kWithoutConjugation, &common_);
  }

 private:
  int size_;
  std::vector<int> columns_, rows_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<ComplexSparseSolver> makeComplexSparseSolver(const SparseMatrixC& pattern,
                                                             const std::vector<int>& groups) {
  auto solver = std::make_unique<ComplexKluSolver>(pattern, groups);
  if (!solver->analyzed()) return nullptr;
  return solver;
}

}  // namespace flexloop::linalg
