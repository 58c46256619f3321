// The constraints that come and go at one instant (docs/theory/32_friction.md, section 3, and 33_impacts.md): which of them are closed, so that forces and
// accelerations agree with the branches, and what impacts make of velocities. Positions stay as they are.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "solve/impact_friction.hpp"
#include "solve/prepared_machine.hpp"
#include "system/assembler.hpp"
#include "system/state.hpp"
#include "system/switching.hpp"

namespace flexloop::solve {

class SwitchSettlement {
 public:
  // The step is that by which events are located, and after which impacts that follow each other ever faster are over; zero at a start.
  SwitchSettlement(PreparedMachine& machine, const std::vector<system::Switch>& switches,
                   double step)
      : machine_(machine), switches_(switches), step_(step) {}

  // Whether one of them is no longer right, or has not been decided on yet.
  bool isDue(const system::State& state) const;
  // Chooses all branches; velocities, accelerations and forces follow. The machine has begun with the constraints that are then closed.
  [[nodiscard]] std::optional<base::Failure> settle(system::State& state);
  // Whether there was an impact.
  bool hasStruck() const { return hasStruck_; }

 private:
  using Branch = system::Switching::Branch;

  bool isTouching(const system::SwitchReading& now) const;
  bool isResting(const system::SwitchReading& now) const;
  void obeyCommands(system::State& state);
  // (33.3): the velocities after impacts on all stops that are touched.
  [[nodiscard]] bool strike(system::State& state);
  struct Blow {
    std::size_t which = 0;
    double before = 0.0;  // rate of the gap
    double restitution = 0.0;
    bool approaches = false;
    bool isPushed = false;  // takes part in the impulse
    bool isNone = false;    // what seems to approach rests
  };
  std::vector<Blow> findBlows(const system::State& state) const;
  [[nodiscard]] bool solveBlows(std::vector<Blow>& blows, const system::State& before,
                                system::State& state);
  [[nodiscard]] bool tryBlows(std::vector<Blow>& blows, ImpactFriction::Arrival arrival,
                              const system::State& before, system::State& state);
  bool leaveResting(const system::State& before, const Eigen::VectorXd& impulse,
                    std::vector<Blow>& blows) const;
  double calcGain(const system::State& before, const system::State& after) const;
  double calcJumpEnergy(const system::State& before, const system::State& after) const;
  [[nodiscard]] bool push(const std::vector<Blow>& blows, ImpactFriction& friction,
                          const system::State& before, system::State& state,
                          Eigen::VectorXd& impulse);
  bool addPushes(const std::vector<Blow>& blows, const ImpactFriction& friction,
                 const Eigen::VectorXd& slips, system::State& state, Eigen::VectorXd& impulse);
  bool changePushes(const system::State& state, const Eigen::VectorXd& impulse,
                    std::vector<Blow>& blows) const;
  // Closes stops whose bounces will be over within the step (33.6); false: none.
  bool endBounces(system::State& state);

  void chooseByRates(system::State& state);
  void chooseStop(std::size_t i, system::State& state);
  void chooseFriction(std::size_t i, system::State& state);
  void choose(std::size_t i, system::State& state);
  void followSupport(std::size_t stop, system::State& state);
  bool aim(std::size_t i, system::Switching::Aim by, system::State& state) const;
  void aimAtForces(system::State& state);
  [[nodiscard]] std::optional<base::Failure> agree(system::State& state);
  [[nodiscard]] bool follow(system::State& state);
  bool yieldToDrives(system::State& state);
  bool release(system::State& state, int round);
  double calcMargin(std::size_t i, const system::SwitchReading& now) const;
  double calcViolation(std::size_t i, const system::SwitchReading& now, Branch branch) const;
  base::Failure describeCycling(const system::State& state) const;
  base::Failure describeJam(const system::State& state) const;
  system::SwitchReading read(std::size_t i, const system::State& state) const;
  void setBranch(std::size_t i, Branch branch, system::State& state) const;

  PreparedMachine& machine_;
  const std::vector<system::Switch>& switches_;
  double step_;
  bool hasStruck_ = false;
  bool hasLatched_ = false;
  std::vector<double> arrivalSizes_;  // of the terms of rates, before an impact of this instant
  std::vector<bool> isAtRest_;
  std::vector<bool> hasEnded_;                 // in the step before
  std::vector<system::SwitchReading> inStep_;  // of what was closed, by the forces of that step
  std::vector<bool> hasBounced_;
  std::vector<int> returns_;  // from slip to stick
  std::vector<double>
      arrival_;                 // accelerations of frictions that have come to rest at this instant
  std::vector<double> excess_;  // relative, of the forces that made them slip
};

// A stop on whose wrong side a start is.
[[nodiscard]] std::optional<base::Failure> describeBeyondLimit(PreparedMachine& machine,
                                                               const system::State& state);

// All branches at the start of an analysis, which is a consistent state without them.
[[nodiscard]] std::optional<base::Failure> settleSwitches(PreparedMachine& machine,
                                                          system::State& state);

// Indicators, one for each branch: a negative one says that it has ended.
void calcSwitchIndicators(const std::vector<system::Switch>& switches, system::Assembler& assembler,
                          const system::State& state, std::vector<double>& values);

}  // namespace flexloop::solve
