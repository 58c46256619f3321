// Exact delays beside sampled blocks (docs/theory/25_delays_and_samples.md, section 25.7). A line is a row of numbers
// on their way: at some instants of a cycle one goes in, at others one comes out.
#pragma once

#include <optional>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "analysis/sampled/sample_cycle.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

// What a sampled block has to do with signals, unknowns of the pencil.
struct SampledPorts {
  int clock = 0;
  std::vector<int> inputs{}, outputs{};
};

struct DelayLine {
  int input = 0, output = 0;  // unknowns of the pencil
  double factor = 1.0;        // output(t) = factor · input(t − delay)
  double delay = 0.0;         // [s]
  bool isHeld =
      false;  // the input changes at instants only; else the output is read at instants only
  std::vector<bool> clocks{};  // whose instants these are
  std::vector<int> sources{};  // lines before this one that end in a held input
  int length = 0;              // numbers on their way, at most
};

struct DelayLines {
  std::optional<base::Failure> failure;
  std::vector<DelayLine> lines;
};

DelayLines findDelayLines(const LinearModel& linear, const system::System& system,
                          const std::vector<SampledPorts>& blocks);

// By clock: whose outputs a signal is made of, where it depends on held outputs and nothing else at the same time, and
// whose blocks read it, where nothing else does. Empty where that is not so, or where delays lie between.
std::vector<bool> findHoldingClocks(const LinearModel& linear, const system::System& system,
                                    const std::vector<SampledPorts>& blocks, int signal);
std::vector<bool> findReadingClocks(const LinearModel& linear, const system::System& system,
                                    const std::vector<SampledPorts>& blocks, int signal);

// The instants at which numbers go in and come out join those of the cycle; the first is still one of a clock.
void addDelayLines(std::vector<DelayLine>& lines, SampleCycle& cycle);

}  // namespace flexloop::analysis
