#include "analysis/balance/sampled_rest.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "analysis/balance/read_outputs.hpp"
#include "control/boxes/slope_search.hpp"
#include "control/sampled/sample_partials.hpp"
#include "solve/balance/holding_states.hpp"
#include "solve/signal_system.hpp"

namespace flexloop::analysis {
namespace {

using solve::EquilibriumReport;
using system::Kind;
using system::State;

constexpr int kMostRepetitions = 20;  // until memories are solved for as well
constexpr double kSolved = 1e-9;      // of the largest memory of a block, left of its equations
constexpr int kCalls[] = {16, 256, 4096, 20000}, kCallsThatAgree = 3;
constexpr double kSameOutput = 1e-13;
constexpr std::size_t kMostRests = 64;  // of black boxes, kept

}  // namespace

SampledRest::SampledRest(system::Assembler& assembler, const control::BlockSet& blocks,
                         const std::vector<solve::DependentRow>& dependent)
    : assembler_(assembler),
      blocks_(blocks),
      dependent_(dependent),
      unknowns_(assembler.system().unknowns()) {
  for (const int e : blocks.sampled()) {
    const control::Block& block = blocks.block(e);
    const bool isBox = block.hasHiddenMemory();
    const int count = isBox ? block.size().outputs : block.size().memory;
    parts_.push_back({e, unknowns_ + memory_, count, isBox, findReadOutputs(assembler, blocks, e)});
    memory_ += count;
  }
}

const SampledRest::Part& SampledRest::partOf(int k) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [&](const Part& part) { return unknowns_ + k < part.first + part.count; });
}

std::string SampledRest::name(int k) const {
  return "the memory of " + blocks_.name(partOf(k).element);
}

// In a second, as many instants as there are make the change of a memory: Φ(m, u) − m = h m' with the period h.
std::vector<double> SampledRest::rateFactors() const {
  std::vector<double> factors;
  for (const Part& part : parts_) {
    const int clock = blocks_.block(part.element).clock();
    factors.insert(factors.end(), part.count, -assembler_.system().clocks()[clock].period);
  }
  return factors;
}

double SampledRest::value(const State& state, int k) const {
  const Part& part = partOf(k);
  return state.history[blocks_.historyOffset(part.element) + unknowns_ + k - part.first];
}

void SampledRest::setValue(int k, double value, State& state) const {
  const Part& part = partOf(k);
  state.history[blocks_.historyOffset(part.element) + unknowns_ + k - part.first] = value;
}

// Calls a black box at its inputs, at instants that end now, so often that those of its outputs stay that something reads; what it
// then remembers is in the state.
bool SampledRest::settleBox(const Part& part, const std::vector<double>& inputs, State& state,
                            Eigen::VectorXd& outputs) {
  const int element = part.element;
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
      const control::BlockPorts<double> ports{time,          {}, inputs, memory.memory,
                                              memory.record, {}, y};
      block.sample(ports, memory);
      block.updateSample(ports, memory);
      if (block.fault()) return false;
      double change = 0.0;
      for (std::size_t k = 0; k < y.size(); ++k) {
        if (!part.isRead[k]) continue;
        const double size = std::max(std::abs(y[k]), std::abs(last[k]));
        if (size > 0.0) change = std::max(change, std::abs(y[k] - last[k]) / size);
      }
      agree = change <= kSameOutput ? agree + 1 : 0;
    }
    outputs = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(y.size()));
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (part.isRead[k]) outputs[static_cast<Eigen::Index>(k)] = y[k];
    }
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

// The slopes are differences.
const SampledRest::Rest& SampledRest::findRest(const Part& part, const std::vector<double>& inputs,
                                               const State& state) {
  const auto known = boxes_.find({part.element, inputs});
  if (known != boxes_.end()) return known->second;
  if (boxes_.size() >= kMostRests) boxes_.clear();
  Rest& rest = boxes_[{part.element, inputs}];
  rest.outputs = Eigen::VectorXd::Zero(part.count);
  rest.slopes = Eigen::MatrixXd::Zero(part.count, static_cast<int>(inputs.size()));
  State trial = state;
  rest.isSettled =
      blocks_.block(part.element).canGoBack() && settleBox(part, inputs, trial, rest.outputs);
  std::vector<double> other = inputs;
  for (std::size_t i = 0; i < inputs.size() && rest.isSettled; ++i) {
    const auto settle = [&](double value, std::span<double> results) {
      other[i] = value;
      trial = state;
      Eigen::VectorXd settled;
      rest.isSettled = rest.isSettled && settleBox(part, other, trial, settled);
      if (rest.isSettled) std::copy(settled.begin(), settled.end(), results.begin());
    };
    const control::Slopes found = control::calcSlopes(inputs[i], part.count, settle);
    other[i] = inputs[i];
    rest.slopes.col(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::VectorXd>(found.values.data(), part.count);
  }
  return rest;
}

// A box is what its outputs become.
void SampledRest::addBox(const Part& part, const std::vector<double>& inputs, State& state,
                         Triplets& entries) {
  const Rest& rest = findRest(part, inputs, state);
  if (!rest.isSettled) {
    const char* why = blocks_.block(part.element).canGoBack()
                          ? "does not settle while its inputs are constant"
                          : "cannot be tested, because it has no block_save and block_restore";
    notes_.push_back(
        "black box '" + blocks_.name(part.element) + "' " + why +
        ": its first outputs are kept, so this is not an equilibrium of the machine with it");
    return;
  }
  const double* memory = blocks_.memory(part.element, state).memory;
  for (int k = 0; k < part.count; ++k) {
    if (part.isRead[k]) residual_[part.first - unknowns_ + k] = rest.outputs[k] - memory[k];
    entries.emplace_back(part.first + k, part.first + k, -1.0);
  }
  addInputs(part, rest.slopes, entries);
}

void SampledRest::addPart(const Part& part, const system::Motion& motion, State& state,
                          Triplets& entries) {
  const std::vector<double> inputs = blocks_.read(part.element, motion).u;
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
    residual_[part.first - unknowns_ + row] = next[row] - memory[row];
    for (int column = 0; column < part.count; ++column) {
      const double entry = byMemory(row, column) - (row == column ? 1.0 : 0.0);
      if (entry != 0.0) entries.emplace_back(part.first + row, part.first + column, entry);
    }
  }
  addInputs(part, update * partials.sample.rightCols(u) + partials.update.rightCols(u), entries);
}

// The lower rows of (26.4), and −E.
void SampledRest::calc(const State& state, Eigen::VectorXd& residual, Triplets& entries) {
  State trial = state;
  residual_.setZero(memory_);
  notes_.clear();
  for (const Part& part : parts_) addPart(part, assembler_.calcMotion(trial), trial, entries);
  residual = residual_;
  // Tangents are calculated with the motion of the residual.
  static_cast<void>(assembler_.calcMotion(state));
}

// The first memory of a block that is not at rest; negative if all are.
int SampledRest::findRestless(const State& state) {
  Triplets entries;
  Eigen::VectorXd residual;
  calc(state, residual, entries);
  for (const int k : findIdle(state)) residual[k] = 0.0;
  for (const Part& part : parts_) {
    const int first = part.first - unknowns_;
    double largest = 0.0;
    for (int k = first; k < first + part.count; ++k) {
      largest = std::max(largest, std::abs(value(state, k)));
    }
    for (int k = first; k < first + part.count; ++k) {
      if (std::abs(residual[k]) > kSolved * largest) return k;
    }
  }
  return -1;
}

EquilibriumReport SampledRest::failForGrowth(int k, const State& state, EquilibriumReport report) {
  Triplets entries;
  Eigen::VectorXd residual;
  calc(state, residual, entries);
  const int element = partOf(k).element;
  const double period = assembler_.system().clocks()[blocks_.block(element).clock()].period;
  std::ostringstream text;
  text << "there is no equilibrium: '" << blocks_.name(element) << "' changes at the constant rate "
       << residual[k] / period << " 1/s wherever the machine is";
  report.failure = base::numericalFailure(
      text.str(),
      "make its input zero at rest, or give it limits; if it sums a speed error, 'flexloop "
      "equilibrium --steady' finds the motion at that speed, if the model starts with it");
  return report;
}

// Memories that act on nothing.
std::vector<int> SampledRest::findIdle(const State& state) {
  linalg::SparseMatrix K, C, M;
  Eigen::VectorXd r;
  assembler_.calcResidual(state, r);
  assembler_.calcTangents(state, K, C, M);
  Triplets entries;
  calc(state, r, entries);
  for (int column = 0; column < K.outerSize(); ++column) {
    for (linalg::SparseMatrix::InnerIterator it(K, column); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()), column, it.value());
    }
  }
  std::vector<Kind> kinds = assembler_.system().kinds();
  kinds.resize(unknowns_ + memory_, Kind::kState);
  linalg::SparseMatrix all(unknowns_ + memory_, unknowns_ + memory_);
  all.setFromTriplets(entries.begin(), entries.end());
  std::vector<int> idle;
  for (const int u : solve::findIdleStates(kinds, all)) {
    if (u >= unknowns_) idle.push_back(u - unknowns_);
  }
  return idle;
}

// Sums that act on nothing have the value of the start.
void SampledRest::keepIdle(const State& start, State& state) {
  for (const int k : findIdle(state)) setValue(k, value(start, k), state);
  static_cast<void>(solve::SignalSystem(assembler_).solve(state));
}

EquilibriumReport SampledRest::find(State& state, const solve::EquilibriumOptions& options) {
  State found = state;
  EquilibriumReport report = solve::findEquilibrium(assembler_, found, dependent_, options, this);
  // A search judges motions; memories may need it again.
  for (int k = 0; report.ok() && k < kMostRepetitions && findRestless(found) >= 0; ++k) {
    const int iterations = report.iterations;
    report = solve::findEquilibrium(assembler_, found, dependent_, options, this);
    report.iterations += iterations;
  }
  if (!report.ok()) return report;
  if (const int k = findRestless(found); k >= 0) return failForGrowth(k, found, report);
  keepIdle(state, found);
  // What boxes remember is what they remember after the last of many calls.
  for (const Part& part : parts_) {
    if (!part.isBox || !blocks_.block(part.element).canGoBack()) continue;
    const std::vector<double> inputs = blocks_.read(part.element, assembler_.calcMotion(found)).u;
    Eigen::VectorXd outputs;
    State settled = found;
    if (settleBox(part, inputs, settled, outputs)) found = std::move(settled);
  }
  state = std::move(found);
  return report;
}

}  // namespace flexloop::analysis
