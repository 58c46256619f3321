// What a consistent start has changed of what the user gave.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"

namespace flexloop::solve {

struct StartReport {
  std::optional<base::Failure> failure;
  double gap = 0.0;             // largest constraint violation that was given
  double positionChange = 0.0;  // largest change of a translation [m] or rotation [rad]
  std::string positionWhere;    // the freedom that changed most
  double velocityChange = 0.0;
  std::string velocityWhere;
  int iterations = 0;

  bool ok() const { return !failure; }
};

}  // namespace flexloop::solve
