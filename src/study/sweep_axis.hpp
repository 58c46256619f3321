// The values that a study gives to one number of a model, and all combinations of several.
#pragma once

#include <string>
#include <vector>

#include "study/setting.hpp"

namespace flexloop::study {

struct SweepAxis {
  std::string name;
  std::vector<double> values;  // SI
};

enum class Spacing { kEven, kLogarithmic };

// `count` values with both ends, which are exact. Logarithmic ones need ends of one sign.
SweepAxis makeAxis(std::string name, double from, double to, int count, Spacing spacing);

// The last axis changes fastest.
std::vector<Settings> combine(const std::vector<SweepAxis>& axes);

}  // namespace flexloop::study
