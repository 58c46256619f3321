// A black box that gives x' = f(t, x, u) and y = h(t, x, u), whose states are unknowns of the machine
// (docs/theory/16_sampled_blocks.md, section 16.6).
#pragma once

#include <optional>

#include "base/result.hpp"
#include "control/blocks/block.hpp"
#include "control/blocks/steep_states.hpp"
#include "control/boxes/box_point.hpp"
#include "control/boxes/box_runner.hpp"

namespace flexloop::control {

class NonlinearBox final : public Block, public SteepStates {
 public:
  // Without feedthrough the outputs depend on the states alone.
  NonlinearBox(BoxRunner runner, bool hasFeedthrough);

  BlockSize size() const override;
  bool uses(int row, int column) const override;
  void calc(const BlockPorts<double>& p) const override;
  void calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const override;
  void calcAlong(const BlockPorts<math::Taylor2>& p) const override;
  std::optional<base::Failure> fault() const override { return runner_.fault(); }

 private:
  void evaluateAlong(const BlockPorts<math::Taylor2>& p) const;
  void checkFeedthrough(Eigen::MatrixXd& J) const;
  void readJacobian(const BlockPorts<double>& p, Eigen::MatrixXd& J) const;
  void calcDifferences(const BlockPorts<double>& p, Eigen::MatrixXd& J) const;

  mutable BoxRunner runner_;
  int states_, inputs_, outputs_;
  bool hasFeedthrough_;
  mutable std::vector<double> results_;  // f and h, one behind the other
  mutable std::vector<BoxTrial> trials_;
  // The last questions and their answers; that of calc is in results_.
  mutable BoxPoint lastPoint_, lastPartialsPoint_, lastAlongPoint_;
  mutable Eigen::MatrixXd lastPartials_;
  mutable std::vector<math::Taylor2> lastAlong_;
  mutable std::vector<double> flatStates_, flatInputs_;
};

}  // namespace flexloop::control
