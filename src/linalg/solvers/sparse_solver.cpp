#include "linalg/solvers/sparse_solver.hpp"

#include "linalg/solvers/klu_solver.hpp"
#include "linalg/solvers/mumps_solver.hpp"

namespace flexloop::linalg {

namespace {
constexpr double kFlopsPerFillLimit = 45.0;
// Below, a factorisation takes less than what MUMPS needs around it: 2 ms, and 0.1 ms for a solution.
constexpr double kLeastFlops = 1e7;
}  // namespace

std::unique_ptr<SparseSolver> makeSparseSolver(const SparseMatrix& pattern, SolverChoice choice,
                                               const std::vector<int>& groups) {
  if (choice == SolverChoice::kMumps) return makeMumpsSolver(pattern);
  KluEstimate estimate;
  auto klu = makeKluSolver(pattern, estimate, groups);
  const bool heavy = klu != nullptr && estimate.flops > kLeastFlops &&
                     estimate.flops > kFlopsPerFillLimit * estimate.fill;
  if (choice == SolverChoice::kAutomatic && heavy) return makeMumpsSolver(pattern);
  return klu;
}

}  // namespace flexloop::linalg
