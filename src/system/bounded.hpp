// Elements whose equations hold within bounds only, as those of a node on a beam that has ends.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "system/system.hpp"

namespace flexloop::system {

class Bounded {
 public:
  virtual ~Bounded() = default;
  // What has left its bounds.
  virtual std::optional<base::Failure> findFault(const State& state) const = 0;
};

using BoundedSets = std::vector<const Bounded*>;
BoundedSets findBounded(const System& system);
std::optional<base::Failure> findFault(const BoundedSets& sets, const State& state);

}  // namespace flexloop::system
