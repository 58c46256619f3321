// Writes a model as an FMU: its description, the runtime that has the code of all models, and the model itself.
#pragma once

#include <string>
#include <vector>

#include "fmu/taken_model.hpp"

namespace flexloop::fmu {

struct ExportRequest {
  api::ModelSource model;
  std::vector<std::string> inputs{}, outputs{};  // signals; loads as inputs
  int version = 2;                               // of FMI: 2 or 3
  Kind kind = Kind::kCoSimulation;
  std::string file{};     // that is written
  std::string program{};  // name and version, for the description
};

struct ExportReport {
  std::size_t parameters = 0, tunable = 0, states = 0;
  double fastestRate = 0.0;        // [1/s] of the equations for model exchange
  std::vector<std::string> taken;  // files besides those of the model
  std::string title;
  base::Diagnostics warnings;
};

// Throws base::InputError where the model cannot travel, and std::runtime_error where the file cannot be written.
ExportReport exportModel(const ExportRequest& request);

// flexloop_fmu.so, which is beside the program or in its lib/flexloop. Throws std::runtime_error if it is not there.
std::string findRuntime();

}  // namespace flexloop::fmu
