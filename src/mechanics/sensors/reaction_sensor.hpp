// Forces and torques of joints as signals: r = y − d·g with g of (17.3). The local unknowns are the
// two ends of the joint, the node in whose axes g is given, the scalars of the joint's elements, and y.
#pragma once

#include <string>
#include <vector>

#include "mechanics/joints/reaction.hpp"

namespace flexloop::mechanics {

class ReactionSensorSet final : public system::ElementSet {
 public:
  void add(std::string name, const Reaction& reaction, const math::Vec3<double>& direction,
           system::UnknownIndex signal);

  std::string_view type() const override { return "sensor"; }
  int size() const override { return static_cast<int>(sensors_.size()); }
  int nodesPerElement() const override { return 3; }
  int scalars(int element) const override { return sensors_[element].reaction.scalars() + 1; }
  bool usesRate() const override { return true; }
  bool usesAcceleration() const override { return true; }
  // The machine does not feel that it is measured.
  bool couples(int element, int row, int) const override {
    return row == nodesPerElement() + scalars(element) - 1;
  }
  const std::string& name(int element) const override { return sensors_[element].name; }
  system::NodeIndex node(int element, int k) const override {
    return sensors_[element].reaction.node(k);
  }
  system::UnknownIndex scalar(int element, int k) const override;

  void addResidual(const system::Motion& motion, const system::Environment& environment,
                   system::ResidualSums& sums) const override;
  void calcResidual(const system::Motion& motion, const system::Environment& environment,
                    int element, Eigen::VectorXd& local) const override;
  void calcTangents(const system::Motion& motion, const system::Environment& environment,
                    int element, system::Tangents& tangents) const override;
  void addTimeDerivatives(const system::Motion& motion, const system::Environment& environment,
                          system::TimeDerivatives& derivatives) const override;

 private:
  struct Sensor {
    std::string name;
    Reaction reaction;
    math::Vec3<double> direction;
    system::UnknownIndex signal;
  };
  std::vector<Sensor> sensors_;
};

}  // namespace flexloop::mechanics
