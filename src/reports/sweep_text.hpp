// Sweeps over parameters, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/mode_sweep.hpp"
#include "study/output_sweep.hpp"
#include "study/stability_limit.hpp"

namespace flexloop::reports {

std::vector<std::string> describeModeSweep(const study::ModeSweep& sweep);
std::vector<std::string> describeOutputSweep(const study::OutputSweep& sweep);

// `{"parameters": [{"name": …, "values": […]}], "points": [{"parameters": {…}, "ok": true, "modes":
// [{"track": 1, "eigenvalue": [re, im], …}]}, {…, "ok": false, "message": …}], "tracks": …, "complete": …}`,
// with "stability_limits" where they were asked for.
void writeModeSweepJson(const std::string& path, const study::ModeSweep& sweep,
                        const std::optional<study::StabilityLimits>& limits);
void writeOutputSweepJson(const std::string& path, const study::OutputSweep& sweep);

// One row per point and mode, or one per point; points that failed have no numbers but a message.
void writeModeSweepCsv(const std::string& path, const study::ModeSweep& sweep);
void writeOutputSweepCsv(const std::string& path, const study::OutputSweep& sweep);

enum class SweepFigure {
  kCampbell,  // frequencies over the parameter
  kLocus,     // imaginary over real parts
  kDamping,   // damping ratios over the parameter
};
void writeModeSweepSvg(const std::string& path, const study::ModeSweep& sweep, SweepFigure figure);
// For two parameters: where all modes decay, and how well.
void writeStabilityMapSvg(const std::string& path, const study::ModeSweep& sweep);
// Outputs over the parameter.
void writeOutputSweepSvg(const std::string& path, const study::OutputSweep& sweep);

}  // namespace flexloop::reports
