#include "solve/mass_system.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

// Share of the mean mass given to motions that have none.
constexpr double kArtificialMass = 1e-3;

double meanMass(const linalg::SparseMatrix& M, const std::vector<Kind>& kinds) {
  double sum = 0.0;
  int count = 0;
  for (int u = 0; u < M.cols(); ++u) {
    const double m = kinds[u] == Kind::kMotion ? M.coeff(u, u) : 0.0;
    if (m <= 0.0) continue;
    sum += m;
    ++count;
  }
  return count > 0 ? sum / count : 1.0;
}

}  // namespace

MassSystem::MassSystem(system::Assembler& assembler)
    : assembler_(assembler),
      matrix_(assembler.pattern()),
      compliance_(Eigen::VectorXd::Zero(assembler.system().unknowns())) {}

linalg::FactorReport MassSystem::update(const system::State& state) {
  Eigen::VectorXd residual;
  assembler_.calcResidual(state, residual);
  assembler_.calcTangents(state, K_, C_, M_);
  if (matrix_.nonZeros() != K_.nonZeros()) {
    matrix_ = K_;
    solver_.reset();
  }
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  const double artificial = kArtificialMass * meanMass(M_, kinds);
  for (int column = 0; column < matrix_.cols(); ++column) {
    const int first = matrix_.outerIndexPtr()[column];
    const int last = matrix_.outerIndexPtr()[column + 1];
    for (int k = first; k < last; ++k) {
      const int row = matrix_.innerIndexPtr()[k];
      double value = 0.0;
      const bool motionRow = kinds[row] == Kind::kMotion;
      if (kinds[row] == Kind::kState || kinds[column] == Kind::kState) {
        value = row == column ? 1.0 : 0.0;
      } else if (motionRow && kinds[column] == Kind::kMotion) {
        value = M_.valuePtr()[k];
        if (row == column && value <= 0.0) value = artificial;
      } else if (motionRow && kinds[column] == Kind::kSignal) {
        value = 0.0;
      } else {
        value = K_.valuePtr()[k];
        if (row == column) value -= compliance_[row];
      }
      matrix_.valuePtr()[k] = value;
    }
  }
  if (solver_ == nullptr) {
    solver_ = linalg::makeSparseSolver(matrix_, linalg::SolverChoice::kAutomatic,
                                       assembler_.eliminationGroups());
  }
  if (solver_ == nullptr) return {false, -1, 0.0};
  return solver_->factorize(matrix_);
}

}  // namespace flexloop::solve
