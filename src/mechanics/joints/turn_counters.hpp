// Those who count the turns of joints and nodes (docs/theory/06_joints.md, section 6.6). Springs, drives,
// threads and measures read what they remember.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechanics/joints/joint_coordinate.hpp"
#include "system/element_roles.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::mechanics {

// A set whose elements act on nothing and only remember.
class CounterSet : public system::ElementSet,
                   public system::Remembering,
                   public system::TurnCounting {
 public:
  int scalars(int) const override { return 0; }
  bool usesRate() const override { return false; }
  bool usesAcceleration() const override { return false; }
  bool couples(int, int, int) const override { return false; }
  system::UnknownIndex scalar(int, int) const override { return {}; }
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
};

// Angles of joints about their axes, `kTurnSlots` numbers each.
class AngleCounters final : public CounterSet {
 public:
  struct Counter {
    std::string name;
    std::array<system::NodeIndex, 2> nodes;
    JointFrames<double> frames;
    int history = 0;
    // What prescribes the angle, if anything does: a thread above all, a signal, or a number.
    Thread<double> thread;
    std::optional<system::UnknownIndex> drive;
    std::optional<double> lock;
    // Further places of the history that hold the same, for elements that read several angles.
    std::vector<int> copies{};
  };

  int add(Counter counter);
  Counter& at(int element) { return counters_[element]; }

  std::string_view type() const override { return "turns"; }
  int size() const override { return static_cast<int>(counters_.size()); }
  const std::string& name(int element) const override { return counters_[element].name; }
  void updateHistory(const system::Motion& motion, system::State& state) const override;
  void advance(const system::Move& move, system::State& to) const override;
  void start(system::State& state) const override;

 private:
  static void copy(const Counter& counter, system::State& state);

  std::vector<Counter> counters_;
};

// Rotation vectors of nodes since the start, in ground axes, three numbers each (8.11).
class RotationCounters final : public CounterSet {
 public:
  struct Counter {
    std::string name;
    system::NodeIndex node;
    math::Mat3<double> R0;  // at the start
    int history = 0;
  };

  void add(Counter counter) { counters_.push_back(std::move(counter)); }

  std::string_view type() const override { return "rotation turns"; }
  int size() const override { return static_cast<int>(counters_.size()); }
  const std::string& name(int element) const override { return counters_[element].name; }
  void updateHistory(const system::Motion& motion, system::State& state) const override;
  void advance(const system::Move& move, system::State& to) const override;
  void start(system::State&) const override {}

 private:
  std::vector<Counter> counters_;
};

}  // namespace flexloop::mechanics
