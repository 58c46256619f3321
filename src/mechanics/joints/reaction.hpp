// What a joint or a spring does to its second node (docs/theory/17_sensors_and_actuators.md, section
// 17.2). Its elements add f = (f; m) to the residual of the node, where forces stand with the opposite
// sign, so in node axes the force on the node and the torque about the point p are
//
//     (17.3)  b = −f,   b = p × f − m,      and in the axes of another node   g = R_xᵀ R b
#pragma once

#include <vector>

#include "math/taylor.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {

class Reaction {
 public:
  enum class Part { kForce, kTorque };

  // Of all elements in `parts`, whose second node is `node`; components in the axes of node `axes`.
  Reaction(Part part, std::vector<system::Builder::Attachment> parts, system::NodeIndex node,
           const math::Vec3<double>& point, system::NodeIndex axes);

  // What it depends on: the two ends, the axes, and the scalars of all parts.
  system::NodeIndex node(int k) const;
  int scalars() const { return static_cast<int>(scalars_.size()); }
  system::UnknownIndex scalar(int k) const { return scalars_[k]; }
  // Whether all parts act between the same two nodes and tell their time derivatives.
  bool canBeSignal() const;

  math::Vec3<double> calc(const system::Motion& motion,
                          const system::Environment& environment) const;
  math::Vec3<math::Taylor2> calcAlong(const system::Motion& motion,
                                      const system::Environment& environment) const;
  // Subtracts the gradient of d·g from the last row of the tangents, whose columns are six for each
  // of the three nodes, then the scalars.
  void subtractGradient(const math::Vec3<double>& d, const system::Motion& motion,
                        const system::Environment& environment, system::Tangents& tangents) const;

 private:
  template <class S>
  math::Vec3<S> calcInBody(const math::Vec6<S>& f) const;
  math::Vec6<double> calcSum(const system::Motion& motion,
                             const system::Environment& environment) const;

  Part part_;
  std::vector<system::Builder::Attachment> parts_;
  system::NodeIndex node_, axes_;
  math::Vec3<double> point_;
  std::vector<system::UnknownIndex> scalars_;
  // By part, so that nothing is allocated.
  mutable std::vector<Eigen::VectorXd> residuals_;
  mutable std::vector<system::ResidualAlong> along_;
  mutable std::vector<system::Tangents> tangents_;
};

}  // namespace flexloop::mechanics
