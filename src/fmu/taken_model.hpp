// A model that travels in an FMU, among its resources: its files as they were, the values of the command line, and what of it is
// an input, an output or a parameter. `flexloop.json` names them; `files/K` are the files of the model, `model/PATH` those
// that it uses by their paths, such as libraries of black boxes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/load.hpp"

namespace flexloop::fmu {

enum class Kind { kCoSimulation, kModelExchange };

struct TakenParameter {
  std::string name;
  double value = 0.0;         // SI
  bool isTunable = false;     // may change in a run
  bool isCalculated = false;  // follows from others
};

struct TakenModel {
  api::ModelSource source;  // with its files
  Kind kind = Kind::kCoSimulation;
  std::vector<std::string> inputs, outputs;  // signals; loads as inputs
  std::vector<TakenParameter> parameters;
  // Of model exchange.
  std::vector<std::string> states;
  std::size_t indicators = 0;
  std::string token;  // of the FMU: its `guid` or `instantiationToken`
};

// A file that the model names by its path, relative to its folder.
struct TakenFile {
  std::string name, path;
};

// Calls write(name, bytes) for each of the resources. Throws base::InputError where a file cannot be read.
void writeTakenModel(const TakenModel& taken, const std::vector<TakenFile>& others,
                     const std::function<void(const std::string&, std::string_view)>& write);

// From the folder of the resources. Throws base::InputError where they are not whole.
TakenModel readTakenModel(const std::string& folder);

}  // namespace flexloop::fmu
