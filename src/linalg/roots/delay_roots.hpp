// The roots of a pencil with delays that are nearest to a point (docs/theory/25_delays_and_samples.md). Those
// of its Padé approximation are where Newton's method starts on the exact pencil, and the orders are raised until
// the roots stay the same.
#pragma once

#include <functional>
#include <optional>

#include "linalg/roots/delay_pencil.hpp"

namespace flexloop::linalg {

// The roots of a pencil without delays that are nearest to the point; nothing if they cannot be found.
using RootFinder =
    std::function<std::optional<std::vector<Eigenpair>>(const QuadraticPencil& approximation)>;

struct DelayRoots {
  bool ok = false;               // the finder has always found something
  bool isSettled = false;        // more Padé states would find the same
  std::vector<Eigenpair> pairs;  // with im ≥ 0; nearest to the point first
  int mostStates = 0;            // of the Padé approximation of a delay
  bool isFinite = false;         // no delay is in a loop: these are the roots without delays
};

DelayRoots findDelayRoots(const QuadraticPencil& pencil, const DelayTerms& delays,
                          std::complex<double> point, int count, const RootFinder& finder);

}  // namespace flexloop::linalg
