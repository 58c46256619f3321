// The loop that is cut at one signal: its margins, and whether it is stable when it is closed
// (docs/theory/19_responses.md).
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/loop_margins.hpp"

namespace flexloop::analysis {

struct ReturnRatio {
  LoopMargins margins;
  double lowHz = 0.0, highHz = 0.0;  // where crossings were searched
  // Poles that grow; by Nyquist, L(iω) goes closed − open times clockwise round −1. Nothing where exact delays do not
  // let them be counted (growing_roots.hpp).
  std::optional<int> openUnstable, closedUnstable;
  bool isComplete =
      false;  // all poles were counted; otherwise those up to `searchedHz` and what grows beyond
  double searchedHz = 0.0;
  // Of a loop with sampled blocks: the time after which all clocks repeat, and what is special about the cut.
  std::optional<double> samplePeriod;
  std::string note;

  // Adds to the note that margins may be missing, where L could not be followed.
  void tellIfUnresolved();
  bool isStable() const { return closedUnstable && *closedUnstable == 0; }
};

// `ports` has the cut, and one response: from the signal as read to the signal as computed. `closed` is without the cut. Crossings are searched at least from lowHz to highHz.
[[nodiscard]] ReturnRatio analyzeLoop(const system::System& system, const LinearModel& closed,
                                      const LinearPorts& ports, double lowHz, double highHz);

}  // namespace flexloop::analysis
