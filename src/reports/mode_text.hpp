// Modes, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "analysis/modes/mode_comparison.hpp"
#include "analysis/modes/mode_description.hpp"
#include "reports/mode_mac.hpp"
#include "study/sensitivity.hpp"
#include "study/stability_limit.hpp"

namespace flexloop::reports {

// What was searched for limits of stability, and what was found.
struct LimitSearch {
  study::ModeSweep sweep;
  study::StabilityLimits limits;
};

// What is printed beside the modes.
struct ModeHead {
  std::string method = "full", loop = "closed", bodies = "flexible";
  double time = 0.0;                        // of the state that was linearised [s]
  std::optional<ShapeComparison> others{};  // modes of another run
  std::optional<LimitSearch> limits{};
  std::string about{};  // `equilibrium` or `steady`, where the state is a balance
};

using ModeDescriptions = std::vector<analysis::ModeDescription>;

// With descriptions, each mode is followed by its own.
std::vector<std::string> describeModes(const model::Model& model,
                                       const analysis::ModeResult& result, const ModeHead& head,
                                       const ModeDescriptions& descriptions = {});

// One line by mode that grows: its frequency and how fast it grows.
std::vector<std::string> describeGrowth(const std::vector<analysis::Mode>& modes);

// `{"modes": [{"eigenvalue": [re, im], "frequency_hz": …, …}], "method": …, "loop": …}`; `shape` has the
// displacement and rotation of every node in ground axes, and states and signals by name, as [re, im].
// With sensitivities, which are of the same modes, each mode gets `"sensitivities": [{"parameter": …, "value": …,
// "derivative": [re, im], …}]` with all parameters, and the whole `"skipped_parameters"`;
// with a search for limits, `"stability_limits"` as in limit_text.hpp.
void writeModesJson(const std::string& path, const model::Model& model, const system::State& state,
                    const analysis::ModeResult& result, const ModeHead& head,
                    const ModeDescriptions& descriptions = {},
                    const study::SensitivityResult* sensitivities = nullptr);

// Modes at one instant of a run.
struct ModesAtTime {
  double time = 0.0;  // [s]
  analysis::ModeResult result;
  ModeDescriptions descriptions;
};

// One line per instant: frequencies and damping ratios of its modes.
std::vector<std::string> describeInstants(const model::Model& model,
                                          const std::vector<ModesAtTime>& instants);
// `{"instants": [{"time": …, "modes": […]}, …], …}`, modes as above without shapes.
void writeInstantsJson(const std::string& path, const std::vector<ModesAtTime>& instants,
                       const ModeHead& head);

// One line per mode of the machine, its partners of the other views beside it.
std::vector<std::string> describeComparison(const model::Model& model,
                                            const analysis::ModeComparison& comparison);
// `{"columns": [{"view": …, "modes": […]}], "rows": [{"modes": [0, 1, null], "mac": [1, 0.9, null]}]}`
void writeComparisonJson(const std::string& path, const analysis::ModeComparison& comparison);

// A header, then one row per mode; that of an instant or of a view has its own.
void writeModesCsv(const std::string& path, const analysis::ModeResult& result);
void writeInstantsCsv(const std::string& path, const std::vector<ModesAtTime>& instants);
// Modes that are paired have the same row number.
void writeComparisonCsv(const std::string& path, const analysis::ModeComparison& comparison);

}  // namespace flexloop::reports
