// Channels that were recorded together.
#pragma once

#include <string>
#include <vector>

namespace flexloop::analysis {

struct TimeRecord {
  std::vector<std::string> names;
  std::vector<std::string> units;            // by name; empty where not known
  std::vector<double> times;                 // s
  std::vector<std::vector<double>> columns;  // by name, as many values as times
};

}  // namespace flexloop::analysis
