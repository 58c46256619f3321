#include "solve/mass_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "solve/machine_size.hpp"
#include "solve/term_sizes.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

// Share of the mean mass given to motions that have none.
constexpr double kArtificialMass = 1e-3;

// Masses given to translations and rotations that have none: of the mean of their kind, or else of the other kind at the
// distance of the farthest node.
std::array<double, 2> calcArtificial(const system::System& system, const system::State& state,
                                     const linalg::SparseMatrix& M) {
  std::array<double, 2> mean{};
  std::array<int, 2> count{};
  for (int u = 0; u < M.cols(); ++u) {
    const double m = system.kinds()[u] == Kind::kMotion ? M.coeff(u, u) : 0.0;
    if (m <= 0.0) continue;
    const int turns = system.isRotation(system::UnknownIndex{u}) ? 1 : 0;
    mean[turns] += (m - mean[turns]) / ++count[turns];
  }
  const double size = findMachineSize(state);
  if (count[0] == 0) mean[0] = count[1] > 0 ? mean[1] / (size * size) : 1.0;
  if (count[1] == 0) mean[1] = mean[0] * size * size;
  return {kArtificialMass * mean[0], kArtificialMass * mean[1]};
}

}  // namespace

std::vector<bool> findConstraints(const system::System& system) {
  std::vector<bool> constraints;
  for (const Kind kind : system.kinds()) constraints.push_back(kind == Kind::kMultiplier);
  return constraints;
}

MassSystem::MassSystem(system::Assembler& assembler)
    : assembler_(assembler),
      signals_(assembler),
      matrix_(assembler.pattern()),
      compliance_(Eigen::VectorXd::Zero(assembler.system().unknowns())) {
  for (linalg::FactoredMatrix& factors : factors_) {
    factors.setConstraints(findConstraints(assembler.system()));
  }
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
    if (rowKind == Kind::kMultiplier) return row == column ? K - compliance_[row] : K;
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
  const std::array<double, 2> artificial = calcArtificial(assembler_.system(), state, M_);
  for (int column = 0; column < matrix_.cols(); ++column) {
    const double mass = artificial[assembler_.system().isRotation(system::UnknownIndex{column})];
    const int first = matrix_.outerIndexPtr()[column];
    const int last = matrix_.outerIndexPtr()[column + 1];
    for (int k = first; k < last; ++k) {
      matrix_.valuePtr()[k] = calcEntry(use, matrix_.innerIndexPtr()[k], column, k, mass);
    }
  }
  inUse_ = &factors_[static_cast<int>(use)];
  const linalg::FactorReport report =
      inUse_->factorize(matrix_, linalg::SolverChoice::kAutomatic, assembler_.eliminationGroups());
  if (!report.ok) inUse_->reset();
  return report;
}

// Forces of stiff parts that cancel leave round-off along all motions: all equations of forces have the largest of their terms, and
// those of torques theirs. What is held exactly moves by the last digits of what holds it.
void MassSystem::calcSizes(const Eigen::VectorXd& x, Eigen::VectorXd& sizes) {
  const system::System& system = assembler_.system();
  std::array<double, 2> accelerations{};
  const auto classOf = [&](int u) { return system.isRotation(system::UnknownIndex{u}) ? 1 : 0; };
  const auto isMotion = [&](int u) { return system.kinds()[u] == Kind::kMotion; };
  const auto fill = [&](const std::array<double, 2>& largest) {
    for (int u = 0; u < sizes.size(); ++u) {
      if (isMotion(u)) sizes[u] = largest[classOf(u)];
    }
  };
  calcTermSizes(matrix_, inUse_->values(), x, sizes);
  std::array<double, 2> forces{};
  for (int u = 0; u < sizes.size(); ++u) {
    if (!isMotion(u)) continue;
    forces[classOf(u)] = std::max(forces[classOf(u)], sizes[u]);
    const double mass = std::abs(inUse_->diagonal()[u]);
    if (mass > 0.0) {
      accelerations[classOf(u)] = std::max(accelerations[classOf(u)], sizes[u] / mass);
    }
  }
  fill(forces);
  giveSigns(sizes);
  solve(sizes);
  for (int u = 0; u < sizes.size(); ++u) {
    if (!isMotion(u)) continue;
    accelerations[classOf(u)] = std::max(accelerations[classOf(u)], std::abs(sizes[u]));
  }
  fill(accelerations);
}

bool MassSystem::reuse(Use use) {
  inUse_ = &factors_[static_cast<int>(use)];
  return inUse_->hasSolver();
}

std::vector<std::vector<double>> MassSystem::record() const {
  return {factors_[0].record(), factors_[1].record(), signals_.record()};
}

void MassSystem::restore(const std::vector<std::vector<double>>& records) {
  matrix_ = assembler_.pattern();
  for (std::size_t use = 0; use < factors_.size(); ++use) {
    factors_[use].restore(records.at(use), matrix_, linalg::SolverChoice::kAutomatic,
                          assembler_.eliminationGroups());
  }
  signals_.restore(records.at(factors_.size()));
}

}  // namespace flexloop::solve
