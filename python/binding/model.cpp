#include "model.hpp"

#include <optional>
#include <pybind11/stl.h>
#include <utility>
#include <variant>

#include "api/registry.hpp"
#include "api/study_source.hpp"
#include "errors.hpp"
#include "language/source_reader.hpp"
#include "turns.hpp"

namespace flexloop::python {
namespace py = pybind11;
namespace {

// Without the interpreter's lock: a machine with blocks in Python may wait for a thread that wants it.
void destroy(const model::Model* machine) {
  std::optional<py::gil_scoped_release> unlocked;
  if (Py_IsInitialized() != 0 && PyGILState_Check() == 1) unlocked.emplace();
  forgetTurns(machine);
  delete machine;
}

Model make(api::ModelSource source) {
  std::shared_ptr<const model::Model> machine(new model::Model(api::loadModel(source)), &destroy);
  return {std::move(source), std::move(machine)};
}

py::object toPython(const system::Value& value);

struct ToPython {
  py::object operator()(std::monostate) const { return py::none(); }
  py::object operator()(bool flag) const { return py::bool_(flag); }
  py::object operator()(double number) const { return py::float_(number); }
  py::object operator()(const std::string& text) const { return py::str(text); }
  py::object operator()(const system::ValueList& list) const {
    py::list result;
    for (const system::Value& entry : list) result.append(toPython(entry));
    return result;
  }
  py::object operator()(const system::ValueMap& map) const {
    py::dict result;
    for (const system::NamedValue& entry : map) {
      result[py::str(entry.name)] = toPython(entry.value);
    }
    return result;
  }
};

py::object toPython(const system::Value& value) {
  return std::visit(ToPython{}, value.data);
}

py::dict describeItem(const system::Item& item) {
  py::dict result;
  if (!item.type().empty()) result["type"] = item.type();
  system::Item copy = item;  // the values of an item are given to those only who may change them
  for (const system::NamedValue& entry : copy.values()) {
    result[py::str(entry.name)] = toPython(entry.value);
  }
  return result;
}

py::list listItems(const Model& model) {
  py::list items;
  for (const system::Item& item : model.machine->description().items) {
    items.append(py::make_tuple(item.section(), item.name(), item.type()));
  }
  return items;
}

py::object findItem(const Model& model, const std::string& section, const std::string& name) {
  for (const system::Item& item : model.machine->description().items) {
    if (item.section() == section && item.name() == name) return describeItem(item);
  }
  return py::none();
}

py::dict parametersOf(const Model& model) {
  py::dict parameters;
  for (const auto& [name, value] : model.machine->description().parameters) {
    parameters[py::str(name)] = value;
  }
  return parameters;
}

Texts nodesOf(const Model& model) {
  Texts names;
  for (const system::Node& node : model.machine->system().nodes()) names.push_back(node.name);
  return names;
}

Texts signalsOf(const Model& model) {
  Texts names;
  for (const auto& [name, signal] : model.machine->signals()) names.push_back(name);
  return names;
}

double findNumber(const Model& model, const std::string& name) {
  double value = 0.0;
  compute([&] { value = api::findSetting(*model.machine, name, "get").value; });
  return value;
}

// Sections and their types, in the order of the manual.
py::list listTypes() {
  py::list types;
  for (const system::TypeEntry& entry : api::commonRegistry().entries()) {
    py::list keys;
    for (const system::Parameter& parameter : entry.parameters) {
      keys.append(py::make_tuple(parameter.name, parameter.required, parameter.doc));
    }
    types.append(py::make_tuple(entry.section, entry.type, entry.doc, keys));
  }
  return types;
}

}  // namespace

Model loadModel(const std::string& file, Texts parameters, Texts values) {
  Model model;
  compute([&] {
    const auto registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
    model =
        make(api::withFiles({file, {std::move(parameters), std::move(values)}, nullptr}, registry));
  });
  return model;
}

Model parseModel(const std::string& text, const std::string& name, Texts parameters, Texts values) {
  Model model;
  compute([&] {
    const auto registry = api::makeRegistryWithoutBoxes(api::BoxFiles::kIgnored);
    auto files =
        std::make_shared<const model::SourceFiles>(language::readSourceFiles(text, name, registry));
    model = make({name, {std::move(parameters), std::move(values)}, std::move(files)});
  });
  return model;
}

Model changeModel(const Model& model, Texts parameters, Texts values) {
  Model changed;
  compute([&] {
    changed =
        make({model.source.file, {std::move(parameters), std::move(values)}, model.source.files});
  });
  return changed;
}

void addModel(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def("change", &changeModel, py::arg("parameters"), py::arg("values"))
      .def("items", &listItems)
      .def("item", &findItem, py::arg("section"), py::arg("name"))
      .def("number", &findNumber, py::arg("name"))
      .def_property_readonly("parameters", &parametersOf)
      .def_property_readonly("nodes", &nodesOf)
      .def_property_readonly("signals", &signalsOf)
      .def_property_readonly("file", [](const Model& m) { return m.source.file; })
      .def_property_readonly("title", [](const Model& m) { return m.machine->description().title; })
      .def_property_readonly("outputs", [](const Model& m) { return m.machine->outputs().names(); })
      .def_property_readonly("units", [](const Model& m) { return m.machine->outputs().units(); })
      .def_property_readonly("warnings",
                             [](const Model& m) { return m.machine->warnings().toText(); });
  module.def("load", &loadModel, py::arg("file"), py::arg("parameters"), py::arg("values"));
  module.def("parse", &parseModel, py::arg("text"), py::arg("name"), py::arg("parameters"),
             py::arg("values"));
  module.def("types", &listTypes);
}

}  // namespace flexloop::python
