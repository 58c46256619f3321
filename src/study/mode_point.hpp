// A model with some settings, linearised about its operating point, with its modes and with the vectors of
// each root from both sides (docs/theory/24_sensitivities_and_sweeps.md).
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"
#include "base/result.hpp"
#include "study/root_operator.hpp"
#include "study/setting.hpp"

namespace flexloop::study {

struct ModeTask {
  analysis::ModeOptions options;
  std::optional<model::OperatingPoint> about;  // absent: as the model says
};

struct ModePoint {
  std::optional<base::Failure> failure;
  std::shared_ptr<const RootOperator> roots;  // of which the modes are the roots
  std::vector<analysis::Mode> modes;
  std::vector<RootVectors> vectors;  // one per mode

  bool ok() const { return !failure; }
};

// Without modes. A model that is wrong with these settings is a failure; nothing is thrown.
[[nodiscard]] ModePoint linearizeAt(const ModelMaker& maker, const Settings& settings,
                                    const ModeTask& task);
// With modes.
[[nodiscard]] ModePoint findModesAt(const ModelMaker& maker, const Settings& settings,
                                    const ModeTask& task);

// Roots that are one root for all that round-off lets know.
bool areRepeated(std::complex<double> a, std::complex<double> b);

}  // namespace flexloop::study
