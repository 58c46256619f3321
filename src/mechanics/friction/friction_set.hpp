// A set of frictions as constraints that come and go: elements of one type, and the branches on which they are.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechanics/friction/coordinate_friction.hpp"
#include "system/elements.hpp"
#include "system/switching.hpp"

namespace flexloop::mechanics {

// The coordinate with its derivatives along a motion, and the sum of the terms of its rate.
struct CoordinateReading {
  double value = 0.0, rate = 0.0, acceleration = 0.0, rateSize = 0.0;
  double size = 0.0;  // of the terms of the value
};

template <class Coordinate>
CoordinateReading readCoordinate(const JointFrames<double>& frames, const Thread<double>& thread,
                                 const system::Motion& motion,
                                 const std::array<system::NodeIndex, 2>& nodes, double target) {
  using math::Taylor2;
  const auto local =
      system::gatherLocal<0>(motion, nodes, std::array<system::UnknownIndex, 0>{}, 0);
  system::Local<Taylor2, 2, 0> along;
  system::seedTime(local, along);
  const auto flow = calcRelative<Taylor2, double>(frames, along.frame[0], along.frame[1]);
  const Taylor2 gap = calcGap<Coordinate, Taylor2, double>(flow, thread, Taylor2(target));
  const auto relative = calcRelative<double, double>(frames, local.frame[0], local.frame[1]);
  const math::Vec6<double> G = Coordinate::calcGradient(relative);
  const math::Vec6<double> none = math::Vec6<double>::Zero();
  const auto first = calcRelativeTwist<double, double>(frames, relative, local.twist[0], none);
  const auto second = calcRelativeTwist<double, double>(frames, relative, none, local.twist[1]);
  const double size = G.cwiseAbs().dot(first.cwiseAbs() + second.cwiseAbs());
  const double place = local.frame[0].x.norm() + local.frame[1].x.norm();
  return {target + gap.value, gap.first, gap.second, size, Coordinate::kTurns ? 1.0 : place};
}

template <class Coordinate, int Reactions>
class FrictionSet final : public system::ElementSet,
                          public system::Switching,
                          public system::MeasuredForces {
 public:
  using Friction = CoordinateFriction<Coordinate, Reactions>;
  using Parameters = typename Friction::template Parameters<double>;

  int add(std::string name, const std::array<system::NodeIndex, 2>& nodes,
          const std::array<system::UnknownIndex, 2 + Reactions>& scalars,
          const Parameters& parameters, int history) {
    return elements_.add(std::move(name), nodes, scalars, parameters, history);
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

  int switches() const override { return size(); }
  std::string switchName(int k) const override { return "friction of " + name(k); }
  bool isStop(int) const override { return false; }
  system::UnknownIndex multiplier(int k) const override { return scalar(k, 1); }
  double restitution(int) const override { return 0.0; }
  Branch branch(int k, const std::vector<double>& history) const override {
    return static_cast<Branch>(std::lround(history[historyOffset(k) + kBranchSlot]));
  }
  void setBranch(int k, Branch branch, const system::Motion& motion,
                 system::State& state) const override {
    double* history = state.history.data() + historyOffset(k);
    history[kBranchSlot] = static_cast<double>(branch);
    if (branch == Branch::kClosed) {
      history[kStuckSlot] = readAt(k, motion, history[kStuckSlot]).value;
    }
  }
  system::SwitchReading read(int k, const system::Motion& motion,
                             const system::Environment& environment) const override {
    const CoordinateReading q = readAt(k, motion, motion.history[historyOffset(k) + kStuckSlot]);
    const FrictionLaw<double>& law = elements_.parameters(k).law;
    const double scale = environment.constraintScale;
    std::array<double, Reactions> load;
    for (int i = 0; i < Reactions; ++i) load[i] = scale * motion.value[scalar(k, 2 + i).value];
    const double pressed = Reactions == 0 ? 1.0 : calcSize(load);
    const bool sticks = motion.history[historyOffset(k) + kBranchSlot] > kAlmostStuck;
    const double held = sticks ? scale * motion.value[scalar(k, 1).value] : 0.0;
    const double force = motion.value[scalar(k, 0).value] + held;
    const double limit = law.held * law.arm * pressed;
    return {q.value, q.rate, q.acceleration, q.rateSize, force, limit, sticks, q.size};
  }

 private:
  CoordinateReading readAt(int k, const system::Motion& motion, double target) const {
    const Parameters& p = elements_.parameters(k);
    return readCoordinate<Coordinate>(p.frames, p.thread, motion, {node(k, 0), node(k, 1)}, target);
  }

  system::Elements<Friction> elements_;
};

}  // namespace flexloop::mechanics
