// The analyses of one model, for the commands, the viewer and the library. They throw api::Failed where there is no result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/identification.hpp"
#include "analysis/linear/return_ratio.hpp"
#include "analysis/linear/state_space.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "api/failed.hpp"
#include "api/linear_machine.hpp"

namespace flexloop::api {

// With what is not exactly as it should be in its notes.
analysis::OperatingState findState(const model::Model& model, const model::OperatingPoint& about);

analysis::ModeResult findModes(const model::Model& model, const system::State& state,
                               const analysis::ModeOptions& options);

// At rest, or in the steady motion that the start begins.
enum class Balance { kAtRest, kSteady };
analysis::EquilibriumResult findEquilibrium(const model::Model& model, Balance balance);

analysis::Identification identify(const model::Model& model, const analysis::BlockPlace& place,
                                  const system::State& state,
                                  const control::GainSettings& settings);

struct FrequencyRange {
  double low = 0.01, high = 100.0;  // [Hz]; these where there are no modes
};

// A decade below the slowest to a decade above the fastest of the first modes.
FrequencyRange findModeRange(const LinearMachine& machine);

struct Response {
  analysis::FrequencyResponse response;
  std::optional<analysis::ReturnRatio> loop;  // of a cut from a signal to itself
  bool isCutIdle = false;                     // what reads the cut signal does not come back to it
};

// Sampled blocks are treated exactly. Margins of a loop are searched at least in the range.
Response calcResponse(const LinearMachine& machine, const std::vector<double>& frequenciesHz,
                      const FrequencyRange& range);

// Sampled blocks hold their outputs.
analysis::StateSpaceResult makeStateSpace(const LinearMachine& machine, bool isMinimal);

}  // namespace flexloop::api
