// The variables of an FMU of ours, and the numbers by which they are called: their places in this list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/dimension.hpp"
#include "fmu/taken_model.hpp"

namespace flexloop::fmu {

enum class Role { kTime, kInput, kOutput, kParameter, kState, kDerivative, kIndicator };

struct Variable {
  Role role = Role::kTime;
  std::size_t index = 0;  // among those of its role
  std::string name{};
  std::string description{};
  std::string unit{};                          // empty: none, or not known
  std::optional<base::Dimension> dimension{};  // of the unit, which is one of SI
  std::optional<double> start{};               // of those that can be set
};

// Of how many there are, by role.
struct VariableCounts {
  std::size_t inputs = 0, outputs = 0, parameters = 0, states = 0, indicators = 0;
};

struct VariablePlace {
  Role role = Role::kTime;
  std::size_t index = 0;
};

// Time first, then inputs, outputs, parameters, states, their derivatives and event indicators. Nothing for a number that is none.
std::optional<VariablePlace> findVariable(const VariableCounts& counts, unsigned reference);
unsigned referenceOf(const VariableCounts& counts, const VariablePlace& place);
std::size_t countVariables(const VariableCounts& counts);

}  // namespace flexloop::fmu
