// A machine that loads drive on and on because nothing in it resists: a free body that is pushed, a rotor with a torque. It has
// no equilibrium (docs/theory/10_equilibrium.md, section 10.3).
#pragma once

#include "base/result.hpp"
#include "solve/balance/static_balance.hpp"

namespace flexloop::solve {

// Watches a motion that friction slows down, step by step.
class FreeRun {
 public:
  explicit FreeRun(StaticBalance& balance) : balance_(balance), size_(balance.size()) {}

  // A step δ from the state, whose unbalance is r. True once the machine has run so far that it will not come to rest.
  [[nodiscard]] bool note(const system::State& from, const Eigen::VectorXd& r,
                          const Eigen::VectorXd& delta);
  // What runs away in the last step, by the user's names.
  base::Failure describe(const system::State& from, const Eigen::VectorXd& delta) const;

 private:
  StaticBalance& balance_;
  double size_, turn_ = 0.0;             // at first, and turned so far [rad]
  Eigen::VectorXd loads_, rest_, move_;  // at the start of the last step, and the step
  double ofLoads_ = 0.0, ofRest_ = 0.0;  // work so far: of the loads, of all other forces
};

}  // namespace flexloop::solve
