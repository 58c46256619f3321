#include "analysis/sampled_rest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "control/sample_partials.hpp"
#include "control/slope_search.hpp"
#include "solve/holding_states.hpp"
#include "solve/machine_size.hpp"
#include "solve/signal_system.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::analysis {
namespace {

using solve::EquilibriumReport;
using system::Kind;
using system::State;

constexpr int kMaxIterations = 100, kMaxGradual = 1000;
constexpr double kLargestStep = 0.4;  // turn [rad], or move relative to the machine
constexpr double kConverged = 1e-12, kRoundOff = 1e-8;
constexpr double kFirstMass = 20.0;  // of gravity over the size, as in solve/equilibrium.cpp
constexpr double kSettled = 1e-6;    // share of the unbalance at which mass is no longer needed
constexpr int kCalls[] = {16, 256, 4096, 20000}, kCallsThatAgree = 3;
constexpr double kSameOutput = 1e-13;

}  // namespace

SampledRest::SampledRest(system::Assembler& assembler, const control::BlockSet& blocks,
                         const Eigen::VectorXd& compliance)
    : assembler_(assembler),
      blocks_(blocks),
      compliance_(compliance),
      followed_(assembler),
      unknowns_(assembler.system().unknowns()),
      kinds_(assembler.system().kinds()),
      groups_(assembler.eliminationGroups()) {
  int group = groups_.empty() ? 0 : 1 + *std::max_element(groups_.begin(), groups_.end());
  for (const int e : blocks.sampled()) {
    const control::Block& block = blocks.block(e);
    const bool isBox = block.hasHiddenMemory();
    const int count = isBox ? block.size().outputs : block.size().memory;
    parts_.push_back({e, unknowns_ + memory_, count, isBox});
    memory_ += count;
    for (int k = 0; k < count; ++k) {
      kinds_.push_back(Kind::kState);
      groups_.push_back(group++);
    }
  }
}

std::string SampledRest::nameUnknown(int index) const {
  if (index < unknowns_) return assembler_.system().unknownName({index});
  for (const Part& part : parts_) {
    if (index < part.first + part.count) return "the memory of " + blocks_.name(part.element);
  }
  return {};
}

// Calls a black box at its inputs, at instants that end now, so often that its outputs stay; what it then
// remembers is in the state.
bool SampledRest::settleBox(int element, const std::vector<double>& inputs, State& state,
                            Eigen::VectorXd& outputs) {
  const control::Block& block = blocks_.block(element);
  const double period = assembler_.system().clocks()[block.clock()].period;
  std::vector<double> y(block.size().outputs);
  for (const int calls : kCalls) {
    State trial = state;
    const control::BlockMemory memory = blocks_.memory(element, trial);
    int agree = 0;
    for (int call = calls; call-- > 0;) {
      const std::vector<double> last(memory.memory, memory.memory + y.size());
      const double time = state.time - call * period;
      block.sample({time, {}, inputs, memory.memory, memory.record, {}, y}, memory);
      if (!block.fault().empty()) return false;
      double change = 0.0;
      for (std::size_t k = 0; k < y.size(); ++k) {
        const double size = std::max(std::abs(y[k]), std::abs(last[k]));
        if (size > 0.0) change = std::max(change, std::abs(y[k] - last[k]) / size);
      }
      agree = change <= kSameOutput ? agree + 1 : 0;
    }
    outputs = Eigen::Map<const Eigen::VectorXd>(y.data(), static_cast<Eigen::Index>(y.size()));
    if (agree < kCallsThatAgree || !outputs.allFinite()) continue;
    state = std::move(trial);
    return true;
  }
  return false;
}

void SampledRest::addInputs(const Part& part, const Eigen::MatrixXd& slopes,
                            Triplets& entries) const {
  for (int i = 0; i < blocks_.inputs(part.element); ++i) {
    const int column = blocks_.input(part.element, i).value;
    const double sign = blocks_.sign(part.element, i);
    for (int k = 0; k < part.count; ++k) {
      entries.emplace_back(part.first + k, column, sign * slopes(k, i));
    }
  }
}

// A box is what its outputs become; its slopes are differences of these.
void SampledRest::addBox(const Part& part, const std::vector<double>& inputs, State& state,
                         Triplets& entries) {
  const control::Block& block = blocks_.block(part.element);
  Eigen::VectorXd outputs = Eigen::VectorXd::Zero(part.count);
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(part.count, static_cast<int>(inputs.size()));
  const State fresh = state;
  State trial = fresh;
  bool isSettled = block.canGoBack() && settleBox(part.element, inputs, trial, outputs);
  std::vector<double> other = inputs;
  for (std::size_t i = 0; i < inputs.size() && isSettled; ++i) {
    const auto settle = [&](double value, std::span<double> results) {
      other[i] = value;
      trial = fresh;
      Eigen::VectorXd settled;
      isSettled = isSettled && settleBox(part.element, other, trial, settled);
      if (isSettled) std::copy(settled.begin(), settled.end(), results.begin());
    };
    const control::Slopes found = control::calcSlopes(inputs[i], part.count, settle);
    other[i] = inputs[i];
    slopes.col(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::VectorXd>(found.values.data(), part.count);
  }
  if (!isSettled) {
    const char* why = block.canGoBack()
                          ? "does not come to rest while its inputs stay as they are"
                          : "cannot be tried, since it has no block_save and block_restore";
    notes_.push_back("black box '" + blocks_.name(part.element) + "' " + why +
                     ": it keeps its first outputs, so that this is not the rest of the machine "
                     "with it");
    return;
  }
  const double* memory = blocks_.memory(part.element, state).memory;
  for (int k = 0; k < part.count; ++k) {
    residual_[part.first + k] = outputs[k] - memory[k];
    entries.emplace_back(part.first + k, part.first + k, -1.0);
  }
  addInputs(part, slopes, entries);
}

void SampledRest::addPart(const Part& part, const system::Motion& motion, State& state,
                          Triplets& entries) {
  const control::BlockPorts<double> ports = blocks_.ports(part.element, motion);
  const std::vector<double> inputs(ports.u.begin(), ports.u.end());
  for (int k = 0; k < blocks_.outputs(part.element); ++k) {
    entries.emplace_back(blocks_.output(part.element, k).value, part.first + k, -1.0);
  }
  if (part.isBox) return addBox(part, inputs, state, entries);
  const control::Block& block = blocks_.block(part.element);
  const double* held = blocks_.memory(part.element, state).memory;
  const std::vector<double> memory(held, held + part.count);
  std::vector<double> next = memory;
  const control::BlockPorts<double> own{motion.time, {}, inputs, next.data(), nullptr, {}, {}};
  block.sample(own, {next.data(), nullptr});
  block.updateSample(own, {next.data(), nullptr});
  const control::SamplePartials partials =
      control::calcSamplePartials(block, motion.time, inputs, memory);
  const auto count = static_cast<Eigen::Index>(part.count);
  const auto u = static_cast<Eigen::Index>(inputs.size());
  const Eigen::MatrixXd update = partials.update.leftCols(count);
  const Eigen::MatrixXd byMemory = update * partials.sample.leftCols(count);
  for (int row = 0; row < part.count; ++row) {
    residual_[part.first + row] = next[row] - memory[row];
    for (int column = 0; column < part.count; ++column) {
      const double entry = byMemory(row, column) - (row == column ? 1.0 : 0.0);
      if (entry != 0.0) entries.emplace_back(part.first + row, part.first + column, entry);
    }
  }
  addInputs(part, update * partials.sample.rightCols(u) + partials.update.rightCols(u), entries);
}

// (26.4), with a mass on the motions where that is not zero; the residual with it.
linalg::SparseMatrix SampledRest::calcMatrix(State& state, double mass) {
  const int n = unknowns_ + memory_;
  Eigen::VectorXd r;
  assembler_.calcResidual(state, r);
  linalg::SparseMatrix K, C, M;
  assembler_.calcTangents(state, K, C, M);
  residual_.setZero(n);
  residual_.head(unknowns_) = r - compliance_.cwiseProduct(state.value);
  Triplets entries;
  for (int column = 0; column < unknowns_; ++column) {
    for (linalg::SparseMatrix::InnerIterator it(K, column); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), column, it.value());
    }
    for (linalg::SparseMatrix::InnerIterator it(M, column); it && mass > 0.0; ++it) {
      if (kinds_[it.row()] != Kind::kMotion || kinds_[column] != Kind::kMotion) continue;
      entries.emplace_back(static_cast<int>(it.row()), column, mass * it.value());
    }
    entries.emplace_back(column, column, -compliance_[column]);
  }
  notes_.clear();
  for (const Part& part : parts_) addPart(part, assembler_.calcMotion(state), state, entries);
  linalg::SparseMatrix matrix(n, n);
  for (int u = unknowns_; u < n; ++u) entries.emplace_back(u, u, 0.0);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// In a second, as many instants as there are make the change of a memory: Φ(m, u) − m = h m' with the period h.
std::vector<solve::FollowedState> SampledRest::findFollowed(const State& state,
                                                            const linalg::SparseMatrix& matrix) {
  std::vector<double> periods;
  for (const Part& part : parts_) {
    const int clock = blocks_.block(part.element).clock();
    periods.insert(periods.end(), part.count, -assembler_.system().clocks()[clock].period);
  }
  return followed_.find(state, kinds_, matrix, periods);
}

bool SampledRest::doMemoriesFollow(State state) {
  const std::vector<solve::FollowedState> followed = findFollowed(state, calcMatrix(state, 0.0));
  return !followed.empty() && followed.back().state >= unknowns_;
}

// One correction of (26.3).
bool SampledRest::solve(State& state, double mass, EquilibriumReport& report) {
  ++report.iterations;
  linalg::SparseMatrix matrix = calcMatrix(state, mass);
  idle_ = solve::findIdleStates(kinds_, matrix);
  const std::vector<solve::FollowedState> followed = findFollowed(state, matrix);
  follows_ = !followed.empty();
  solve::FollowedStates::replaceRows(followed, matrix);
  solve::holdStates(kinds_, matrix);
  matrix.makeCompressed();
  const auto solver = linalg::makeSparseSolver(matrix, linalg::SolverChoice::kAutomatic, groups_);
  const linalg::FactorReport factored =
      solver == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver->factorize(matrix);
  if (!factored.ok) {
    report.trouble =
        factored.singularColumn < 0
            ? "nothing holds several motions at once"
            : "nothing determines " + nameUnknown(factored.singularColumn) + " at rest";
    return false;
  }
  delta_ = -residual_;
  for (const auto& f : followed) delta_[f.state] = 0.0;
  solver->solve(delta_);
  return delta_.allFinite();
}

void SampledRest::move(State& state) {
  State next = state;
  const Eigen::VectorXd moves = delta_.head(unknowns_);
  assembler_.system().retract(state, moves, next);
  system::countTurns(assembler_.system(), state, moves, next);
  for (const Part& part : parts_) {
    double* memory = blocks_.memory(part.element, next).memory;
    for (int k = 0; k < part.count; ++k) memory[k] += delta_[part.first + k];
  }
  if (follows_) follow(state, next);
  state = std::move(next);
}

// What follows the machine does so along the way of the correction.
void SampledRest::follow(const State& from, State& to) {
  const std::vector<std::string> notes = notes_;
  const auto findAt = [&](const State& state) {
    State trial = state;
    return findFollowed(trial, calcMatrix(trial, 0.0));
  };
  for (const auto& [u, change] : followed_.integrate(from, delta_, findAt)) {
    if (u < unknowns_) {
      to.value[u] = from.value[u] + change;
      continue;
    }
    const auto part = std::find_if(parts_.begin(), parts_.end(), [u = u](const Part& p) {
      return u >= p.first && u < p.first + p.count;
    });
    State before = from;
    const int k = u - part->first;
    blocks_.memory(part->element, to).memory[k] =
        blocks_.memory(part->element, before).memory[k] + change;
  }
  notes_ = notes;
}

// Sums that act on nothing have the value of the start.
void SampledRest::keepIdle(const State& start, State& state) const {
  State first = start;
  for (const Part& part : parts_) {
    double* memory = blocks_.memory(part.element, state).memory;
    const double* before = blocks_.memory(part.element, first).memory;
    for (int k = 0; k < part.count; ++k) {
      if (std::binary_search(idle_.begin(), idle_.end(), part.first + k)) memory[k] = before[k];
    }
  }
  static_cast<void>(solve::SignalSystem(assembler_).solve(state));
}

bool SampledRest::newton(State& state, double mass, EquilibriumReport& report) {
  const auto motionsOf = [&](const Eigen::VectorXd& r) {
    double sum = 0.0;
    for (int u = 0; u < unknowns_; ++u) {
      if (kinds_[u] != Kind::kMotion) continue;
      const double force = assembler_.system().isRotation({u}) ? r[u] / size_ : r[u];
      sum += force * force;
    }
    return std::sqrt(sum);
  };
  double previous = std::numeric_limits<double>::infinity(), start = -1.0, weight = mass;
  for (int k = 0; k < (mass > 0.0 ? kMaxGradual : kMaxIterations); ++k) {
    if (!solve(state, weight, report)) return false;
    const double unbalance = motionsOf(residual_);
    if (start < 0.0) start = unbalance;
    if (mass > 0.0) {
      weight = mass * std::min(1.0, unbalance / std::max(start, 1e-300));
      if (unbalance <= kSettled * start) return true;
    }
    const Eigen::VectorXd motions = delta_.head(unknowns_);
    const double size = solve::calcLargestMove(assembler_.system(), motions, size_);
    if (!std::isfinite(size)) break;
    if (size > kLargestStep) delta_ *= kLargestStep / size;
    move(state);
    if (mass > 0.0) continue;
    const double others = delta_.tail(memory_).cwiseAbs().maxCoeff();
    double largest = 0.0;
    for (const Part& part : parts_) {
      const double* memory = blocks_.memory(part.element, state).memory;
      for (int i = 0; i < part.count; ++i) largest = std::max(largest, std::abs(memory[i]));
    }
    const double change = std::max(size, largest > 0.0 ? others / largest : 0.0);
    if (change <= kConverged || (change <= kRoundOff && change >= 0.5 * previous)) return true;
    previous = change;
  }
  report.trouble = "no equilibrium of the machine with its sampled controllers was found";
  return false;
}

EquilibriumReport SampledRest::find(State& state) {
  EquilibriumReport report;
  size_ = solve::findMachineSize(state);
  State found = state;
  found.rate.setZero();
  found.acceleration.setZero();
  static_cast<void>(solve::SignalSystem(assembler_).solve(found));
  // Large deformations are found with the outputs as they are, where the machine holds itself; but a memory that follows the
  // machine has to do so from the start.
  State held = found;
  const EquilibriumReport first = solve::findEquilibrium(assembler_, held, compliance_);
  report.iterations = first.iterations;
  State trial = first.ok && !doMemoriesFollow(found) ? held : found;
  report.ok = newton(trial, 0.0, report);
  if (!report.ok) {
    const std::string trouble = report.trouble;
    const double gravity = std::max(assembler_.system().gravity().norm(), 1.0);
    trial = found;
    report.ok = newton(trial, kFirstMass * gravity / size_, report) && newton(trial, 0.0, report);
    if (!report.ok) report.trouble = trouble;
  }
  if (!report.ok) {
    if (const std::string fault = assembler_.fault(); !fault.empty()) report.trouble = fault;
    return report;
  }
  report.trouble.clear();
  keepIdle(state, trial);
  // What boxes remember is what they remember after the last of many calls.
  for (const Part& part : parts_) {
    const control::BlockPorts<double> ports =
        blocks_.ports(part.element, assembler_.calcMotion(trial));
    if (!part.isBox || !blocks_.block(part.element).canGoBack()) continue;
    const std::vector<double> inputs(ports.u.begin(), ports.u.end());
    Eigen::VectorXd outputs;
    State settled = trial;
    if (settleBox(part.element, inputs, settled, outputs)) trial = std::move(settled);
  }
  state = std::move(trial);
  return report;
}

}  // namespace flexloop::analysis
