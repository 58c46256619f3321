#include "analysis/cycle_map.hpp"

#include <algorithm>
#include <map>

#include <Eigen/LU>

#include "analysis/delay_line.hpp"
#include "analysis/sample_cycle.hpp"
#include "control/block_set.hpp"
#include "linalg/held_machine.hpp"

namespace flexloop::analysis {
namespace {

using control::Block;
using control::BlockSet;
using Eigen::MatrixXd;

// All its motions are in one dense matrix.
constexpr int kLargest = 1500;

// A sampled block as part of the map. Its inputs and outputs are unknowns of the pencil.
struct Part {
  int clock = 0, level = 0;
  int memory = 0, output = 0;  // where they start among those of all parts
  std::vector<int> inputs{}, outputs{};
  control::SamplePartials partials{};  // by the kept numbers of the memory
};

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

Part makePart(const SampledBlocks& all, int element, const system::State& state,
              const std::map<int, int>& indexOf) {
  const BlockSet& blocks = *all.set;
  Part part{.clock = blocks.block(element).clock(), .level = blocks.sampleLevel(element)};
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

std::vector<Part> makeParts(const SampledBlocks& blocks, const LinearModel& linear,
                            const system::State& state) {
  std::map<int, int> indexOf;
  for (std::size_t i = 0; i < linear.unknowns.size(); ++i) {
    indexOf[linear.unknowns[i]] = static_cast<int>(i);
  }
  std::vector<Part> parts;
  for (const int element : blocks.elements) {
    parts.push_back(makePart(blocks, element, state, indexOf));
  }
  return parts;
}

// A delay line as part of the map. Its memory is what came out last, then what is on its way, the latest first.
struct LinePart {
  DelayLine line{};
  int memory = 0, output = 0;
};

// z = (x, m): the states of the machine and the memory of the parts; the held outputs are w = H m.
class SampledMap {
 public:
  SampledMap(std::vector<Part> parts, const std::vector<DelayLine>& lines,
             const system::System& system, const LinearModel& linear, double shortestWait)
      : parts_(std::move(parts)) {
    for (Part& part : parts_) {
      part.memory = memory_;
      part.output = outputs_;
      memory_ += static_cast<int>(part.partials.sample.rows());
      outputs_ += static_cast<int>(part.outputs.size());
      levels_ = std::max(levels_, part.level + 1);
    }
    for (const DelayLine& line : lines) {
      lines_.push_back({line, memory_, outputs_++});
      memory_ += 1 + line.length;
    }
    MatrixXd F = MatrixXd::Zero(linear.pencil.size(), outputs_);
    H_.setZero(outputs_, memory_);
    for (const Part& part : parts_) {
      for (std::size_t k = 0; k < part.outputs.size(); ++k) {
        F(part.outputs[k], part.output + static_cast<int>(k)) = 1.0;
      }
      const MatrixXd& J = part.partials.output;
      H_.block(part.output, part.memory, J.rows(), J.cols()) = J;
    }
    for (const LinePart& part : lines_) {
      F(part.line.output, part.output) = 1.0;
      H_(part.output, part.memory) = 1.0;
    }
    machine_ = linalg::makeHeldMachine(linear.pencil, F, shortestWait);
    findJumps(system, linear, F);
  }

  const linalg::HeldMachine& machine() const { return machine_; }
  int size() const { return states() + memory_; }

  // (25.8): from just after an instant to just before the next.
  MatrixXd makeFlow(double duration) const {
    const linalg::HeldFlow flow = linalg::makeFlow(machine_, duration);
    MatrixXd map = MatrixXd::Identity(size(), size());
    map.topLeftCorner(states(), states()) = flow.Phi;
    map.topRightCorner(states(), memory_) = flow.Gamma * H_;
    return map;
  }

  // (25.5) to (25.7): late readings arrive, the clocks that are due act, and late held values arrive.
  MatrixXd makeInstant(const SampleInstant& instant) const {
    MatrixXd m = MatrixXd::Zero(memory_, size());
    m.rightCols(memory_).setIdentity();
    const MatrixXd before = H_ * m;
    MatrixXd signals = machine_.W * before;
    signals.leftCols(states()) += machine_.V;
    const auto advance = [&](int level, MatrixXd control::SamplePartials::*J) {
      const MatrixXd now = signals + jumps_ * (H_ * m - before);
      for (const Part& part : parts_) {
        if (!instant.dueClocks[part.clock] || (level >= 0 && part.level != level)) continue;
        const MatrixXd& partials = part.partials.*J;
        MatrixXd arguments(partials.cols(), size());
        arguments << m.middleRows(part.memory, partials.rows()), now(part.inputs, Eigen::all);
        m.middleRows(part.memory, partials.rows()) = partials * arguments;
      }
    };
    const auto pass = [&](bool isHeld) {
      passLines(instant, isHeld, m, [&] { return (signals + jumps_ * (H_ * m - before)).eval(); });
    };
    pass(false);
    for (int level = 0; level < levels_; ++level) {
      advance(level, &control::SamplePartials::sample);
    }
    advance(-1, &control::SamplePartials::update);
    pass(true);
    MatrixXd map = MatrixXd::Identity(size(), size());
    map.bottomRows(memory_) = m;
    return map;
  }

  // The unknowns of the pencil by z.
  MatrixXd makeUnknowns() const {
    MatrixXd unknowns(machine_.V.rows(), size());
    unknowns << machine_.V, machine_.W * H_;
    return unknowns;
  }

 private:
  int states() const { return static_cast<int>(machine_.A.rows()); }

  // (25.17) for lines of one kind.
  template <class Signals>
  void passLines(const SampleInstant& instant, bool isHeld, MatrixXd& m,
                 const Signals& calcSignals) const {
    for (const SampleInstant::Arrival& arrival : instant.arrivals) {
      const LinePart& part = lines_[arrival.line];
      if (part.line.isHeld == isHeld) m.row(part.memory) = m.row(part.memory + arrival.age).eval();
    }
    const MatrixXd now = calcSignals();
    for (const int entry : instant.entries) {
      const LinePart& part = lines_[entry];
      if (part.line.isHeld != isHeld) continue;
      for (int k = part.line.length; k > 1; --k) {
        m.row(part.memory + k) = m.row(part.memory + k - 1).eval();
      }
      m.row(part.memory + 1) = part.line.factor * now.row(part.line.input);
    }
  }

  // (25.5): signals follow other signals at once, when all else still is as before.
  void findJumps(const system::System& system, const LinearModel& linear, const MatrixXd& F) {
    std::vector<int> signals;
    for (std::size_t i = 0; i < linear.unknowns.size(); ++i) {
      const int u = linear.unknowns[i];
      if (u >= 0 && system.kinds()[u] == system::Kind::kSignal) {
        signals.push_back(static_cast<int>(i));
      }
    }
    const MatrixXd K = MatrixXd(linear.pencil.K)(signals, signals);
    const MatrixXd inputs = F(signals, Eigen::all);
    const MatrixXd jumps = K.partialPivLu().solve(inputs);
    jumps_.setZero(F.rows(), F.cols());
    jumps_(signals, Eigen::all) = jumps;
  }

  std::vector<Part> parts_;
  std::vector<LinePart> lines_;
  int memory_ = 0, outputs_ = 0, levels_ = 0;
  MatrixXd H_, jumps_;
  linalg::HeldMachine machine_;
};

void multiplyInstants(const SampledMap& map, const SampleCycle& cycle, CycleMap& result) {
  const std::size_t count = cycle.instants.size();
  MatrixXd rest = MatrixXd::Identity(map.size(), map.size());
  std::map<double, MatrixXd> flows;
  for (std::size_t i = 0; i < count; ++i) {
    const double wait = cycle.instants[i].wait;
    if (!flows.contains(wait)) flows[wait] = map.makeFlow(wait);
    rest = flows[wait] * rest;
    if (i + 1 < count) rest = map.makeInstant(cycle.instants[i + 1]) * rest;
  }
  const MatrixXd first = map.makeInstant(cycle.instants[0]);
  std::vector<int> asked;
  for (int k = 0; k < map.size(); ++k) {
    if (!first.col(k).isZero(0.0)) asked.push_back(k);
  }
  result.dropped = map.size() - static_cast<int>(asked.size());
  result.first = first(Eigen::all, asked);
  result.rest = rest(asked, Eigen::all);
}

// What the method cannot do, with a remedy.
bool isRefused(const LinearModel& linear, CycleMap& result) {
  if (linear.pencil.size() > kLargest) {
    result.trouble = "modes with sampled blocks are found for at most " + std::to_string(kLargest) +
                     " unknowns; these are " + std::to_string(linear.pencil.size());
    result.hint =
        "use fewer elements, '--bodies rigid', or continuous blocks instead of sampled ones";
  }
  return !result.trouble.empty();
}

std::vector<DelayLine> insertDelays(const std::vector<Part>& parts, const system::System& system,
                                    const LinearModel& linear, SampleCycle& cycle,
                                    CycleMap& result) {
  std::vector<SampledPorts> ports;
  for (const Part& part : parts) ports.push_back({part.clock, part.inputs, part.outputs});
  DelayLines delays = findDelayLines(linear, system, ports);
  result.trouble = delays.trouble;
  result.hint = delays.hint;
  if (!result.trouble.empty()) return {};
  addDelayLines(delays.lines, cycle);
  result.trouble = cycle.trouble;
  if (!result.trouble.empty()) result.hint = "give it a Padé approximation ('pade: 4')";
  return std::move(delays.lines);
}

double findShortestWait(const SampleCycle& cycle) {
  double shortest = cycle.period;
  for (const SampleInstant& instant : cycle.instants) shortest = std::min(shortest, instant.wait);
  return shortest;
}

}  // namespace

CycleMap makeCycleMap(const SampledBlocks& blocks, const system::System& system,
                      const LinearModel& linear, const system::State& state) {
  CycleMap result;
  if (isRefused(linear, result)) return result;
  std::vector<bool> isUsed(system.clocks().size(), false);
  for (const int element : blocks.elements) isUsed[blocks.set->block(element).clock()] = true;
  SampleCycle cycle = makeSampleCycle(system.clocks(), isUsed);
  result.period = cycle.period;
  if (!cycle.trouble.empty()) {
    result.trouble = cycle.trouble;
    result.hint = "choose periods with a simple ratio, such as 1 ms and 4 ms";
    return result;
  }
  std::vector<Part> parts = makeParts(blocks, linear, state);
  const std::vector<DelayLine> lines = insertDelays(parts, system, linear, cycle, result);
  if (!result.trouble.empty()) return result;
  const SampledMap map(std::move(parts), lines, system, linear, findShortestWait(cycle));
  if (!map.machine().ok) {
    result.trouble = map.machine().trouble;
    result.hint = map.machine().hint;
    return result;
  }
  multiplyInstants(map, cycle, result);
  if (!result.first.allFinite() || !result.rest.allFinite()) {
    result.trouble = "the machine moves too fast to be followed from one sample to the next";
    result.hint = "sample more often, or let the fastest motions decay";
    return result;
  }
  result.unknowns = map.makeUnknowns();
  result.A = map.machine().A;
  result.settled = map.machine().settled;
  return result;
}

}  // namespace flexloop::analysis
