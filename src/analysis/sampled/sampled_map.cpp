#include "analysis/sampled/sampled_map.hpp"

#include <algorithm>
#include <map>

#include "control/blocks/block_set.hpp"
#include "linalg/dense/dense_lu.hpp"

namespace flexloop::analysis {
namespace {

using control::Block;
using control::BlockSet;
using Eigen::MatrixXd;

// Numbers that stay as they are, whatever happens, are parameters and not part of the motion: the integral of a
// controller without integral gain.
std::vector<int> findKept(const control::SamplePartials& p) {
  std::vector<int> kept;
  const int rows = static_cast<int>(p.sample.rows());
  for (int i = 0; i < rows; ++i) {
    const auto isUnit = [&](const MatrixXd& J) {
      Eigen::RowVectorXd row = J.row(i);
      row[i] -= 1.0;
      return row.isZero(0.0);
    };
    if (!isUnit(p.sample) || !isUnit(p.update)) kept.push_back(i);
  }
  return kept;
}

void keepOnly(const std::vector<int>& kept, control::SamplePartials& p) {
  const int rows = static_cast<int>(p.sample.rows());
  std::vector<int> columns = kept;
  for (int c = rows; c < p.sample.cols(); ++c) columns.push_back(c);
  p.sample = p.sample(kept, columns).eval();
  p.update = p.update(kept, columns).eval();
  p.output = p.output(Eigen::all, kept).eval();
}

control::SamplePartials findPartials(const SampledBlocks& blocks, int element,
                                     const std::vector<double>& inputs,
                                     const system::State& state) {
  if (blocks.boxes.contains(element)) return blocks.boxes.at(element);
  const Block& block = blocks.set->block(element);
  const auto memory = state.history.begin() + blocks.set->historyOffset(element);
  return control::calcSamplePartials(block, state.time, inputs,
                                     {memory, memory + block.size().memory});
}

SampledPart makePart(const SampledBlocks& all, int element, const system::State& state,
                     const std::map<int, int>& indexOf) {
  const BlockSet& blocks = *all.set;
  SampledPart part{.clock = blocks.block(element).clock(), .level = blocks.sampleLevel(element)};
  std::vector<double> values, signs;
  for (int k = 0; k < blocks.inputs(element); ++k) {
    const int unknown = blocks.input(element, k).value;
    signs.push_back(blocks.sign(element, k));
    values.push_back(signs.back() * state.value[unknown]);
    part.inputs.push_back(indexOf.at(unknown));
  }
  for (int k = 0; k < blocks.outputs(element); ++k) {
    part.outputs.push_back(indexOf.at(blocks.output(element, k).value));
  }
  part.partials = findPartials(all, element, values, state);
  for (std::size_t k = 0; k < signs.size(); ++k) {
    const Eigen::Index column = part.partials.sample.rows() + static_cast<Eigen::Index>(k);
    part.partials.sample.col(column) *= signs[k];
    part.partials.update.col(column) *= signs[k];
  }
  keepOnly(findKept(part.partials), part.partials);
  return part;
}

// Rows and columns that are chosen.
MatrixXd takeDense(const linalg::SparseMatrix& matrix, const std::vector<int>& chosen) {
  std::vector<int> places(matrix.rows(), -1);
  for (std::size_t i = 0; i < chosen.size(); ++i) places[chosen[i]] = static_cast<int>(i);
  MatrixXd part = MatrixXd::Zero(std::ssize(chosen), std::ssize(chosen));
  for (const int column : chosen) {
    for (linalg::SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      if (places[it.row()] >= 0) part(places[it.row()], places[column]) = it.value();
    }
  }
  return part;
}

std::vector<SampledPart> makeParts(const SampledBlocks& blocks, const LinearModel& linear,
                                   const system::State& state) {
  std::map<int, int> indexOf;
  for (std::size_t i = 0; i < linear.unknowns.size(); ++i) {
    indexOf[linear.unknowns[i]] = static_cast<int>(i);
  }
  std::vector<SampledPart> parts;
  for (const int element : blocks.elements) {
    parts.push_back(makePart(blocks, element, state, indexOf));
  }
  return parts;
}

}  // namespace

double Sampling::shortestWait() const {
  double shortest = cycle.period;
  for (const SampleInstant& instant : cycle.instants) shortest = std::min(shortest, instant.wait);
  return shortest;
}

std::vector<SampledPorts> Sampling::ports() const {
  std::vector<SampledPorts> all;
  for (const SampledPart& part : parts) all.push_back({part.clock, part.inputs, part.outputs});
  return all;
}

Sampling makeSampling(const SampledBlocks& blocks, const system::System& system,
                      const LinearModel& linear, const system::State& state) {
  Sampling sampling;
  std::vector<bool> isUsed(system.clocks().size(), false);
  for (const int element : blocks.elements) isUsed[blocks.set->block(element).clock()] = true;
  sampling.cycle = makeSampleCycle(system.clocks(), isUsed);
  if ((sampling.failure = sampling.cycle.failure)) return sampling;
  sampling.parts = makeParts(blocks, linear, state);
  DelayLines delays = findDelayLines(linear, system, sampling.ports());
  if ((sampling.failure = delays.failure)) return sampling;
  addDelayLines(delays.lines, sampling.cycle);
  sampling.failure = sampling.cycle.failure;
  sampling.lines = std::move(delays.lines);
  return sampling;
}

SampledMap::SampledMap(const Sampling& sampling, const system::System& system,
                       const LinearModel& linear, const linalg::QuadraticPencil& pencil,
                       const SampledCut& cut, bool withInputs)
    : cut_(cut), withInputs_(withInputs) {
  placeMemory(sampling);
  findColumns(pencil);
  machine_ = linalg::makeHeldMachine(pencil, F_, reads_, sampling.shortestWait());
  if (!machine_.failure) findJumps(system, linear, pencil);
}

// The place of an unknown among those that are read; what is cut has the last one.
int SampledMap::readOf(int unknown) {
  if (unknown == cut_.unknown) return -1;
  const auto found = std::find(reads_.begin(), reads_.end(), unknown);
  if (found != reads_.end()) return static_cast<int>(found - reads_.begin());
  reads_.push_back(unknown);
  return static_cast<int>(reads_.size()) - 1;
}

void SampledMap::placeMemory(const Sampling& sampling) {
  for (const SampledPart& part : sampling.parts) {
    Part& own = parts_.emplace_back(Part{part, memory_, outputs_, {}});
    memory_ += static_cast<int>(part.partials.sample.rows());
    outputs_ += static_cast<int>(part.outputs.size());
    levels_ = std::max(levels_, part.level + 1);
    for (const int input : part.inputs) own.reads.push_back(readOf(input));
    const auto& outputs = part.outputs;
    if (std::find(outputs.begin(), outputs.end(), cut_.unknown) != outputs.end()) {
      cutLevel_ = part.level;
    }
  }
  for (const DelayLine& line : sampling.lines) {
    lines_.push_back({line, memory_, outputs_++, readOf(line.input)});
    memory_ += 1 + line.length;
  }
  if (cut_.isHeld) {
    cutMemory_ = memory_++;
    ++outputs_;
  }
  const int last = static_cast<int>(reads_.size());
  const auto closeGap = [last](int& read) { read = read < 0 ? last : read; };
  for (Part& part : parts_) std::for_each(part.reads.begin(), part.reads.end(), closeGap);
  for (Line& line : lines_) closeGap(line.read);
}

void SampledMap::findColumns(const linalg::QuadraticPencil& pencil) {
  F_.setZero(pencil.size(), outputs_);
  H_.setZero(outputs_, memory_);
  for (const Part& part : parts_) {
    for (std::size_t k = 0; k < part.part.outputs.size(); ++k) {
      F_(part.part.outputs[k], part.output + static_cast<int>(k)) = 1.0;
    }
    const MatrixXd& J = part.part.partials.output;
    H_.block(part.output, part.memory, J.rows(), J.cols()) = J;
  }
  for (const Line& line : lines_) {
    F_(line.line.output, line.output) = 1.0;
    H_(line.output, line.memory) = 1.0;
  }
  if (!cut_.isHeld) return;
  F_.col(outputs_ - 1) = cut_.readers;
  H_(outputs_ - 1, cutMemory_) = 1.0;
}

// (25.5): signals follow other signals at once, when all else still is as before.
void SampledMap::findJumps(const system::System& system, const LinearModel& linear,
                           const linalg::QuadraticPencil& pencil) {
  std::vector<int> signals;
  for (std::size_t i = 0; i < linear.unknowns.size(); ++i) {
    const int u = linear.unknowns[i];
    if (u >= 0 && system.kinds()[u] == system::Kind::kSignal) {
      signals.push_back(static_cast<int>(i));
    }
  }
  const MatrixXd K = takeDense(pencil.K, signals);
  const MatrixXd inputs = F_(signals, Eigen::all);
  const MatrixXd all = linalg::solveDense(K, inputs);
  jumps_.setZero(std::ssize(reads_) + 1, outputs_);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const auto read = std::find(reads_.begin(), reads_.end(), signals[i]);
    if (read != reads_.end())
      jumps_.row(read - reads_.begin()) = all.row(static_cast<Eigen::Index>(i));
  }
}

MatrixXd SampledMap::heldValues() const {
  MatrixXd values = MatrixXd::Zero(outputs_, size());
  values.rightCols(memory_) = H_;
  return values;
}

// (25.8): from just after an instant to just before the next.
MatrixXd SampledMap::makeFlow(double duration) const {
  const linalg::HeldFlow flow = linalg::makeFlow(machine_, duration);
  MatrixXd map = MatrixXd::Identity(size(), size());
  map.topLeftCorner(states(), states()) = flow.Phi;
  map.topRightCorner(states(), memory_) = flow.Gamma * H_;
  return map;
}

SampledMap::Moment SampledMap::begin() const {
  const Eigen::Index reads = std::ssize(reads_), columns = size() + inputs();
  Moment moment;
  moment.m.setZero(memory_, columns);
  moment.m.middleCols(states(), memory_).setIdentity();
  moment.before = H_ * moment.m;
  moment.signals.setZero(reads + 1, columns);
  moment.signals.topRows(reads) = machine_.W(reads_, Eigen::all) * moment.before;
  moment.signals.topLeftCorner(reads, states()) += machine_.V(reads_, Eigen::all);
  if (!withInputs_) return moment;
  moment.signals.block(0, size(), reads, reads).setIdentity();
  if (!cut_.isHeld) moment.signals(reads, size() + reads) = 1.0;
  return moment;
}

MatrixXd SampledMap::calcSignals(const Moment& moment) const {
  MatrixXd now = moment.signals + jumps_ * (H_ * moment.m - moment.before);
  if (cut_.isHeld) now.row(now.rows() - 1) = moment.m.row(cutMemory_);
  return now;
}

void SampledMap::advance(const SampleInstant& instant, int level,
                         MatrixXd control::SamplePartials::*J, Moment& moment) const {
  const MatrixXd now = calcSignals(moment);
  for (const Part& part : parts_) {
    if (!instant.dueClocks[part.part.clock] || (level >= 0 && part.part.level != level)) continue;
    const MatrixXd& partials = part.part.partials.*J;
    MatrixXd arguments(partials.cols(), now.cols());
    arguments << moment.m.middleRows(part.memory, partials.rows()), now(part.reads, Eigen::all);
    moment.m.middleRows(part.memory, partials.rows()) = partials * arguments;
  }
}

// (25.17) for lines of one kind.
void SampledMap::passLines(const SampleInstant& instant, bool isHeld, Moment& moment) const {
  MatrixXd& m = moment.m;
  for (const SampleInstant::Arrival& arrival : instant.arrivals) {
    const Line& part = lines_[arrival.line];
    if (part.line.isHeld == isHeld) m.row(part.memory) = m.row(part.memory + arrival.age).eval();
  }
  const MatrixXd now = calcSignals(moment);
  for (const int entry : instant.entries) {
    const Line& part = lines_[entry];
    if (part.line.isHeld != isHeld) continue;
    for (int k = part.line.length; k > 1; --k) {
      m.row(part.memory + k) = m.row(part.memory + k - 1).eval();
    }
    m.row(part.memory + 1) = part.line.factor * now.row(part.read);
  }
}

// Where the signal would change, its readers see the input change.
void SampledMap::setCut(const SampleInstant& instant, Moment& moment) const {
  if (!cut_.isHeld) return;
  bool isDue = false;
  for (std::size_t c = 0; c < cut_.clocks.size(); ++c) {
    isDue = isDue || (cut_.clocks[c] && instant.dueClocks[c]);
  }
  if (!isDue) return;
  moment.m.row(cutMemory_).setZero();
  if (withInputs_) moment.m(cutMemory_, moment.m.cols() - 1) = 1.0;
}

// (25.5) to (25.7): late readings arrive, the clocks that are due act, and late held values arrive.
MatrixXd SampledMap::makeInstant(const SampleInstant& instant) const {
  Moment moment = begin();
  passLines(instant, false, moment);
  if (cutLevel_ < 0) setCut(instant, moment);
  for (int level = 0; level < levels_; ++level) {
    advance(instant, level, &control::SamplePartials::sample, moment);
    if (level == cutLevel_) setCut(instant, moment);
  }
  advance(instant, -1, &control::SamplePartials::update, moment);
  passLines(instant, true, moment);
  MatrixXd map = MatrixXd::Zero(size(), moment.m.cols());
  map.topLeftCorner(states(), states()).setIdentity();
  map.bottomRows(memory_) = moment.m;
  return map;
}

MatrixXd SampledMap::makeUnknowns() const {
  MatrixXd unknowns(machine_.V.rows(), size());
  unknowns << machine_.V, machine_.W * H_;
  return unknowns;
}

Eigen::RowVectorXd SampledMap::makeUnknown(int unknown) const {
  Eigen::RowVectorXd row(size());
  row << machine_.V.row(unknown), machine_.W.row(unknown) * H_;
  return row;
}

}  // namespace flexloop::analysis
