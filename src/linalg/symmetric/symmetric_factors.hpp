// A = L D Lᵀ of a large sparse symmetric matrix by MUMPS, for many right-hand sides, with the signs of its pivots:
// by Sylvester's law of inertia A has as many negative eigenvalues as D.
//
// The order of elimination is nested dissection (nested_dissection.hpp). Where factors do not fit the memory they are kept in
// single precision, and solutions are refined with residuals in double precision; where that does not fit either, on disk.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::linalg {

enum class FactorStore { kAutomatic, kDouble, kSingle, kDisk };

struct SymmetricOptions {
  FactorStore store = FactorStore::kAutomatic;
  bool allowSingle = true;  // otherwise factors that do not fit the memory are kept on disk
  bool refine = true;       // solutions of factors in single precision
  double memory = 0.0;      // bytes that automatic factors may take; 0: what the machine has left
  int threads = 1;          // of the dense fronts; 0: one for each core
};

struct SymmetricReport {
  int negativePivots = 0;
  std::vector<int> nullRows;                 // where elimination found nothing but rounding
  double estimatedBytes = 0;                 // in double precision and in memory
  double entries = 0;                        // of L
  FactorStore store = FactorStore::kDouble;  // that was chosen
};

class SymmetricFactors {
 public:
  SymmetricFactors();
  ~SymmetricFactors();
  SymmetricFactors(SymmetricFactors&&) noexcept;
  SymmetricFactors& operator=(SymmetricFactors&&) noexcept;

  // Reads the lower triangle, and gives its memory back before the factors take theirs. A failure is a want of memory or of disk; a singular matrix is none, see nullRows.
  [[nodiscard]] std::optional<base::Failure> factorize(SparseMatrix lower,
                                                       const SymmetricOptions& options = {});
  const SymmetricReport& report() const { return report_; }

  // A X = B in place, column by column of X. Returns the largest share of a right-hand side that is left as its residual,
  // where solutions are refined, or 0.
  double solve(Eigen::Ref<Eigen::MatrixXd> X) const;
  // Gives the memory back.
  void reset();

  class Factors;  // of the source

 private:
  std::unique_ptr<Factors> factors_;
  SymmetricReport report_;
};

// Y = A X with the lower triangle of a symmetric A.
Eigen::MatrixXd multiplySymmetric(const SparseMatrix& lower,
                                  const Eigen::Ref<const Eigen::MatrixXd>& X);

// Memory that a program may take without swapping, bytes.
double availableMemory();

}  // namespace flexloop::linalg
