#include "analysis/sampled/sampled_machine.hpp"

#include <algorithm>
#include <cstdio>
#include <numbers>

namespace flexloop::analysis {
namespace {

// All motions are in one dense matrix, whose cost is the cube of their number: above the first size a condensed machine
// takes their place if it is the same to the eighth digit, above the second in any case.
constexpr int kLarge = 240, kLargest = 1500;
constexpr double kSameResponse = 1e-8;
// A condensed one has at most so many unknowns.
constexpr int kMostCondensed = 900;
// Responses are compared up to this multiple of half the frequency of the shortest wait.
constexpr double kBeyondSamples = 3.0;

void translate(const std::vector<int>& places, Sampling& sampling) {
  const auto to = [&](int& unknown) { unknown = places[unknown]; };
  for (SampledPart& part : sampling.parts) {
    std::for_each(part.inputs.begin(), part.inputs.end(), to);
    std::for_each(part.outputs.begin(), part.outputs.end(), to);
  }
  for (DelayLine& line : sampling.lines) {
    to(line.input);
    to(line.output);
  }
}

std::string describe(const CondensedModel& condensed, int unknowns, double frequency) {
  char text[300];
  std::snprintf(text, sizeof text,
                "%d unknowns are represented by %d and %d shapes; up to %.4g Hz the response from "
                "held outputs to sampled inputs differs by %.1e",
                unknowns, static_cast<int>(condensed.kept.size()), condensed.shapes,
                frequency / (2.0 * std::numbers::pi), condensed.difference);
  return text;
}

}  // namespace

int SampledMachine::wholeOf(int unknown) const {
  if (!condensed) return unknown;
  return unknown < static_cast<int>(condensed->kept.size()) ? condensed->kept[unknown] : -1;
}

int SampledMachine::placeOf(int unknown) const {
  if (!condensed) return unknown;
  const std::vector<int>& kept = condensed->kept;
  const auto found = std::find(kept.begin(), kept.end(), unknown);
  return found == kept.end() ? -1 : static_cast<int>(found - kept.begin());
}

SampledMachine makeSampledMachine(const SampledBlocks& blocks, const system::System& system,
                                  const LinearModel& linear, const system::State& state) {
  SampledMachine machine;
  machine.whole = &linear;
  machine.sampling = makeSampling(blocks, system, linear, state);
  machine.failure = machine.sampling.failure;
  if (machine.failure || linear.pencil.size() <= kLarge) return machine;
  std::vector<int> inputs, outputs;
  for (const SampledPart& part : machine.sampling.parts) {
    inputs.insert(inputs.end(), part.outputs.begin(), part.outputs.end());
    outputs.insert(outputs.end(), part.inputs.begin(), part.inputs.end());
  }
  for (const DelayLine& line : machine.sampling.lines) {
    inputs.push_back(line.output);
    outputs.push_back(line.input);
  }
  const double frequency = kBeyondSamples * std::numbers::pi / machine.sampling.shortestWait();
  machine.condensed = condenseModel(linear, system, inputs, outputs, frequency, kMostCondensed);
  const bool isSame = !machine.condensed->failure && machine.condensed->difference <= kSameResponse;
  if (!isSame && linear.pencil.size() <= kLargest) {
    machine.condensed.reset();
    return machine;
  }
  machine.failure = machine.condensed->failure;
  if (machine.failure) return machine;
  translate(machine.condensed->places(linear.pencil.size()), machine.sampling);
  machine.note = describe(*machine.condensed, linear.pencil.size(), frequency);
  return machine;
}

}  // namespace flexloop::analysis
