// Which signals determine which, at one instant: the edges of the block diagram.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "system/system.hpp"

namespace flexloop::system {

class SignalGraph {
 public:
  // From the patterns of all elements: signal u uses signal v where the equation of u contains v.
  explicit SignalGraph(const System& system);

  const std::vector<int>& usedBy(int signal) const { return uses_[signal]; }

  // The signals of the loop that `signal` is part of, itself included; empty if it is in none.
  std::vector<int> findLoop(int signal) const;

 private:
  std::vector<std::vector<int>> uses_;  // by unknown
};

// `a, b and c`: the names of the signals around the loop that `signal` is part of; empty if none.
std::string describeLoop(const System& system, UnknownIndex signal);

// Which block gives no number, where the residual of a signal or a state is infinite or undefined,
// with what helps; nothing if none is, or if motions are not finite either, so that no block is to blame.
// With the state, what it was given is named too.
std::optional<base::Failure> describeUndefined(const System& system,
                                               const Eigen::VectorXd& residual,
                                               const State* state = nullptr);

}  // namespace flexloop::system
