// Everything that a run knows at one time: the checkpoint. A run that continues from it takes the same
// steps, bit for bit, as the one that made it.
#pragma once

#include <cstdint>

#include "analysis/time/chatter_guard.hpp"
#include "analysis/time/record_clock.hpp"
#include "analysis/time/step_control.hpp"
#include "analysis/time/touch_search.hpp"
#include "solve/time/stepper_memory.hpp"
#include "system/state.hpp"

namespace flexloop::analysis {

struct RunPoint {
  system::State state;
  solve::StepperMemory stepper;
  StepControl::Position control;
  std::int64_t recordedSteps = 0;  // of the RecordClock
  ChatterGuard::Position chatter;
  bool startsAnew = false;  // the scheme, in the next step
  IndicatorHistory indicators;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("state.time", self.state.time);
    visit("state.frames", self.state.frames);
    visit("state.value", self.state.value);
    visit("state.rate", self.state.rate);
    visit("state.acceleration", self.state.acceleration);
    visit("state.algorithmic", self.state.algorithmic);
    visit("state.history", self.state.history);
    visit("state.records", self.state.records);
    visit("stepper", self.stepper);
    visit("control", self.control);
    visit("recorded_steps", self.recordedSteps);
    visit("chatter", self.chatter);
    visit("starts_anew", self.startsAnew);
    visit("indicators", self.indicators);
  }
};

}  // namespace flexloop::analysis
