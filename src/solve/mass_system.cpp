#include "solve/mass_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solve/machine_size.hpp"
#include "solve/time/motion_reach.hpp"

namespace flexloop::solve {

using system::Kind;

namespace {

// Share of the mean mass given to motions that have none.
constexpr double kArtificialMass = 1e-3;

// By part, what signals and multipliers of these sizes make.
std::vector<double> findLargestForces(const system::System& system,
                                      const linalg::SparseMatrix& matrix, const PartSizes& parts,
                                      const Eigen::VectorXd& sizes) {
  std::vector<double> largest(parts.count(), 0.0);
  for (int column = 0; column < matrix.cols(); ++column) {
    const Kind kind = system.kinds()[column];
    if (kind != Kind::kMultiplier && kind != Kind::kSignal) continue;
    for (linalg::SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
      if (system.kinds()[entry.row()] != Kind::kMotion) continue;
      const int row = static_cast<int>(entry.row());
      const double arm = system.isRotation(system::UnknownIndex{row}) ? parts.of(row).length : 1.0;
      double& force = largest[parts.part(row)];
      force = std::max(force, std::abs(entry.value()) * sizes[column] / arm);
    }
  }
  return largest;
}

}  // namespace

MassSystem::MassSystem(system::Assembler& assembler)
    : assembler_(assembler),
      signals_(assembler),
      matrices_{assembler.pattern(), assembler.pattern()},
      patternCount_(assembler.patternCount()),
      parts_(assembler.system(), findParts(assembler.system(), assembler.lastingPattern())) {}

void MassSystem::begin(const RedundancyReport& redundancy) {
  soft_ = SoftConstraints(assembler_.system(), redundancy.dependentRows);
  for (linalg::FactoredMatrix& factors : factors_) factors.reset();
  for (Eigen::VectorXd& softness : softness_) softness.resize(0);
  for (linalg::SparseMatrix* matrix : {&K_, &C_, &M_}) matrix->resize(0, 0);
  signals_.forget();
}

void MassSystem::addPull(const Eigen::VectorXd& multipliers, Eigen::VectorXd& r) const {
  const Eigen::VectorXd& softness = softness_[inUse_];
  for (int i = 0; i < soft_.size(); ++i) r[soft_.row(i)] -= softness[i] * multipliers[soft_.row(i)];
}

void MassSystem::takePattern() {
  if (patternCount_ == assembler_.patternCount()) return;
  patternCount_ = assembler_.patternCount();
  for (linalg::FactoredMatrix& factors : factors_) factors.reset();
  matrices_ = {assembler_.pattern(), assembler_.pattern()};
  terms_.reset();
}

double MassSystem::calcEntry(Use use, int row, int column, int k) const {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  const double K = K_.valuePtr()[k], C = C_.valuePtr()[k], M = M_.valuePtr()[k];
  const Kind rowKind = kinds[row], columnKind = kinds[column];
  if (columnKind == Kind::kMotion) {
    if (rowKind == Kind::kMotion && row == column && M <= 0.0) {
      const bool isTurn = assembler_.system().isRotation(system::UnknownIndex{row});
      return artificialMass_[parts_.part(row)][isTurn ? 1 : 0];
    }
    if (rowKind == Kind::kMotion) return M;
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

// Shares of the means of the motions of a part that have a mass.
void MassSystem::chooseArtificialMasses(const system::State& state) {
  parts_.measure(state, M_);
  const std::vector<double> inertias = parts_.calcMeanInertias(M_);
  artificialMass_.resize(parts_.count());
  for (int p = 0; p < parts_.count(); ++p) {
    const PartSize& size = parts_.all()[p];
    const double mass = size.mass > 0.0 ? size.mass : 1.0;
    const double inertia = inertias[p] > 0.0 ? inertias[p] : mass * size.length * size.length;
    artificialMass_[p] = {kArtificialMass * mass, kArtificialMass * inertia};
  }
}

// Moves are as large as their part; accelerations as those that are known, that turning makes, or that forces make.
void MassSystem::scaleUnits(const system::State& state) {
  const system::System& system = assembler_.system();
  std::vector<PartUnits> units(parts_.count());
  for (int p = 0; p < parts_.count(); ++p) {
    units[p].motion = units[p].length = parts_.all()[p].length;
    units[p].mass = artificialMass_[p][0] / kArtificialMass;
  }
  Eigen::VectorXd gradients, seen = state.value.cwiseAbs();
  calcGradientSizes(system, matrix(), parts_.lengths(), gradients);
  if (inUse_ == static_cast<std::size_t>(Use::kAccelerations)) {
    const std::vector<double> speed = parts_.findLargestMoves(state.rate);
    const std::vector<double> known = parts_.findLargestMoves(state.acceleration);
    const std::vector<double> force = findLargestForces(system, matrix(), parts_, seen);
    for (int p = 0; p < parts_.count(); ++p) {
      PartUnits& own = units[p];
      const double acceleration = std::max({known[p] * own.length, speed[p] * speed[p] * own.length,
                                            system.gravity().norm(), force[p] / own.mass});
      if (acceleration > 0.0 && std::isfinite(acceleration)) own.motion = acceleration;
    }
    for (int u = 0; u < seen.size(); ++u) {
      if (system.kinds()[u] == Kind::kState) seen[u] = std::abs(state.rate[u]);
    }
  }
  calcUnitScaling(system, {parts_.parts(), units}, gradients, terms(), matrix(), seen, scaling_);
}

const SignalTerms& MassSystem::terms() {
  if (terms_ == nullptr) terms_ = std::make_unique<SignalTerms>(assembler_.system(), matrix());
  return *terms_;
}

// What is below the last digits of its unit is nothing.
void MassSystem::raiseToTerms(Eigen::VectorXd& sizes) {
  constexpr double kDigit = std::numeric_limits<double>::epsilon();
  sizes = sizes.cwiseMax(kDigit * factors_[inUse_].scaling().columns);
  terms().raise(matrix().valuePtr(), sizes);
}

void MassSystem::solveFollowing(const Eigen::VectorXd& residual, Eigen::VectorXd& x) {
  terms().solveFollowing(matrix().valuePtr(), residual, x);
}

linalg::FactorReport MassSystem::update(const system::State& state, Use use) {
  Eigen::VectorXd residual;
  assembler_.calcResidual(state, residual);
  assembler_.calcTangents(state, K_, C_, M_);
  takePattern();
  chooseArtificialMasses(state);
  inUse_ = static_cast<std::size_t>(use);
  linalg::SparseMatrix& matrix = matrices_[inUse_];
  for (int column = 0; column < matrix.cols(); ++column) {
    const int first = matrix.outerIndexPtr()[column];
    const int last = matrix.outerIndexPtr()[column + 1];
    for (int k = first; k < last; ++k) {
      matrix.valuePtr()[k] = calcEntry(use, matrix.innerIndexPtr()[k], column, k);
    }
  }
  linalg::FactoredMatrix& factors = factors_[inUse_];
  soft_.soften(matrix, nullptr, nullptr, softness_[inUse_]);
  scaleUnits(state);
  const linalg::FactorReport report = factors.factorize(
      matrix, scaling_, linalg::SolverChoice::kAutomatic, assembler_.eliminationGroups());
  if (!report.ok) factors.reset();
  return report;
}

bool MassSystem::reuse(Use use) {
  inUse_ = static_cast<std::size_t>(use);
  return factors_[inUse_].hasSolver();
}

MassSystem::Record MassSystem::record() const {
  return {{factors_[0].record(), factors_[1].record()}, softness_, signals_.record(), parts_.all()};
}

void MassSystem::restore(const Record& record) {
  matrices_ = {assembler_.pattern(), assembler_.pattern()};
  patternCount_ = assembler_.patternCount();
  terms_.reset();
  for (std::size_t use = 0; use < factors_.size(); ++use) {
    factors_[use].restore(record.factors[use], matrices_[use], linalg::SolverChoice::kAutomatic,
                          assembler_.eliminationGroups());
    const Eigen::Index soft = record.softness[use].size();
    if (soft != soft_.size() && (soft > 0 || factors_[use].hasSolver())) {
      throw std::invalid_argument("records of another machine");
    }
    softness_[use] = record.softness[use];
    if (!factors_[use].hasSolver()) continue;
    const std::vector<double>& values = factors_[use].values();
    std::copy(values.begin(), values.end(), matrices_[use].valuePtr());
  }
  signals_.restore(record.signals);
  parts_.takeBack(record.parts);
}

}  // namespace flexloop::solve
