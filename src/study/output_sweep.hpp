// The outputs of a model over the values of parameters: at its equilibrium, or in a simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/sweep_axis.hpp"

namespace flexloop::study {

enum class OutputAnalysis { kEquilibrium, kRun };

struct OutputSweepPoint {
  Settings settings;
  std::optional<base::Failure> failure;
  std::vector<double> last;            // by output: at equilibrium, or at the end of the run
  std::vector<double> least, largest;  // by output, of a run

  bool ok() const { return !failure; }
};

struct OutputSweep {
  std::vector<SweepAxis> axes;
  OutputAnalysis analysis = OutputAnalysis::kEquilibrium;
  std::vector<std::string> outputs, units;
  std::vector<OutputSweepPoint> points;  // less of them if the sweep was ended
  bool isComplete = false;
};

// A point that fails is kept with its message. A run that is not to proceed is ended within.
[[nodiscard]] OutputSweep sweepOutputs(const std::vector<SweepAxis>& axes, const ModelMaker& maker,
                                       OutputAnalysis analysis, const Pace& pace = {});

}  // namespace flexloop::study
