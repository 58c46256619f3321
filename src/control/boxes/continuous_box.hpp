// A black box without a clock (docs/theory/16_sampled_blocks.md, section 16.5): its outputs are part of
// the one residual like those of any block, and its partial derivatives are found by perturbation.
#pragma once

#include "control/blocks/block.hpp"
#include "control/boxes/box_point.hpp"
#include "control/boxes/box_runner.hpp"

namespace flexloop::control {

// The record is, for a box whose memory can be saved: whether it has been called at the start, the
// time of the last call that counts, the step before it, and the memories before and after that call.
// For others, which must not have any memory, it is the last call: time, inputs, outputs.
class ContinuousBox final : public Block {
 public:
  explicit ContinuousBox(BoxRunner runner);

  // What the record is at the start, for a box with this memory.
  static std::vector<double> makeRecord(const std::vector<double>& memory);

  BlockSize size() const override;
  void calc(const BlockPorts<double>& p) const override;
  void calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const override;
  void calcAlong(const BlockPorts<math::Taylor2>& p) const override;
  void remember(const BlockPorts<double>& p, BlockMemory m) const override;
  // Whether a record, from a file, is one that the block may have made.
  bool isRecord(const std::vector<double>& record) const;

  // One branch: a box that has not been called at the start is called then, so that it can see the time
  // and the inputs with which everything begins.
  int indicators() const override { return runner_.canRestore() ? 1 : 0; }
  bool isLocated() const override { return false; }
  void calcIndicators(const BlockPorts<double>& p, double* values) const override;
  void switchBranches(const BlockPorts<double>& p, BlockMemory m) const override;

  bool isBox() const override { return true; }
  bool canGoBack() const override { return runner_.canRestore(); }
  std::string fault() const override { return runner_.fault(); }

 private:
  using Memory = std::span<const double>;  // of the box, as numbers

  // From which memory the box is to be called at a time; none if it cannot be restored.
  Memory memoryAt(double t, const std::vector<double>& record) const;
  bool callTwice(double t, std::span<const double> u, Memory memory, std::span<double> y) const;
  bool failForMemory() const;
  void evaluateAlong(const BlockPorts<math::Taylor2>& p, Memory memory) const;
  void advance(const BlockPorts<double>& p, std::vector<double>& record) const;
  void compare(const BlockPorts<double>& p, std::vector<double>& record) const;

  mutable BoxRunner runner_;
  // The last questions, with inputs and memory, and their answers.
  mutable BoxPoint lastPoint_, lastPartialsPoint_, lastAlongPoint_;
  mutable std::vector<double> last_;
  mutable Eigen::MatrixXd lastPartials_;
  mutable std::vector<math::Taylor2> lastAlong_;
  mutable bool isChecked_ = false;
  mutable std::vector<double> again_, flat_;
  mutable std::vector<BoxTrial> trials_;
};

}  // namespace flexloop::control
