// A set of rigid stops as constraints that come and go.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechanics/contacts/coordinate_stop.hpp"
#include "mechanics/friction/friction_set.hpp"
#include "system/elements.hpp"
#include "system/switching.hpp"

namespace flexloop::mechanics {

template <class Coordinate>
class StopSet final : public system::ElementSet,
                      public system::Switching,
                      public system::Remembering,
                      public system::MeasuredForces {
 public:
  using Stop = RigidStop<Coordinate>;
  using Parameters = typename Stop::template Parameters<double>;

  int add(std::string name, const std::array<system::NodeIndex, 2>& nodes,
          system::UnknownIndex force, const Parameters& parameters, int history) {
    return elements_.add(std::move(name), nodes, {force}, parameters, history);
  }
  int historyOffset(int element) const { return elements_.historyOffset(element); }

  std::string_view type() const override { return elements_.type(); }
  int size() const override { return elements_.size(); }
  const std::string& name(int e) const override { return elements_.name(e); }
  int nodes(int e) const override { return elements_.nodes(e); }
  int scalars(int e) const override { return elements_.scalars(e); }
  system::NodeIndex node(int e, int k) const override { return elements_.node(e, k); }
  system::UnknownIndex scalar(int e, int k) const override { return elements_.scalar(e, k); }
  bool usesRate() const override { return elements_.usesRate(); }
  bool usesAcceleration() const override { return elements_.usesAcceleration(); }
  bool couples(int e, int row, int column) const override {
    return elements_.couples(e, row, column);
  }
  void addResidual(const system::Motion& motion, const system::Environment& environment,
                   system::ResidualSums& sums) const override {
    elements_.addResidual(motion, environment, sums);
  }
  void calcResidual(const system::Motion& motion, const system::Environment& environment, int e,
                    Eigen::VectorXd& local) const override {
    elements_.calcResidual(motion, environment, e, local);
  }
  void calcTangents(const system::Motion& motion, const system::Environment& environment, int e,
                    system::Tangents& tangents) const override {
    elements_.calcTangents(motion, environment, e, tangents);
  }
  void addTimeDerivatives(const system::Motion& motion, const system::Environment& environment,
                          system::TimeDerivatives& derivatives) const override {
    elements_.addTimeDerivatives(motion, environment, derivatives);
  }
  void calcForceJets(const system::Motion& motion, const system::Environment& environment, int e,
                     const system::JetSeeds& seeds,
                     std::array<math::Jet, 12>& forces) const override {
    elements_.calcForceJets(motion, environment, e, seeds, forces);
  }
  void updateHistory(const system::Motion& motion, system::State& state) const override {
    elements_.updateHistory(motion, state);
  }

  int switches() const override { return size(); }
  std::string switchName(int k) const override { return "limit " + name(k); }
  bool isStop(int) const override { return true; }
  double restitution(int k) const override { return elements_.parameters(k).restitution; }
  system::UnknownIndex multiplier(int k) const override { return scalar(k, 0); }
  Branch branch(int k, const std::vector<double>& history) const override {
    return static_cast<Branch>(std::lround(history[historyOffset(k) + kTouchSlot]));
  }
  void setBranch(int k, Branch branch, const system::Motion&, system::State& state) const override {
    state.history[historyOffset(k) + kTouchSlot] = static_cast<double>(branch);
  }
  system::SwitchReading read(int k, const system::Motion& motion,
                             const system::Environment& environment) const override {
    const StopPlace<double>& place = elements_.parameters(k).place;
    const double angle = motion.history[historyOffset(k) + kLimitAngleSlot];
    const CoordinateReading q =
        readCoordinate<Coordinate>(place.frames, {}, motion, {node(k, 0), node(k, 1)}, angle);
    const bool isTouched = motion.history[historyOffset(k) + kTouchSlot] > kAlmostTouched;
    const double lambda = environment.constraintScale * motion.value[scalar(k, 0).value];
    return {place.side * (q.value - place.bound),
            place.side * q.rate,
            place.side * q.acceleration,
            q.rateSize,
            isTouched ? -lambda : 0.0,
            0.0,
            isTouched,
            q.size + std::abs(place.bound)};
  }

 private:
  system::Elements<Stop> elements_;
};

}  // namespace flexloop::mechanics
