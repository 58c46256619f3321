#include "linalg/solvers/complex_solver.hpp"

#include "linalg/solvers/klu_factors.hpp"

namespace flexloop::linalg {
namespace {

class ComplexKluSolver final : public ComplexSparseSolver {
 public:
  ComplexKluSolver(const SparseMatrixC& pattern, const std::vector<int>& groups)
      : factors_(pattern) {
    if (groups.empty()) {
      factors_.analyze();
    } else {
      factors_.analyze(makeEliminationOrder(pattern.real(), groups));
    }
  }

  bool analyzed() const { return factors_.symbolic() != nullptr; }

  FactorReport factorize(const SparseMatrixC& matrix) override {
    return factors_.factorize(matrix);
  }
  void solve(Eigen::Ref<Eigen::VectorXcd> x) override { factors_.solve(x.data()); }
  void solveTransposed(Eigen::Ref<Eigen::VectorXcd> x) override {
    factors_.solveTransposed(x.data());
  }

 private:
  KluFactors<std::complex<double>> factors_;
};

}  // namespace

std::unique_ptr<ComplexSparseSolver> makeComplexSparseSolver(const SparseMatrixC& pattern,
                                                             const std::vector<int>& groups) {
  auto solver = std::make_unique<ComplexKluSolver>(pattern, groups);
  if (!solver->analyzed()) return nullptr;
  return solver;
}

}  // namespace flexloop::linalg
