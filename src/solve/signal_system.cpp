#include "solve/signal_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "solve/newton_end.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::Kind;
using system::State;
using system::UnknownIndex;

namespace {

constexpr int kMaxIterations = 50;
// Of a correction, relative to the signal and the terms of its equation; and where corrections no longer shrink.
constexpr double kTolerance = 1e-12, kRoundOff = 1e-9;

std::string describeLoopOf(const system::System& system, int signal, const char* what) {
  const UnknownIndex u{signal};
  const std::string loop = system::describeLoop(system, u);
  if (loop.empty()) return "the equation of '" + system.equationName(u) + "' " + what;
  return "the algebraic loop of " + loop + " " + what;
}

}  // namespace

SignalSystem::SignalSystem(system::Assembler& assembler) : assembler_(assembler) {
  const std::vector<Kind>& kinds = assembler.system().kinds();
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (kinds[u] == Kind::kSignal) signals_.push_back(static_cast<int>(u));
    if (kinds[u] == Kind::kState) states_.push_back(static_cast<int>(u));
  }
  if (!isEmpty()) readPattern();
}

// The pattern of the assembler changes when an augmented Lagrangian or a contact comes or goes.
void SignalSystem::readPattern() {
  full_ = assembler_.pattern();
  patternCount_ = assembler_.patternCount();
  entries_.clear();
  drives_.clear();
  factors_.reset();
  terms_ = std::make_unique<SignalTerms>(assembler_.system(), full_, SignalTerms::Beside::kNothing);
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  std::vector<int> local(kinds.size(), -1);
  for (std::size_t i = 0; i < signals_.size(); ++i) local[signals_[i]] = static_cast<int>(i);
  std::vector<Eigen::Triplet<double, int>> triplets;
  for (const int column : signals_) {
    for (int k = full_.outerIndexPtr()[column]; k < full_.outerIndexPtr()[column + 1]; ++k) {
      const int row = full_.innerIndexPtr()[k];
      if (kinds[row] == Kind::kMultiplier) drives_.push_back({row, column});
      if (kinds[row] != Kind::kSignal) continue;
      triplets.emplace_back(local[row], local[column], 0.0);
      entries_.push_back(k);
    }
  }
  const int n = static_cast<int>(signals_.size());
  matrix_.resize(n, n);
  matrix_.setFromTriplets(triplets.begin(), triplets.end());
  matrix_.makeCompressed();
  local_.setZero(n);
  groups_.resize(signals_.size());
  std::iota(groups_.begin(), groups_.end(), 0);
  std::vector<int> driving;
  for (const Drive& drive : drives_) driving.push_back(drive.signal);
  areDrivesGivenByTime_ = followFromTime(driving);
}

// Searches backwards through the equations of the signals.
bool SignalSystem::followFromTime(std::vector<int> signals) const {
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  std::vector<std::vector<int>> uses(kinds.size());
  for (int column = 0; column < full_.cols(); ++column) {
    for (int k = full_.outerIndexPtr()[column]; k < full_.outerIndexPtr()[column + 1]; ++k) {
      const int row = full_.innerIndexPtr()[k];
      if (row != column && kinds[row] == Kind::kSignal) uses[row].push_back(column);
    }
  }
  std::vector<bool> seen(kinds.size(), false);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    for (const int used : uses[signals[i]]) {
      if (kinds[used] != Kind::kSignal) return false;
      if (!seen[used]) signals.push_back(used);
      seen[used] = true;
    }
  }
  return true;
}

void SignalSystem::restore(const linalg::FactorRecord& record) {
  if (isEmpty() && !record.values.empty())
    throw std::invalid_argument("records of another machine");
  if (isEmpty()) return;
  readPattern();
  factors_.restore(record, matrix_, linalg::SolverChoice::kAutomatic, groups_);
}

bool SignalSystem::factorize(const State& state, int& singular) {
  if (patternCount_ != assembler_.patternCount()) readPattern();
  assembler_.calcSignalMatrix(state, full_);
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    matrix_.valuePtr()[k] = full_.valuePtr()[entries_[k]];
  }
  holdUndefined();
  singular = signals_.front();
  const linalg::FactorReport report =
      factors_.factorize(matrix_, findScaling(state), linalg::SolverChoice::kAutomatic, groups_);
  if (!report.ok && report.singularColumn >= 0) singular = signals_[report.singularColumn];
  return report.ok;
}

// Signals in units of their sizes.
linalg::MatrixScaling SignalSystem::findScaling(const State& state) const {
  Eigen::VectorXd sizes = Eigen::VectorXd::Zero(full_.cols());
  for (const int u : signals_) sizes[u] = std::abs(state.value[u]);
  terms_->raise(full_.valuePtr(), sizes);
  linalg::MatrixScaling scaling;
  scaling.columns.resize(local_.size());
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    scaling.columns[i] = linalg::roundToPower(sizes[signals_[i]]);
  }
  scaling.rows = scaling.columns.cwiseInverse();
  return scaling;
}

// At the start nobody knows the signals yet, and a block may have no value or no slope for inputs that
// are not right: a ratio of zeros, a root of zero. Such a signal keeps its value, or takes that of the
// block, until the next iteration.
void SignalSystem::holdUndefined() {
  std::vector<bool> held(signals_.size(), false);
  hasUndefined_ = false;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    if (std::isfinite(local_[i])) continue;
    held[i] = hasUndefined_ = true;
    local_[i] = 0.0;
  }
  double* values = matrix_.valuePtr();
  const int* rows = matrix_.innerIndexPtr();
  for (int k = 0; k < matrix_.nonZeros(); ++k) {
    if (!std::isfinite(values[k])) held[rows[k]] = true;
  }
  holdsSignals_ = std::find(held.begin(), held.end(), true) != held.end();
  for (int column = 0; column < matrix_.cols(); ++column) {
    for (int k = matrix_.outerIndexPtr()[column]; k < matrix_.outerIndexPtr()[column + 1]; ++k) {
      if (held[rows[k]]) values[k] = rows[k] == column ? 1.0 : 0.0;
    }
  }
}

void SignalSystem::gather(const Eigen::VectorXd& full) {
  for (std::size_t i = 0; i < signals_.size(); ++i) local_[i] = -full[signals_[i]];
}

// The largest of the last changes, relative to the signal and the terms of its equation; infinite if one is no number. What
// becomes zero is judged by what it was.
double SignalSystem::compareChange(const State& state, int& worst) {
  const auto sizeOf = [&](int i) {
    const double value = state.value[signals_[i]];
    return std::max(std::abs(value), std::abs(value - local_[i]));
  };
  sizes_.setZero(local_.size());
  for (int column = 0; column < matrix_.cols(); ++column) {
    const double size = sizeOf(column);
    for (linalg::SparseMatrix::InnerIterator entry(matrix_, column); entry; ++entry) {
      sizes_[entry.row()] += std::abs(entry.value()) * size;
    }
  }
  double largest = 0.0;
  for (int i = 0; i < local_.size(); ++i) {
    if (local_[i] == 0.0) continue;
    const double diagonal = std::abs(matrix_.coeff(i, i));
    const double size = diagonal > 0.0 ? sizes_[i] / diagonal : sizeOf(i);
    const double change = std::isfinite(local_[i]) ? std::abs(local_[i]) / size
                                                   : std::numeric_limits<double>::infinity();
    if (change > largest) worst = i;
    largest = std::max(largest, change);
  }
  return largest;
}

// From the residual to the corrections of all signals.
void SignalSystem::solveLocally() {
  factors_.solve(local_);
  if (holdsSignals_) return;
  correction_.setZero(full_.cols());
  for (std::size_t i = 0; i < signals_.size(); ++i) correction_[signals_[i]] = local_[i];
  terms_->solveFollowing(full_.valuePtr(), residual_, correction_);
  for (std::size_t i = 0; i < signals_.size(); ++i) local_[i] = correction_[signals_[i]];
}

std::optional<base::Failure> SignalSystem::solve(State& state) {
  if (isEmpty()) return {};
  const system::System& system = assembler_.system();
  int worst = 0;
  NewtonEnd end(kTolerance);
  // Discontinuous blocks have no slope, so a cascade of them moves on by one block in an iteration.
  const int most = kMaxIterations + static_cast<int>(signals_.size());
  for (int iteration = 0; iteration < most; ++iteration) {
    assembler_.calcSignalResidual(state, residual_);
    gather(residual_);
    int singular = 0;
    if (!factorize(state, singular)) {
      return base::numericalFailure(describeLoopOf(system, singular, "has no unique solution"),
                                    "is the gain around the loop exactly one? Change a gain, or "
                                    "put a lag or a delay into it");
    }
    solveLocally();
    for (std::size_t i = 0; i < signals_.size(); ++i) state.value[signals_[i]] += local_[i];
    const double change = compareChange(state, worst);
    if (!std::isfinite(change)) break;
    // What states and motions are in an equation is not seen here: a signal that is small beside them ends at round-off too.
    double largest = 0.0;
    for (const int u : signals_) largest = std::max(largest, std::abs(state.value[u]));
    const bool isSmall = local_.cwiseAbs().maxCoeff() <= kTolerance * largest;
    if (!end.isReached(change, isSmall || change <= kRoundOff)) continue;
    if (hasUndefined_) break;
    return {};
  }
  if (auto failure = assembler_.fault()) return failure;
  if (auto failure = describeUndefined(system, residual_, &state)) return failure;
  return base::numericalFailure(describeLoopOf(system, signals_[worst], "has no solution"));
}

void SignalSystem::calcRates(State& state) {
  if (isEmpty()) return;
  for (const int u : signals_) state.rate[u] = 0.0;
  assembler_.calcTimeDerivatives(state, derivatives_);
  gather(derivatives_.first);
  factors_.solve(local_);
  for (std::size_t i = 0; i < signals_.size(); ++i) state.rate[signals_[i]] = local_[i];
}

void SignalSystem::calcSecondRates(State& state) {
  if (isEmpty()) return;
  const std::vector<Kind>& kinds = assembler_.system().kinds();
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (kinds[u] == Kind::kState || kinds[u] == Kind::kSignal) state.acceleration[u] = 0.0;
  }
  assembler_.calcTimeDerivatives(state, derivatives_);
  for (std::size_t u = 0; u < kinds.size(); ++u) {
    if (kinds[u] == Kind::kState) state.acceleration[u] = -derivatives_.first[u];
  }
  assembler_.calcTimeDerivatives(state, derivatives_);
  gather(derivatives_.second);
  factors_.solve(local_);
  for (std::size_t i = 0; i < signals_.size(); ++i) state.acceleration[signals_[i]] = local_[i];
}

std::optional<base::Failure> SignalSystem::sample(State& state,
                                                  const std::vector<bool>& dueClocks) {
  int levels = 0;
  const auto& sets = assembler_.system().roles().sampling;
  for (const system::Sampling* set : sets) levels = std::max(levels, set->sampleLevels());
  for (int level = 0; level < levels; ++level) {
    if (auto failure = solve(state)) return failure;
    for (const system::Sampling* set : sets) {
      set->sample(assembler_.calcMotion(state), dueClocks, level, state);
    }
  }
  if (auto failure = solve(state)) return failure;
  for (const system::Sampling* set : sets) {
    set->updateSamples(assembler_.calcMotion(state), dueClocks, state);
  }
  return assembler_.fault();
}

}  // namespace flexloop::solve
