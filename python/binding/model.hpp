// A model for Python: where it comes from, and the machine that was made of it. Never changed, only replaced.
#pragma once

#include <memory>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "api/load.hpp"
#include "model/model.hpp"

namespace flexloop::python {

using Texts = std::vector<std::string>;

struct Model {
  api::ModelSource source;
  std::shared_ptr<const model::Model> machine;
};

// `NAME=VALUE` and `PATH=VALUE`, as -p and --set have them. Raise ModelError, as everything below.
Model loadModel(const std::string& file, Texts parameters, Texts values);
Model parseModel(const std::string& text, const std::string& name, Texts parameters, Texts values);
// The same files with other values.
Model changeModel(const Model& model, Texts parameters, Texts values);

void addModel(pybind11::module_& module);
void addRun(pybind11::module_& module);
void addLinear(pybind11::module_& module);
void addRecords(pybind11::module_& module);
void addCommands(pybind11::module_& module);

}  // namespace flexloop::python
