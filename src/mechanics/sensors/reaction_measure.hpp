// The force or torque of a joint, or of a spring whose elements are not known by type, as a measure.
#pragma once

#include <vector>

#include "mechanics/joints/reaction.hpp"
#include "system/measure.hpp"

namespace flexloop::mechanics {

class ReactionMeasure final : public system::Measure {
 public:
  explicit ReactionMeasure(const Reaction& reaction) : reaction_(reaction) {}
  // Only the component along a direction, in the same axes.
  void setDirection(const math::Vec3<double>& direction);

  std::vector<std::string> components() const override;
  void calcValue(const system::Motion& motion, double* value) const override;
  void calcRate(const system::Motion& motion, double* rate) const override;
  // Multipliers have no rate.
  bool hasRate() const override { return reaction_.scalars() == 0 && reaction_.canBeSignal(); }
  bool addSignal(const system::SignalRequest& request, system::Builder& builder) const override;

 private:
  void store(const math::Vec3<double>& v, double* to) const;

  Reaction reaction_;
  math::Vec3<double> direction_ = math::Vec3<double>::Zero();
  bool projected_ = false;
};

}  // namespace flexloop::mechanics
