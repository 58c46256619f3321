// A black box that gives x' = f(t, x, u) and y = h(t, x, u), whose states are unknowns of the machine
// (docs/theory/16_sampled_blocks.md, section 16.6).
#pragma once

#include "control/block.hpp"
#include "control/box_runner.hpp"

namespace flexloop::control {

class NonlinearBox final : public Block {
 public:
  // Without feedthrough the outputs depend on the states alone.
  NonlinearBox(BoxRunner runner, bool hasFeedthrough);

  BlockSize size() const override;
  bool uses(int row, int column) const override;
  void calc(const BlockPorts<double>& p) const override;
  void calcPartials(const BlockPorts<double>& p, Eigen::MatrixXd& J) const override;
  void calcAlong(const BlockPorts<math::Taylor2>& p) const override;
  std::string fault() const override { return runner_.fault(); }

 private:
  // f and h, one behind the other.
  void evaluate(double t, std::span<const double> x, std::span<const double> u,
                std::span<double> results) const;
  void readJacobian(const BlockPorts<double>& p, Eigen::MatrixXd& J) const;
  void calcDifferences(const BlockPorts<double>& p, Eigen::MatrixXd& J) const;

  mutable BoxRunner runner_;
  int states_, inputs_, outputs_;
  bool hasFeedthrough_;
};

}  // namespace flexloop::control
