// Blocks: what connects sensors with actuators (docs/theory/12_blocks.md). A block has inputs u,
// states x and outputs y,
//
//     (12.1)  x' = f(t, x, u),   y = h(t, x, u)
//
// and may remember things from one accepted step or sample to the next. It states f and h once, as a
// template on the scalar type; partial derivatives (Dual) and derivatives along the motion (Taylor2)
// follow from the same lines:
//
//   class Gain final : public BlockOf<Gain> {
//    public:
//     BlockSize size() const override { return {.inputs = 1, .outputs = 1}; }
//     template <class S>
//     void evaluate(const BlockPorts<S>& p) const { p.y[0] = gain_ * p.u[0]; }
//   };
//
// That a block is an element of the one residual is done once for all blocks, in BlockSet.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "math/dual.hpp"
#include "math/taylor.hpp"

namespace flexloop::control {

struct BlockSize {
  int inputs = 1, states = 0, outputs = 1;
  int memory = 0;          // numbers that the block remembers
  bool hasRecord = false;  // and a list of numbers whose length changes
};

// What a block sees, and where it writes f (dx) and h (y).
template <class S>
struct BlockPorts {
  S t;
  std::span<const S> x, u;
  const double* memory = nullptr;
  const std::vector<double>* record = nullptr;
  std::span<S> dx, y;
};

// What a block remembers, to be changed.
struct BlockMemory {
  double* memory = nullptr;
  std::vector<double>* record = nullptr;
};

class Block {
 public:
  virtual ~Block() = default;
  virtual BlockSize size() const = 0;

  virtual void calc(const BlockPorts<double>& ports) const = 0;
  // J = ∂(f, h)/∂(x, u), of the right size and zero before.
  virtual void calcPartials(const BlockPorts<double>& ports, Eigen::MatrixXd& J) const = 0;
  // Time derivatives, from those of x, u and t.
  virtual void calcAlong(const BlockPorts<math::Taylor2>& ports) const = 0;
  // Whether J may have an entry there. An entry that is never there is worth saying: where no output
  // uses an input, there is no algebraic loop.
  virtual bool uses(int row, int column) const {
    (void)row;
    (void)column;
    return true;
  }

  // Whether the output follows from the time and the inputs alone, and from the time indeed.
  virtual bool isFormulaOfTime() const { return false; }

  // Whether an input that jumps lets an output jump at the same instant, where the output uses it. A
  // delay uses its input within a step, but lets a jump pass later.
  virtual bool jumpsWithInputs() const { return true; }

  // [s] of a block whose one output is its one input as it was that long ago, exactly; its partials
  // say nothing of that, and linear analyses ask here. Zero: no delay.
  virtual double delay() const { return 0.0; }

  // After every accepted step: what is worth remembering of it.
  virtual void remember(const BlockPorts<double>& ports, BlockMemory memory) const {
    (void)ports;
    (void)memory;
  }

  // Lets the past be as the present for all time.
  virtual void forgetPast(BlockMemory memory) const { (void)memory; }

  // Branches: see system::Branching.
  virtual int indicators() const { return 0; }
  virtual bool isLocated() const { return true; }
  virtual void calcIndicators(const BlockPorts<double>& ports, double* values) const {
    (void)ports;
    (void)values;
  }
  virtual void switchBranches(const BlockPorts<double>& ports, BlockMemory memory) const {
    (void)ports;
    (void)memory;
  }

  // At rest (docs/theory/26_rest_of_controllers.md) an equilibrium is found on the branches as they
  // are, and each block is asked whether its branch fits what was found. `beginRest` chooses a branch where
  // none is set yet; `settleAtRest` goes to the branch that fits; `endRest` makes what is remembered that
  // of a block which has been at rest for all time.
  virtual void beginRest(const BlockPorts<double>& ports, BlockMemory memory) const {
    (void)ports;
    (void)memory;
  }
  virtual void settleAtRest(const BlockPorts<double>& ports, BlockMemory memory) const;
  virtual void endRest(const BlockPorts<double>& ports, BlockMemory memory) const {
    (void)ports;
    (void)memory;
  }

  // The slope that linear analyses take for the one output over the one input, in place of that of the
  // branch, which says nothing of a staircase. Zero: that of the branch.
  virtual double meanSlope() const { return 0.0; }
  // Puts the block on its mean line, with the mean slope; for rests that no branch has.
  virtual void takeMeanLine(BlockMemory memory) const { (void)memory; }

  // Sampled blocks have a clock (an index of the system) and act at its instants only: `sample` puts
  // the outputs into the memory, from which `calc` reads them, and `updateSample` follows when the
  // outputs of all sampled blocks are there.
  virtual int clock() const { return -1; }
  // Whether `sample` reads the inputs of this very instant.
  virtual bool samplesInputs() const { return true; }
  virtual void sample(const BlockPorts<double>& ports, BlockMemory memory) const {
    (void)ports;
    (void)memory;
  }
  virtual void updateSample(const BlockPorts<double>& ports, BlockMemory memory) const {
    (void)ports;
    (void)memory;
  }

  // Whether a sampled block remembers things elsewhere than in numbers of its memory, as the code of
  // others does: it cannot be varied number by number.
  virtual bool hasHiddenMemory() const { return false; }
  // Black boxes: what they do is seen by calling them only, by `sample` if they have a clock and by
  // `remember` otherwise.
  virtual bool isBox() const { return false; }
  // Whether a call with a copy of the memory leaves no trace.
  virtual bool canGoBack() const { return true; }

  // See system::Foreign.
  virtual std::optional<base::Failure> fault() const { return std::nullopt; }
};

inline void Block::settleAtRest(const BlockPorts<double>& ports, BlockMemory memory) const {
  std::vector<double> values(indicators(), 0.0);
  calcIndicators(ports, values.data());
  const bool fits = std::all_of(values.begin(), values.end(), [](double g) { return g >= 0.0; });
  if (!fits) switchBranches(ports, memory);
}

// A block that states its equations as evaluate<S>.
template <class B>
class BlockOf : public Block {
 public:
  void calc(const BlockPorts<double>& ports) const override {
    self().template evaluate<double>(ports);
  }

  void calcAlong(const BlockPorts<math::Taylor2>& ports) const override {
    self().template evaluate<math::Taylor2>(ports);
  }

  void calcPartials(const BlockPorts<double>& ports, Eigen::MatrixXd& J) const override {
    using D = math::Dual<kDirections>;
    const int states = static_cast<int>(ports.x.size());
    const int columns = states + static_cast<int>(ports.u.size());
    std::vector<D> in(columns), out(J.rows());
    for (int first = 0; first < columns; first += kDirections) {
      const int last = std::min(first + kDirections, columns);
      for (int c = 0; c < columns; ++c) {
        const double value = c < states ? ports.x[c] : ports.u[c - states];
        in[c] = c >= first && c < last ? D::variable(value, c - first) : D(value);
      }
      const std::span<const D> values(in);
      const std::span<D> results(out);
      self().template evaluate<D>({D(ports.t), values.first(states), values.subspan(states),
                                   ports.memory, ports.record, results.first(states),
                                   results.subspan(states)});
      for (int c = first; c < last; ++c) {
        for (int r = 0; r < J.rows(); ++r) J(r, c) = out[r].d[c - first];
      }
    }
  }

 private:
  static constexpr int kDirections = 4;

  const B& self() const { return static_cast<const B&>(*this); }
};

}  // namespace flexloop::control
