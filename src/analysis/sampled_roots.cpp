#include "analysis/sampled_roots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/LU>

#include "analysis/delay_line.hpp"
#include "analysis/identification.hpp"
#include "analysis/sample_cycle.hpp"
#include "control/block_set.hpp"
#include "linalg/held_machine.hpp"
#include "linalg/multipliers.hpp"
#include "linalg/real_eigenpairs.hpp"

namespace flexloop::analysis {
namespace {

using control::Block;
using control::BlockSet;
using Eigen::MatrixXd;

// What is below this share of the largest entry does not take part in a motion without resistance.
constexpr double kNoPart = 1e-4;
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

// (25.6) for x⁺ = A x + B u, y = C x + D u: all is done in the first move.
control::SamplePartials makePartials(const control::BoxRealization& box) {
  const Eigen::Index n = box.states(), p = box.D.rows(), m = box.D.cols();
  control::SamplePartials partials;
  partials.sample.setZero(n + p, n + p + m);
  partials.sample.leftCols(n) << box.A, box.C;
  partials.sample.rightCols(m) << box.B, box.D;
  partials.update.setIdentity(n + p, n + p + m);
  partials.output.setZero(p, n + p);
  partials.output.rightCols(p).setIdentity();
  return partials;
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

  // The unknowns of the pencil for z.
  Eigen::VectorXcd calcUnknowns(const Eigen::VectorXcd& z) const {
    return machine_.V * z.head(states()) + machine_.W * (H_ * z.tail(memory_)).eval();
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

// (25.9) from just after the first instant of a cycle to just after that of the next, Psi = first · rest. What the
// first instant does not ask for, such as the old outputs of its blocks, is left out of Psi before rounding can touch
// its multipliers of zero (25.14).
struct CycleMap {
  MatrixXd Psi;     // of what it asks for
  MatrixXd first;   // from there to all of z, just after the first instant
  int dropped = 0;  // multipliers of zero

  CycleMap(const SampledMap& map, const SampleCycle& cycle) {
    const std::size_t count = cycle.instants.size();
    MatrixXd rest = MatrixXd::Identity(map.size(), map.size());
    std::map<double, MatrixXd> flows;
    for (std::size_t i = 0; i < count; ++i) {
      const double wait = cycle.instants[i].wait;
      if (!flows.contains(wait)) flows[wait] = map.makeFlow(wait);
      rest = flows[wait] * rest;
      if (i + 1 < count) rest = map.makeInstant(cycle.instants[i + 1]) * rest;
    }
    first = map.makeInstant(cycle.instants[0]);
    std::vector<int> asked;
    for (int k = 0; k < map.size(); ++k) {
      if (!first.col(k).isZero(0.0)) asked.push_back(k);
    }
    dropped = map.size() - static_cast<int>(asked.size());
    first = first(Eigen::all, asked).eval();
    Psi = rest(asked, Eigen::all) * first;
  }
};

int countAbove(const MatrixXd& A, double frequency) {
  int count = 0;
  for (const linalg::Eigenpair& pair : linalg::findRealEigenpairs(A)) {
    if (pair.value.imag() > frequency) ++count;
  }
  return count;
}

// What the method cannot do, with a remedy.
bool isRefused(const LinearModel& linear, SampledRoots& roots) {
  if (linear.pencil.size() > kLargest) {
    roots.trouble = "modes with sampled blocks are found for at most " + std::to_string(kLargest) +
                    " unknowns; these are " + std::to_string(linear.pencil.size());
    roots.hint =
        "use fewer elements, '--bodies rigid', or continuous blocks instead of sampled ones";
  }
  return !roots.trouble.empty();
}

std::vector<DelayLine> insertDelays(const std::vector<Part>& parts, const system::System& system,
                                    const LinearModel& linear, SampleCycle& cycle,
                                    SampledRoots& roots) {
  std::vector<SampledPorts> ports;
  for (const Part& part : parts) ports.push_back({part.clock, part.inputs, part.outputs});
  DelayLines delays = findDelayLines(linear, system, ports);
  roots.trouble = delays.trouble;
  roots.hint = delays.hint;
  if (!roots.trouble.empty()) return {};
  addDelayLines(delays.lines, cycle);
  roots.trouble = cycle.trouble;
  if (!roots.trouble.empty()) roots.hint = "give it a Padé approximation ('pade: 4')";
  return std::move(delays.lines);
}

}  // namespace

SampledBlocks findSampledBlocks(const system::System& system) {
  SampledBlocks blocks;
  blocks.set = control::findBlocks(system);
  if (blocks.set == nullptr) return blocks;
  for (const int element : blocks.set->sampled()) {
    if (!blocks.set->block(element).hasHiddenMemory()) blocks.elements.push_back(element);
  }
  return blocks;
}

SampledBlocks findSampledBlocks(const model::Model& model, const system::State& state) {
  SampledBlocks blocks = findSampledBlocks(model.system());
  if (blocks.set == nullptr) return blocks;
  for (const int element : blocks.set->sampled()) {
    const Block& block = blocks.set->block(element);
    if (!block.hasHiddenMemory() || !block.canGoBack()) continue;
    if (const auto box = realizeSamples(model, {blocks.set, element}, state)) {
      blocks.boxes[element] = makePartials(*box);
      blocks.elements.push_back(element);
    } else {
      blocks.warnings.push_back("black box '" + blocks.set->name(element) +
                                "' is no linear system from sample to sample; in the modes it "
                                "counts as continuous");
    }
  }
  return blocks;
}

std::vector<int> SampledBlocks::boxElements() const {
  std::vector<int> found;
  for (const auto& [element, partials] : boxes) found.push_back(element);
  return found;
}

SampledRoots findSampledRoots(const SampledBlocks& blocks, const system::System& system,
                              const LinearModel& linear, const system::State& state) {
  SampledRoots roots;
  if (isRefused(linear, roots)) return roots;
  std::vector<bool> isUsed(system.clocks().size(), false);
  for (const int element : blocks.elements) isUsed[blocks.set->block(element).clock()] = true;
  SampleCycle cycle = makeSampleCycle(system.clocks(), isUsed);
  if (!cycle.trouble.empty()) {
    roots.trouble = cycle.trouble;
    roots.hint = "choose periods with a simple ratio, such as 1 ms and 4 ms";
    return roots;
  }
  std::vector<Part> parts = makeParts(blocks, linear, state);
  const std::vector<DelayLine> lines = insertDelays(parts, system, linear, cycle, roots);
  if (!roots.trouble.empty()) return roots;
  double shortestWait = cycle.period;
  for (const SampleInstant& instant : cycle.instants) {
    shortestWait = std::min(shortestWait, instant.wait);
  }
  const SampledMap map(std::move(parts), lines, system, linear, shortestWait);
  if (!map.machine().ok) {
    roots.trouble = map.machine().trouble;
    roots.hint = map.machine().hint;
    return roots;
  }
  const CycleMap cycleMap(map, cycle);
  if (!cycleMap.Psi.allFinite()) {
    roots.trouble = "the machine moves too fast to be followed from one sample to the next";
    roots.hint = "sample more often, or let the fastest motions decay";
    return roots;
  }
  const linalg::Multipliers multipliers = linalg::findMultipliers(cycleMap.Psi);
  roots.cycle = {cycle.period, multipliers.zeros + cycleMap.dropped + map.machine().settled,
                 countAbove(map.machine().A, std::numbers::pi / cycle.period)};
  for (const linalg::Multiplier& multiplier : multipliers.found) {
    Eigen::VectorXcd u = map.calcUnknowns(cycleMap.first * multiplier.vector);
    if (multiplier.exponent == 0.0) {
      const double smallest = kNoPart * u.cwiseAbs().maxCoeff();
      u = (u.array().abs() < smallest).select(0.0, u).eval();
    }
    roots.pairs.push_back({multiplier.exponent / cycle.period, std::move(u), multiplier.residual});
  }
  return roots;
}

}  // namespace flexloop::analysis
