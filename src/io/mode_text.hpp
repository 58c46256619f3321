// Modes, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/mode_analysis.hpp"
#include "study/sensitivity.hpp"

namespace flexloop::io {

// What is told beside the modes.
struct ModeHead {
  std::string method = "full", loop = "closed", bodies = "flexible";
  double time = 0.0;  // of the state that was linearised [s]
};

std::vector<std::string> describeModes(const model::Model& model,
                                       const analysis::ModeResult& result, const ModeHead& head);

// `{"modes": [{"eigenvalue": [re, im], "frequency_hz": …, …}], "method": …, "loop": …}`; `shape` has the
// displacement and rotation of every node in ground axes, and states and signals by name, as [re, im].
// With sensitivities, which are of the same modes, each mode gets `"sensitivities": [{"parameter": …, "value": …,
// "derivative": [re, im], …}]` with all parameters, and the whole `"skipped_parameters"`.
void writeModesJson(const std::string& path, const model::Model& model, const system::State& state,
                    const analysis::ModeResult& result, const ModeHead& head,
                    const study::SensitivityResult* sensitivities = nullptr);

// A header, then one row per mode.
void writeModesCsv(const std::string& path, const analysis::ModeResult& result);

}  // namespace flexloop::io
