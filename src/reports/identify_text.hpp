// Gains of a block, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/linear/identification.hpp"

namespace flexloop::reports {

struct IdentifyHead {
  std::string block;
  double time = 0.0;   // of the state [s]
  double delta = 0.1;  // see control::GainSettings
  control::GainOrder order;
};

std::vector<std::string> describeGains(const analysis::Identification& found,
                                       const IdentifyHead& head);

// `{"block": …, "gains": [{"input": …, "output": …, "kp": …, "ki": …, "kd": …}]}`
void writeGainsJson(const std::string& path, const analysis::Identification& found,
                    const IdentifyHead& head);

// A header, then one row per pair.
void writeGainsCsv(const std::string& path, const analysis::Identification& found,
                   const IdentifyHead& head);

}  // namespace flexloop::reports
