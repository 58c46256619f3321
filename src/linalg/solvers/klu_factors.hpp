// KLU's factors of a sparse matrix of one pattern, real or complex. New values reuse the pivots as long as these can be trusted.
// For the sources of the solvers only.
#pragma once

#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include <klu.h>

#include "linalg/solvers/elimination_order.hpp"
#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

// KLU takes complex numbers as pairs of doubles, which is how std::complex stores them.
template <class Scalar>
class KluFactors {
 public:
  using Matrix = Eigen::SparseMatrix<Scalar, Eigen::ColMajor, int>;

  // Below this ratio of the smallest to the largest pivot a refactorisation with old pivots is not
  // trusted and pivots are chosen anew.
  static constexpr double kTrustedPivotRatio = 1e-13;

  explicit KluFactors(const Matrix& pattern) : size_(static_cast<int>(pattern.rows())) {
    klu_defaults(&common_);
    // The weak preference for the diagonal keeps the fill of the ordering; a zero there still gets
    // another pivot.
    common_.tol = 1e-4;
    common_.scale = -1;
    columns_.assign(pattern.outerIndexPtr(), pattern.outerIndexPtr() + size_ + 1);
    rows_.assign(pattern.innerIndexPtr(), pattern.innerIndexPtr() + pattern.nonZeros());
  }
  ~KluFactors() {
    free();
    klu_free_symbolic(&symbolic_, &common_);
  }
  KluFactors(const KluFactors&) = delete;
  KluFactors& operator=(const KluFactors&) = delete;

  // By minimum degree on single unknowns, or in an order that is given.
  void analyze() { symbolic_ = klu_analyze(size_, columns_.data(), rows_.data(), &common_); }
  void analyze(std::vector<int> order) {
    klu_free_symbolic(&symbolic_, &common_);
    common_.btf = 0;
    symbolic_ = klu_analyze_given(size_, columns_.data(), rows_.data(), order.data(), order.data(),
                                  &common_);
  }

  // Null where the pattern is structurally singular, and before there are any.
  const klu_symbolic* symbolic() const { return symbolic_; }
  const klu_numeric* numeric() const { return numeric_; }
  int size() const { return size_; }

  FactorReport factorize(const Matrix& matrix) {
    double* values = asPairs(matrix.valuePtr());
    if (numeric_ != nullptr) {
      const bool ok = call(klu_refactor, klu_z_refactor)(columns_.data(), rows_.data(), values,
                                                         symbolic_, numeric_, &common_) != 0;
      call(klu_rcond, klu_z_rcond)(symbolic_, numeric_, &common_);
      if (ok && common_.rcond > kTrustedPivotRatio) return {true, -1, common_.rcond};
      free();
    }
    numeric_ =
        call(klu_factor, klu_z_factor)(columns_.data(), rows_.data(), values, symbolic_, &common_);
    if (numeric_ == nullptr || common_.status == KLU_SINGULAR) {
      const int column = common_.singular_col;
      free();
      return {false, column < size_ ? column : -1, 0.0};
    }
    call(klu_rcond, klu_z_rcond)(symbolic_, numeric_, &common_);
    if (!(common_.rcond > kSingular) || !std::isfinite(common_.rcond)) {
      free();
      return {false, -1, 0.0};
    }
    return {true, -1, common_.rcond, true};
  }

  void solve(Scalar* x, int columns = 1) {
    call(klu_solve, klu_z_solve)(symbolic_, numeric_, size_, columns, asPairs(x), &common_);
  }
  // Without conjugation.
  void solveTransposed(Scalar* x) {
    if constexpr (kIsComplex) {
      klu_z_tsolve(symbolic_, numeric_, size_, 1, asPairs(x), 0, &common_);
    } else {
      klu_tsolve(symbolic_, numeric_, size_, 1, x, &common_);
    }
  }
  void free() { call(klu_free_numeric, klu_z_free_numeric)(&numeric_, &common_); }

 private:
  static constexpr bool kIsComplex = !std::is_same_v<Scalar, double>;
  static constexpr double kSingular = 1e-300;

  template <class Real, class Complex>
  static auto call(Real real, Complex complex) {
    if constexpr (kIsComplex) {
      return complex;
    } else {
      return real;
    }
  }
  // KLU's interface is not const-correct.
  static double* asPairs(const Scalar* values) {
    return reinterpret_cast<double*>(const_cast<Scalar*>(values));
  }

  int size_;
  std::vector<int> columns_, rows_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace flexloop::linalg
