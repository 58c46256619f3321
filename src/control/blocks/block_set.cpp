#include "control/blocks/block_set.hpp"

#include <algorithm>
#include <utility>

#include "control/blocks/steep_states.hpp"

namespace flexloop::control {

using math::Taylor2;
using system::Environment;
using system::Motion;
using system::State;
using system::UnknownIndex;

template <class S>
void BlockSet::Values<S>::makeRoom(const BlockSize& size) {
  const auto grow = [](std::vector<S>& v, int n) {
    if (static_cast<int>(v.size()) < n) v.resize(n);
  };
  grow(x, size.states);
  grow(dx, size.states);
  grow(u, size.inputs);
  grow(y, size.outputs);
}

int BlockSet::add(std::string name, std::unique_ptr<Block> block, const Wiring& wiring) {
  Entry entry;
  entry.size = block->size();
  entry.unknowns = static_cast<int>(unknowns_.size());
  entry.memory = wiring.memory;
  entry.record = wiring.record;
  entry.clock = block->clock();
  if (entry.size.memory > 0 || entry.size.hasRecord) remembering_.push_back(size());
  if (block->indicators() > 0) switching_.push_back(size());
  if (entry.clock >= 0) sampled_.push_back(size());
  const bool hasOwnStates = dynamic_cast<const SteepStates*>(block.get()) != nullptr;
  if (hasOwnStates && entry.size.states > 0) inner_.push_back(size());
  for (const auto& list : {wiring.states, wiring.outputs}) {
    for (const UnknownIndex u : list) {
      unknowns_.push_back(u.value);
      signs_.push_back(1.0);
    }
  }
  for (const BlockInput& input : wiring.inputs) {
    unknowns_.push_back(input.signal.value);
    signs_.push_back(input.sign);
  }
  // So that nothing is allocated later, as long as there is one thread.
  const Loan loan = borrow();
  loan->numbers.makeRoom(entry.size);
  loan->along.makeRoom(entry.size);
  indicators_ += block->indicators();
  located_.insert(located_.end(), block->indicators(), block->isLocated());
  if (entry.clock >= 0) sampleLevels_ = std::max(sampleLevels_, 1);
  entry.block = std::move(block);
  blocks_.push_back(std::move(entry));
  names_.push_back(std::move(name));
  return size() - 1;
}

void BlockSet::setSampleLevel(int element, int level) {
  blocks_[element].level = level;
  sampleLevels_ = std::max(sampleLevels_, level + 1);
}

int BlockSet::scalars(int element) const {
  const BlockSize& size = blocks_[element].size;
  return size.states + size.outputs + size.inputs;
}

UnknownIndex BlockSet::scalar(int element, int k) const {
  return {unknowns_[blocks_[element].unknowns + k]};
}

UnknownIndex BlockSet::input(int element, int k) const {
  const BlockSize& size = blocks_[element].size;
  return scalar(element, size.states + size.outputs + k);
}

UnknownIndex BlockSet::output(int element, int k) const {
  return scalar(element, blocks_[element].size.states + k);
}

double BlockSet::sign(int element, int input) const {
  const Entry& entry = blocks_[element];
  return signs_[entry.unknowns + entry.size.states + entry.size.outputs + input];
}

std::vector<DelayedSignal> BlockSet::delays() const {
  std::vector<DelayedSignal> delays;
  for (int e = 0; e < size(); ++e) {
    const double delay = blocks_[e].block->delay();
    if (delay > 0.0) delays.push_back({output(e, 0), input(e, 0), sign(e, 0), delay});
  }
  return delays;
}

bool BlockSet::couples(int element, int row, int column) const {
  const Entry& entry = blocks_[element];
  const int own = entry.size.states + entry.size.outputs;
  if (row >= own) return false;
  if (row == column) return true;
  if (column >= entry.size.states && column < own) return false;
  const int partial = column < own ? column : column - entry.size.outputs;
  return entry.block->uses(row, partial);
}

BlockReading BlockSet::read(int element, const Motion& motion) const {
  Values<double> values;
  BlockReading reading;
  reading.ports = read(blocks_[element], motion, values);
  reading.x = std::move(values.x);
  reading.u = std::move(values.u);
  reading.dx = std::move(values.dx);
  reading.y = std::move(values.y);
  return reading;
}

BlockPorts<double> BlockSet::read(const Entry& entry, const Motion& motion,
                                  Values<double>& values) const {
  values.makeRoom(entry.size);
  const auto& [inputs, states, outputs, memory, hasRecord] = entry.size;
  const int* unknowns = unknowns_.data() + entry.unknowns;
  for (int i = 0; i < states; ++i) values.x[i] = motion.value[unknowns[i]];
  const int own = states + outputs;
  const double* signs = signs_.data() + entry.unknowns + own;
  for (int i = 0; i < inputs; ++i) values.u[i] = signs[i] * motion.value[unknowns[own + i]];
  return {motion.time,
          std::span<const double>(values.x.data(), states),
          std::span<const double>(values.u.data(), inputs),
          motion.history + entry.memory,
          entry.record >= 0 ? motion.records + entry.record : nullptr,
          std::span<double>(values.dx.data(), states),
          std::span<double>(values.y.data(), outputs)};
}

BlockPorts<Taylor2> BlockSet::readAlong(const Entry& entry, const Motion& motion,
                                        Values<Taylor2>& values) const {
  values.makeRoom(entry.size);
  const auto& [inputs, states, outputs, memory, hasRecord] = entry.size;
  const auto along = [&](int k) {
    const int u = unknowns_[entry.unknowns + k];
    return Taylor2(motion.value[u], motion.rate[u], motion.acceleration[u]);
  };
  for (int i = 0; i < states; ++i) values.x[i] = along(i);
  const int own = states + outputs;
  for (int i = 0; i < inputs; ++i) values.u[i] = signs_[entry.unknowns + own + i] * along(own + i);
  return {Taylor2(motion.time, 1.0, 0.0),
          std::span<const Taylor2>(values.x.data(), states),
          std::span<const Taylor2>(values.u.data(), inputs),
          motion.history + entry.memory,
          entry.record >= 0 ? motion.records + entry.record : nullptr,
          std::span<Taylor2>(values.dx.data(), states),
          std::span<Taylor2>(values.y.data(), outputs)};
}

void BlockSet::addResidual(const Motion& motion, const Environment&,
                           system::ResidualSums& sums) const {
  const Loan loan = borrow();
  for (const Entry& entry : blocks_) {
    const BlockPorts<double> ports = read(entry, motion, loan->numbers);
    entry.block->calc(ports);
    const int* unknowns = unknowns_.data() + entry.unknowns;
    for (const double f : ports.dx) {
      const int u = *unknowns++;
      sums.scalars[u] += motion.rate[u] - f;
    }
    for (const double h : ports.y) {
      const int u = *unknowns++;
      sums.scalars[u] += motion.value[u] - h;
    }
  }
}

void BlockSet::calcResidual(const Motion& motion, const Environment&, int element,
                            Eigen::VectorXd& local) const {
  const Loan loan = borrow();
  const Entry& entry = blocks_[element];
  const BlockPorts<double> ports = read(entry, motion, loan->numbers);
  entry.block->calc(ports);
  local.setZero(scalars(element));
  int k = 0;
  for (const double f : ports.dx) {
    local[k] = motion.rate[scalar(element, k).value] - f;
    ++k;
  }
  for (const double h : ports.y) {
    local[k] = motion.value[scalar(element, k).value] - h;
    ++k;
  }
}

void BlockSet::calcTangents(const Motion& motion, const Environment&, int element,
                            system::Tangents& tangents) const {
  const Entry& entry = blocks_[element];
  const auto& [inputs, states, outputs, memory, hasRecord] = entry.size;
  const int n = states + outputs + inputs, own = states + outputs;
  for (Eigen::MatrixXd* matrix : {&tangents.K, &tangents.C, &tangents.M}) matrix->setZero(n, n);
  const Loan loan = borrow();
  Eigen::MatrixXd& partials = loan->partials;
  partials.setZero(own, states + inputs);
  entry.block->calcPartials(read(entry, motion, loan->numbers), partials);
  tangents.K.block(0, 0, own, states) = -partials.leftCols(states);
  for (int i = 0; i < inputs; ++i) {
    tangents.K.block(0, own + i, own, 1) =
        -signs_[entry.unknowns + own + i] * partials.col(states + i);
  }
  tangents.K.block(states, states, outputs, outputs).setIdentity();
  tangents.C.block(0, 0, states, states).setIdentity();
}

void BlockSet::addTimeDerivatives(const Motion& motion, const Environment&,
                                  system::TimeDerivatives& derivatives) const {
  const Loan loan = borrow();
  for (const Entry& entry : blocks_) {
    const BlockPorts<Taylor2> ports = readAlong(entry, motion, loan->along);
    entry.block->calcAlong(ports);
    const int* unknowns = unknowns_.data() + entry.unknowns;
    for (const Taylor2& f : ports.dx) {
      const int u = *unknowns++;
      derivatives.first[u] += motion.acceleration[u] - f.first;
      derivatives.second[u] -= f.second;
    }
    for (const Taylor2& h : ports.y) {
      const int u = *unknowns++;
      derivatives.first[u] += motion.rate[u] - h.first;
      derivatives.second[u] += motion.acceleration[u] - h.second;
    }
  }
}

BlockMemory BlockSet::memoryOf(const Entry& entry, State& state) {
  return {state.history.data() + entry.memory,
          entry.record >= 0 ? &state.records[entry.record] : nullptr};
}

void BlockSet::updateHistory(const Motion& motion, State& state) const {
  const Loan loan = borrow();
  for (const int e : remembering_) {
    const Entry& entry = blocks_[e];
    entry.block->remember(read(entry, motion, loan->numbers), memoryOf(entry, state));
  }
}

void BlockSet::forgetPast(State& state) const {
  for (const int e : remembering_) blocks_[e].block->forgetPast(memoryOf(blocks_[e], state));
}

void BlockSet::beginRest(const Motion& motion, State& state) const {
  const Loan loan = borrow();
  for (const int e : remembering_) {
    blocks_[e].block->beginRest(read(blocks_[e], motion, loan->numbers),
                                memoryOf(blocks_[e], state));
  }
}

bool BlockSet::settleAtRest(const Motion& motion, int element, State& state) const {
  const Loan loan = borrow();
  const Entry& entry = blocks_[element];
  const auto first = state.history.begin() + entry.memory;
  const std::vector<double> before(first, first + entry.size.memory);
  entry.block->settleAtRest(read(entry, motion, loan->numbers), memoryOf(entry, state));
  return !std::equal(before.begin(), before.end(), first);
}

void BlockSet::endRest(const Motion& motion, State& state) const {
  const Loan loan = borrow();
  for (const int e : remembering_) {
    blocks_[e].block->endRest(read(blocks_[e], motion, loan->numbers), memoryOf(blocks_[e], state));
  }
}

std::vector<int> BlockSet::takeMeanLines(State& state) const {
  std::vector<int> taken;
  for (const int e : remembering_) {
    if (blocks_[e].block->meanSlope() == 0.0) continue;
    blocks_[e].block->takeMeanLine(memoryOf(blocks_[e], state));
    taken.push_back(e);
  }
  return taken;
}

std::vector<Kink> BlockSet::findKinks(const Motion& motion, int element,
                                      const std::vector<double>& steps) const {
  const Loan loan = borrow();
  const Entry& entry = blocks_[element];
  const BlockPorts<double> ports = read(entry, motion, loan->numbers);
  return control::findKinks(*entry.block, ports, steps);
}

void BlockSet::calcIndicators(const Motion& motion, double* values) const {
  const Loan loan = borrow();
  for (const int e : switching_) {
    const Entry& entry = blocks_[e];
    entry.block->calcIndicators(read(entry, motion, loan->numbers), values);
    values += entry.block->indicators();
  }
}

void BlockSet::switchBranches(const Motion& motion, State& state) const {
  const Loan loan = borrow();
  for (const int e : switching_) {
    const Entry& entry = blocks_[e];
    entry.block->switchBranches(read(entry, motion, loan->numbers), memoryOf(entry, state));
  }
}

void BlockSet::sample(const Motion& motion, const std::vector<bool>& dueClocks, int level,
                      State& state) const {
  const Loan loan = borrow();
  for (const int e : sampled_) {
    const Entry& entry = blocks_[e];
    if (!dueClocks[entry.clock] || entry.level != level) continue;
    entry.block->sample(read(entry, motion, loan->numbers), memoryOf(entry, state));
  }
}

void BlockSet::updateSamples(const Motion& motion, const std::vector<bool>& dueClocks,
                             State& state) const {
  const Loan loan = borrow();
  for (const int e : sampled_) {
    const Entry& entry = blocks_[e];
    if (!dueClocks[entry.clock]) continue;
    entry.block->updateSample(read(entry, motion, loan->numbers), memoryOf(entry, state));
  }
}

bool BlockSet::hasChosenState(const Entry& entry, const std::vector<bool>& chosen) const {
  const auto first = unknowns_.begin() + entry.unknowns;
  return std::any_of(first, first + entry.size.states, [&](int u) { return chosen[u]; });
}

bool BlockSet::settleStates(const Motion& motion, const system::InnerWeights& weights,
                            const std::vector<bool>* chosen, Eigen::VectorXd& corrections) const {
  const Loan loan = borrow();
  bool isAny = false;
  if (chosen == nullptr) {
    for (const int e : inner_) {
      isAny = settleStatesOf(blocks_[e], motion, weights, *loan, corrections) || isAny;
    }
    return isAny;
  }
  for (const Entry& entry : blocks_) {
    if (!hasChosenState(entry, *chosen)) continue;
    isAny = settleStatesOf(entry, motion, weights, *loan, corrections) || isAny;
  }
  return isAny;
}

bool BlockSet::settleStatesOf(const Entry& entry, const Motion& motion,
                              const system::InnerWeights& weights, Workspace& workspace,
                              Eigen::VectorXd& corrections) const {
  const int* unknowns = unknowns_.data() + entry.unknowns;
  StateSettlement& settlement = workspace.settlement;
  settlement.begin(entry.size.states);
  for (int k = 0; k < entry.size.states; ++k) {
    const int u = unknowns[k];
    settlement.setState(k, motion.value[u], motion.rate[u], weights.value[u], weights.rate[u],
                        weights.norm[u]);
  }
  const BlockPorts<double> ports = read(entry, motion, workspace.numbers);
  if (!settlement.solve(*entry.block, ports, workspace.numbers.x)) return false;
  for (int k = 0; k < entry.size.states; ++k) corrections[unknowns[k]] = settlement.correction(k);
  unknowns += entry.size.states;
  for (int k = 0; k < entry.size.outputs; ++k) {
    corrections[unknowns[k]] = ports.y[k] - motion.value[unknowns[k]];
  }
  return true;
}

std::optional<base::Failure> BlockSet::fault() const {
  for (const Entry& entry : blocks_) {
    if (auto fault = entry.block->fault()) return fault;
  }
  return {};
}

const BlockSet* findBlocks(const system::System& system) {
  for (const auto& set : system.sets()) {
    if (const auto* blocks = dynamic_cast<const BlockSet*>(set.get())) return blocks;
  }
  return nullptr;
}

}  // namespace flexloop::control
