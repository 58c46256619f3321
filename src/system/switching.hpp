// Constraints that come and go: a joint that sticks or slips, a stop that is touched or not, a latch that is closed or open. Each has a multiplier, whose constraint is empty while
// it is open: it then has no force, as that of any constraint that nothing can violate (docs/theory/32_friction.md, section 1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/system.hpp"

namespace flexloop::system {

// What is known of one of them in a motion.
struct SwitchReading {
  double value = 0.0;  // of the coordinate, or the gap
  double rate = 0.0;   // and its derivatives
  double acceleration = 0.0;
  double rateSize = 0.0;  // the sum of the terms whose difference the rate is
  double force = 0.0;     // that acts
  double limit = 0.0;     // of the force while the constraint is closed
  bool isClosed = false;
  double valueSize = 0.0;  // as rateSize, of the value
  double command = 0.0;    // of a latch: positive where it is to be closed, negative where open
  double speed = 0.0;      // of slip in a plane, of which the rate is the part along the direction
};

class Switching {
 public:
  // A stop and a latch have the branches kFree and kClosed only. Friction that has not been decided on yet is free.
  enum class Branch : std::int8_t { kFree = 0, kForward = 1, kBackward = -1, kClosed = 2 };

  virtual ~Switching() = default;
  virtual int switches() const = 0;
  virtual std::string switchName(
      int k) const = 0;  // as users know it, such as "friction of hinge1"
  virtual bool isStop(int k) const = 0;
  // A latch is closed and opened by a command, whatever its force is. Those of one latch have the same branch; one of them leads.
  virtual bool isLatch(int) const { return false; }
  virtual bool leads(int) const { return true; }
  virtual double restitution(int k) const = 0;  // of a stop
  // Of friction that follows from the force of a constraint: an impact has an impulse of friction too. Other friction is finite, and nothing in an impact.
  virtual bool isImpulsive(int) const { return false; }
  // The unknowns of its forces, and these forces while it slips in the direction, made by the multipliers of a motion.
  virtual int slidingForces(int) const { return 1; }
  virtual UnknownIndex slidingForce(int k, int) const { return multiplier(k); }
  virtual void calcSliding(int, double, const Motion&, const Environment&, double* forces) const {
    forces[0] = 0.0;
  }
  virtual UnknownIndex multiplier(int k) const = 0;
  // Friction in a plane has two, one only slip, kForward, and a direction of it, which is remembered and aimed along a velocity, an acceleration or the force that
  // holds. True: that has changed it.
  virtual UnknownIndex secondMultiplier(int k) const { return multiplier(k); }
  enum class Aim : std::int8_t { kVelocity, kAcceleration, kForce };
  virtual bool aim(int, Aim, const Motion&, const Environment&, State&) const { return false; }
  // Whether what sticks rolls, so that its constraint is one of velocities only.
  virtual bool rolls(int, const Motion&) const { return false; }
  // Friction of a contact exists while that is closed whose multiplier this is; negative: always.
  virtual UnknownIndex support(int) const { return UnknownIndex{-1}; }
  virtual Branch branch(int k, const std::vector<double>& history) const = 0;
  // What is to be remembered of the coordinate is that of the motion, which is the one of the state.
  virtual void setBranch(int k, Branch branch, const Motion& motion, State& state) const = 0;
  virtual SwitchReading read(int k, const Motion& motion, const Environment& environment) const = 0;
};

// One of those of a system.
struct Switch {
  const Switching* set = nullptr;
  int index = 0;
  int support = -1;  // which of them has to be closed for this one to exist; negative: none

  std::string name() const { return set->switchName(index); }
  bool isStop() const { return set->isStop(index); }
  bool isLatch() const { return set->isLatch(index); }
  Switching::Branch branch(const State& state) const { return set->branch(index, state.history); }
};

// Whether what it depends on is open.
inline bool isUnsupported(const Switch& s, const std::vector<Switch>& all, const State& state) {
  return s.support >= 0 && all[s.support].branch(state) != Switching::Branch::kClosed;
}

std::vector<Switch> findSwitches(const System& system);

}  // namespace flexloop::system
