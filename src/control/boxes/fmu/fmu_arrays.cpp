// Arrays among the variables of an FMU: their numbers, row by row.
#include <fmt/format.h>

#include "control/boxes/fmu/fmu_description.hpp"

namespace flexloop::control {
namespace {

constexpr double kMostNumbers = 100'000;  // of an array

}  // namespace

int FmuVariable::count() const {
  int count = 1;
  for (const Extent& extent : extents) count *= extent.length;
  return count;
}

std::string FmuVariable::nameOf(int element) const {
  std::string indices;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    indices = "." + std::to_string(element % extent->length + 1) + indices;
    element /= extent->length;
  }
  return name + indices;
}

int FmuDescription::countOf(const std::vector<int>& list) const {
  int count = 0;
  for (const int variable : list) count += variables[variable].count();
  return count;
}

void FmuDescription::setStructure(int parameter, int value) {
  for (FmuVariable& variable : variables) {
    for (FmuVariable::Extent& extent : variable.extents) {
      if (extent.parameter == parameter) extent.length = value;
    }
  }
}

std::optional<base::Failure> FmuDescription::findWrongLength() const {
  for (const FmuVariable& variable : variables) {
    double count = 1.0;
    for (const FmuVariable::Extent& extent : variable.extents) {
      count = extent.length < 0 ? kMostNumbers * kMostNumbers : count * extent.length;
    }
    if (count <= kMostNumbers) continue;
    return base::Failure{fmt::format("its array '{}' has too many numbers", variable.name),
                         fmt::format("0 to {:g} are supported", kMostNumbers)};
  }
  return {};
}

}  // namespace flexloop::control
