// modelDescription.xml of an FMU, in FMI 2.0 or 3.0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fmu/taken_model.hpp"
#include "fmu/variables.hpp"

namespace flexloop::fmu {

struct ModelDescription {
  int version = 2;
  std::string name, title, identifier, program;
  const TakenModel* taken = nullptr;
  VariableCounts counts;
  std::vector<Variable> variables;             // in the order of their numbers
  std::size_t coordinates = 0;                 // of the states; as many velocities follow
  std::vector<std::vector<bool>> directPaths;  // by output, by input: at the same instant
  std::optional<double> end, step;             // [s]
};

// The token of `taken` is left out where it is empty: what it is made from.
std::string writeModelDescription(const ModelDescription& description);

}  // namespace flexloop::fmu
