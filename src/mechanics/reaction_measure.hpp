// What a joint or a spring does to its second node. The element adds f = (f; m) to the residual of
// the node, where forces stand with the opposite sign, so the force on the node and the torque
// about the point p (node axes) are, in ground axes,
//
//     (8.12)  F = −R f,   M = −R (m − p × f)
#pragma once

#include <vector>

#include "system/builder.hpp"
#include "system/measure.hpp"

namespace flexloop::mechanics {

class ReactionMeasure final : public system::Measure {
 public:
  enum class Part { kForce, kTorque };

  // Of all elements in `parts`, whose second node is `node`; components in the axes of node `axes`.
  ReactionMeasure(Part part, std::vector<system::Builder::Attachment> parts, system::NodeIndex node,
                  const math::Vec3<double>& point, system::NodeIndex axes);
  // Only the component along a direction, in the same axes.
  void setDirection(const math::Vec3<double>& direction);

  std::vector<std::string> components() const override;
  void calcValue(const system::Motion& motion, double* value) const override;
  void calcRate(const system::Motion& motion, double* rate) const override;
  // Multipliers have no rate, so only springs have one.
  bool hasRate() const override;
  bool addSignal(const system::SignalRequest& request, system::Builder& builder) const override;

 private:
  math::Vec3<double> calcInBody(const math::Vec6<double>& f) const;
  void store(const math::Vec3<double>& v, double* to) const;

  Part part_;
  std::vector<system::Builder::Attachment> parts_;
  system::NodeIndex node_, axes_;
  math::Vec3<double> point_, direction_ = math::Vec3<double>::Zero();
  bool projected_ = false;
};

}  // namespace flexloop::mechanics
