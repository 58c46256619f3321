// The increment of a time step, and what a change of it does to the nodes at its end (docs/theory/03_nodes.md, section
// 3.5).
#pragma once

#include <vector>

#include "system/node.hpp"

namespace flexloop::system {

struct StepIncrement {
  const Eigen::VectorXd& expected;  // the part that is known before the step is solved (3.9)
  const Eigen::VectorXd& total;
  // By node, the centre of mass in its axes, whose moves the translations are; empty where all are zero.
  const std::vector<Vec3<double>>& centres;

  Vec3<double> centre(int node) const {
    return centres.empty() ? Vec3<double>(Vec3<double>::Zero()) : centres[node];
  }
};

// T of the step; see calcStepTangent.
Mat6<double> calcStepTangent(const Node& node, int index, const StepIncrement& dq);

// What the centre of mass adds to the derivatives of a step (3.11).
void addCentre(const Vec3<double>& centre, const Vec6<double>& twist, const Vec6<double>& twistRate,
               TwistDerivatives& derivatives);

}  // namespace flexloop::system
