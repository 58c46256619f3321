// One instant of sampled blocks and the time until the next, as linear maps (docs/theory/25_delays_and_samples.md):
//
//     z = (x, m),    z⁺ = S z⁻ + J e    at an instant,    z⁻ = Φ z⁺    until the next.            (25.7), (25.8)
//
// x are the states of the machine and m is all that blocks and delays remember. e is what inputs add to the signals that
// are read; only responses need it.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/linear_model.hpp"
#include "analysis/sampled/delay_line.hpp"
#include "analysis/sampled/sample_cycle.hpp"
#include "analysis/sampled/sampled_blocks.hpp"
#include "base/result.hpp"
#include "linalg/state_space/held_machine.hpp"

namespace flexloop::analysis {

// A sampled block. Its inputs and outputs are unknowns of the pencil.
struct SampledPart {
  int clock = 0, level = 0;
  std::vector<int> inputs{}, outputs{};
  control::SamplePartials partials{};  // by the kept numbers of the memory
};

// The blocks with the instants at which they and the delays beside them act.
struct Sampling {
  std::optional<base::Failure> failure;
  SampleCycle cycle;
  std::vector<SampledPart> parts;
  std::vector<DelayLine> lines;

  double shortestWait() const;
  std::vector<SampledPorts> ports() const;
};

// At least one block. The linear model is that of the closed loop about the state, with the outputs of black boxes among
// the blocks held.
Sampling makeSampling(const SampledBlocks& blocks, const system::System& system,
                      const LinearModel& linear, const system::State& state);

// A signal that its readers see otherwise. What the pencil reads has been taken out of it.
struct SampledCut {
  int unknown = -1;  // of the pencil; -1: nothing is cut
  // Where the input is held as well: it changes at instants of these clocks, and goes into the pencil with this column.
  bool isHeld = false;
  std::vector<bool> clocks{};
  Eigen::VectorXd readers{};
};

class SampledMap {
 public:
  // `withInputs`: instants have J too.
  SampledMap(const Sampling& sampling, const system::System& system, const LinearModel& linear,
             const linalg::QuadraticPencil& pencil, const SampledCut& cut, bool withInputs);

  const linalg::HeldMachine& machine() const { return machine_; }
  int size() const { return states() + memory_; }
  int held() const { return outputs_; }

  // Columns of the pencil by which held outputs act, those of blocks, then of delays, then the cut.
  const Eigen::MatrixXd& heldColumns() const { return F_; }
  // Held outputs by z.
  Eigen::MatrixXd heldValues() const;
  // Unknowns that are read; e has one row for each, then one for the cut: what is read instead of it, or what is held.
  const std::vector<int>& reads() const { return reads_; }
  int inputs() const { return withInputs_ ? static_cast<int>(reads_.size()) + 1 : 0; }

  Eigen::MatrixXd makeFlow(double duration) const;
  // [S J]
  Eigen::MatrixXd makeInstant(const SampleInstant& instant) const;
  // Unknowns of the pencil by z.
  Eigen::MatrixXd makeUnknowns() const;
  Eigen::RowVectorXd makeUnknown(int unknown) const;

 private:
  struct Line {
    DelayLine line{};
    int memory = 0, output = 0;
    int read = 0;
  };
  struct Part {
    SampledPart part{};
    int memory = 0, output = 0;  // where they start among those of all parts
    std::vector<int> reads{};
  };
  // Signals that are read during an instant.
  struct Moment {
    Eigen::MatrixXd m, before, signals;
  };

  int states() const { return static_cast<int>(machine_.A.rows()); }
  int readOf(int unknown);
  void placeMemory(const Sampling& sampling);
  void findColumns(const linalg::QuadraticPencil& pencil);
  void findJumps(const system::System& system, const LinearModel& linear,
                 const linalg::QuadraticPencil& pencil);
  Moment begin() const;
  Eigen::MatrixXd calcSignals(const Moment& moment) const;
  void advance(const SampleInstant& instant, int level, Eigen::MatrixXd control::SamplePartials::*J,
               Moment& moment) const;
  void passLines(const SampleInstant& instant, bool isHeld, Moment& moment) const;
  void setCut(const SampleInstant& instant, Moment& moment) const;

  std::vector<Part> parts_;
  std::vector<Line> lines_;
  SampledCut cut_;
  bool withInputs_;
  int cutMemory_ = -1, cutLevel_ = -1;
  std::vector<int> reads_;
  int memory_ = 0, outputs_ = 0, levels_ = 0;
  Eigen::MatrixXd F_, H_, jumps_;  // jumps of the signals that are read
  linalg::HeldMachine machine_;
};

}  // namespace flexloop::analysis
