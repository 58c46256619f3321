// What a model says of an FMU, checked against what the FMU says of itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/blocks/block_maker.hpp"
#include "control/boxes/fmu/fmu_description.hpp"
#include "control/boxes/fmu/fmu_plan.hpp"
#include "system/builder.hpp"

namespace flexloop::control {

struct FmuWiring {
  FmuDescription fmu{};  // with the structural parameters of the model
  FmuKind kind = FmuKind::kCoSimulation;
  double sample = 0.0;  // [s], of co-simulation
  std::vector<BlockInput> inputs;
  std::vector<double> startInputs;  // of the FMU, in SI
  std::vector<int> inputVariables,
      outputVariables;             // an array is one of these, and several signals
  std::vector<std::string> ports;  // names of the outputs
  std::vector<FmuStart> structure, starts;
};

FmuPort portOf(const FmuVariable& variable);

// Nothing, and messages, where the two do not fit.
std::optional<FmuWiring> wireFmu(const system::Item& item, const FmuDescription& fmu,
                                 system::Builder& builder);

// Of all variables, those on which a derivative or an output depends directly, as the ModelStructure says.
std::vector<bool> findUsed(const FmuDescription& fmu, const std::vector<FmuUnknown>& unknowns,
                           int variable);

}  // namespace flexloop::control
