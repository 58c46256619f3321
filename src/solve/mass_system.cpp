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
    : assembler_(assembler), signals_(assembler), matrix_(assembler.pattern()) {}

void MassSystem::addPull(const Eigen::VectorXd& multipliers, Eigen::VectorXd& r) const {
  const Eigen::VectorXd& softness = softness_[inUse_ - factors_.data()];
  for (int i = 0; i < soft_.size(); ++i) r[soft_.row(i)] -= softness[i] * multipliers[soft_.row(i)];
}

double MassSystem::calcEntry(Use use, int row, int column, int k, double artificial) const {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  const double K = K_.valuePtr()[k], C = C_.valuePtr()[k], M = M_.valuePtr()[k];
  const Kind rowKind = kinds[row], columnKind = kinds[column];
  if (columnKind == Kind::kMotion) {
    if (rowKind == Kind::kMotion) return row == column && M <= 0.0 ? artificial : M;
    if (rowKind == Kind::kMultiplier) return K;
    return use == Use::kAccelerations ? M : rowKind == Kind::kSignal ? K : 0.0;
  }
  if (columnKind == Kind::kMultiplier) {
    if (rowKind == Kind::kMotion) return K;
    if (rowKind == Kind::kMultiplier) return K;
    return use == Use::kAccelerations ? K : 0.0;
  }
  if (columnKind == Kind::kState) {
    if (use == Use::kAccelerations) return C;
    return row == column ? 1.0 : 0.0;
  }
  if (rowKind == Kind::kSignal) return K;
  const bool acts =
      rowKind == Kind::kMultiplier ? use == Use::kKinematics : use == Use::kAccelerations;
  return acts ? K : 0.0;
}

linalg::FactorReport MassSystem::update(const system::State& state, Use use) {
  Eigen::VectorXd residual;
  assembler_.calcResidual(state, residual);
  assembler_.calcTangents(state, K_, C_, M_);
  if (matrix_.nonZeros() != K_.nonZeros()) {
    matrix_ = K_;
    for (linalg::FactoredMatrix& factors : factors_) factors.reset();
  }
  const double artificial = kArtificialMass * meanMass(M_, assembler_.system().kinds());
  for (int column = 0; column < matrix_.cols(); ++column) {
    const int first = matrix_.outerIndexPtr()[column];
    const int last = matrix_.outerIndexPtr()[column + 1];
    for (int k = first; k < last; ++k) {
      matrix_.valuePtr()[k] = calcEntry(use, matrix_.innerIndexPtr()[k], column, k, artificial);
    }
  }
  inUse_ = &factors_[static_cast<int>(use)];
  soft_.soften(matrix_, nullptr, nullptr, softness_[static_cast<int>(use)]);
  const linalg::FactorReport report =
      inUse_->factorize(matrix_, linalg::SolverChoice::kAutomatic, assembler_.eliminationGroups());
  if (!report.ok) inUse_->reset();
  return report;
}

bool MassSystem::reuse(Use use) {
  inUse_ = &factors_[static_cast<int>(use)];
  return inUse_->hasSolver();
}

std::vector<std::vector<double>> MassSystem::record() const {
  std::vector<std::vector<double>> records{factors_[0].record(), factors_[1].record(),
                                           signals_.record()};
  for (const Eigen::VectorXd& softness : softness_) {
    records.emplace_back(softness.begin(), softness.end());
  }
  return records;
}

void MassSystem::restore(const std::vector<std::vector<double>>& records) {
  matrix_ = assembler_.pattern();
  for (std::size_t use = 0; use < factors_.size(); ++use) {
    factors_[use].restore(records.at(use), matrix_, linalg::SolverChoice::kAutomatic,
                          assembler_.eliminationGroups());
  }
  signals_.restore(records.at(factors_.size()));
  for (std::size_t use = 0; use < softness_.size(); ++use) {
    const std::vector<double>& record = records.at(factors_.size() + 1 + use);
    softness_[use] = Eigen::Map<const Eigen::VectorXd>(record.data(), std::ssize(record));
  }
}

}  // namespace flexloop::solve
