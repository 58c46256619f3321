// Watches that nodes that slide along beams stay on them.
#pragma once

#include <string>
#include <vector>

#include "system/bounded.hpp"
#include "system/element_set.hpp"

namespace flexloop::mechanics {

// A set whose elements act on nothing.
class GuideEnds final : public system::ElementSet, public system::Bounded {
 public:
  struct Guide {
    std::string name, node, beam;
    system::UnknownIndex position;  // q
    double lower = 0.0, upper = 0.0;
  };

  void add(Guide guide) { guides_.push_back(std::move(guide)); }

  std::optional<base::Failure> findFault(const system::State& state) const override;

  std::string_view type() const override { return "ends of guides"; }
  int size() const override { return static_cast<int>(guides_.size()); }
  const std::string& name(int element) const override { return guides_[element].name; }
  int scalars(int) const override { return 0; }
  system::UnknownIndex scalar(int, int) const override { return {}; }
  bool usesRate() const override { return false; }
  bool usesAcceleration() const override { return false; }
  bool couples(int, int, int) const override { return false; }
  void addResidual(const system::Motion&, const system::Environment&,
                   system::ResidualSums&) const override {}
  void calcResidual(const system::Motion&, const system::Environment&, int,
                    Eigen::VectorXd& local) const override {
    local.resize(0);
  }
  void calcTangents(const system::Motion&, const system::Environment&, int,
                    system::Tangents&) const override {}
  void addTimeDerivatives(const system::Motion&, const system::Environment&,
                          system::TimeDerivatives&) const override {}

 private:
  std::vector<Guide> guides_;
};

}  // namespace flexloop::mechanics
