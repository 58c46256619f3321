// The parameters of a model as those of an FMU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/dimension.hpp"
#include "fmu/taken_model.hpp"
#include "model/model.hpp"

namespace flexloop::fmu {

struct ParameterUnit {
  std::string unit;  // of SI; empty: none was given
  base::Dimension dimension;
};

struct ModelParameters {
  std::vector<TakenParameter> all;
  std::vector<ParameterUnit> units;
};

// Tunable is what blocks, springs, loads and actuators alone depend on, and neither the instants of clocks nor delays do: the
// motion continues as it is with another value.
ModelParameters findParameters(const api::ModelSource& source, const model::Model& model,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs);

}  // namespace flexloop::fmu
