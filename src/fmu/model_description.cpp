#include "fmu/model_description.hpp"

#include <array>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "base/text_format.hpp"

namespace flexloop::fmu {
namespace {

using pugi::xml_node;

class Writer {
 public:
  explicit Writer(const ModelDescription& of) : of_(of), isTwo_(of.version == 2) {}

  std::string write() {
    pugi::xml_node head = document_.prepend_child(pugi::node_declaration);
    head.append_attribute("version") = "1.0";
    head.append_attribute("encoding") = "UTF-8";
    root_ = document_.append_child("fmiModelDescription");
    writeHead();
    writeInterface();
    writeUnits();
    writeLog();
    writeExperiment();
    writeVariables();
    writeStructure();
    std::ostringstream text;
    document_.save(text, " ");
    return text.str();
  }

 private:
  const TakenModel& taken() const { return *of_.taken; }
  bool isExchange() const { return taken().kind == Kind::kModelExchange; }

  void writeHead() {
    set(root_, "fmiVersion", isTwo_ ? "2.0" : "3.0");
    set(root_, "modelName", of_.name);
    if (!taken().token.empty()) set(root_, isTwo_ ? "guid" : "instantiationToken", taken().token);
    if (!of_.title.empty()) set(root_, "description", of_.title);
    set(root_, "generationTool", of_.program);
    set(root_, "variableNamingConvention", "flat");
    if (isTwo_) set(root_, "numberOfEventIndicators", std::to_string(of_.counts.indicators));
  }

  void writeInterface() {
    xml_node kind = root_.append_child(isExchange() ? "ModelExchange" : "CoSimulation");
    set(kind, "modelIdentifier", of_.identifier);
    set(kind, isTwo_ ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", "true");
    set(kind, isTwo_ ? "canSerializeFMUstate" : "canSerializeFMUState", "true");
    set(kind, isTwo_ ? "providesDirectionalDerivative" : "providesDirectionalDerivatives", "true");
    if (isTwo_) set(kind, "canNotUseMemoryManagementFunctions", "true");
    if (!isExchange()) {
      set(kind, "canHandleVariableCommunicationStepSize", "true");
    } else if (!isTwo_) {
      set(kind, "needsCompletedIntegratorStep", "true");
    }
  }

  // All are those of SI.
  void writeUnits() {
    std::set<std::string> known;
    xml_node units;
    for (const Variable& variable : of_.variables) {
      if (variable.unit.empty() || !variable.dimension || !known.insert(variable.unit).second) {
        continue;
      }
      if (!units) units = root_.append_child("UnitDefinitions");
      xml_node unit = units.append_child("Unit");
      set(unit, "name", variable.unit);
      xml_node base = unit.append_child("BaseUnit");
      const base::Dimension& d = *variable.dimension;
      const std::array<std::pair<const char*, int>, 6> exponents{{{"kg", d.mass},
                                                                  {"m", d.length},
                                                                  {"s", d.time},
                                                                  {"A", d.current},
                                                                  {"K", d.temperature},
                                                                  {"rad", d.angle}}};
      for (const auto& [name, exponent] : exponents) {
        if (exponent != 0) base.append_attribute(name) = exponent;
      }
    }
  }

  void writeLog() {
    xml_node categories = root_.append_child("LogCategories");
    for (const char* name : {"logStatusWarning", "logStatusError"}) {
      set(categories.append_child("Category"), "name", name);
    }
  }

  void writeExperiment() {
    xml_node experiment = root_.append_child("DefaultExperiment");
    set(experiment, "startTime", "0");
    if (of_.end) set(experiment, "stopTime", base::numberText(*of_.end));
    if (of_.step) set(experiment, "stepSize", base::numberText(*of_.step));
  }

  void writeVariables() {
    xml_node variables = root_.append_child("ModelVariables");
    for (std::size_t k = 0; k < of_.variables.size(); ++k) {
      writeVariable(of_.variables[k], static_cast<unsigned>(k), variables);
    }
  }

  void writeVariable(const Variable& variable, unsigned reference, xml_node& variables) {
    xml_node node = variables.append_child(isTwo_ ? "ScalarVariable" : "Float64");
    set(node, "name", variable.name);
    set(node, "valueReference", std::to_string(reference));
    if (!variable.description.empty()) set(node, "description", variable.description);
    writeRole(variable, node);
    xml_node typed = isTwo_ ? node.append_child("Real") : node;
    if (!variable.unit.empty() && variable.dimension) set(typed, "unit", variable.unit);
    if (variable.start) set(typed, "start", base::numberText(*variable.start));
    if (variable.role == Role::kDerivative) {
      // FMI 2.0 counts from 1.
      const unsigned state = referenceOf(of_.counts, {Role::kState, variable.index});
      set(typed, "derivative", std::to_string(isTwo_ ? state + 1 : state));
    }
  }

  void writeRole(const Variable& variable, xml_node& node) {
    const auto write = [&](const char* causality, const char* variability, const char* initial) {
      set(node, "causality", causality);
      set(node, "variability", variability);
      if (initial != nullptr) set(node, "initial", initial);
    };
    switch (variable.role) {
      case Role::kTime:
        return write("independent", "continuous", nullptr);
      case Role::kInput:
        return write("input", "continuous", nullptr);
      case Role::kOutput:
        return write("output", "continuous", "calculated");
      case Role::kParameter: {
        const TakenParameter& parameter = taken().parameters[variable.index];
        const char* variability = parameter.isTunable ? "tunable" : "fixed";
        if (parameter.isCalculated) return write("calculatedParameter", variability, "calculated");
        return write("parameter", variability, "exact");
      }
      default:
        return write("local", "continuous", "calculated");
    }
  }

  std::string listReferences(const std::vector<VariablePlace>& places) const {
    std::string list;
    for (const VariablePlace& place : places) {
      const unsigned reference = referenceOf(of_.counts, place);
      list += (list.empty() ? "" : " ") + std::to_string(isTwo_ ? reference + 1 : reference);
    }
    return list;
  }

  // Outputs depend on the inputs that reach them at once; in model exchange also on time and all states.
  std::string dependenciesOf(std::size_t output) const {
    std::vector<VariablePlace> places;
    if (isExchange()) places.push_back({Role::kTime, 0});
    for (std::size_t k = 0; k < of_.counts.inputs; ++k) {
      if (of_.directPaths[output][k]) places.push_back({Role::kInput, k});
    }
    for (std::size_t k = 0; k < of_.counts.states; ++k) places.push_back({Role::kState, k});
    return listReferences(places);
  }

  // (37.12), (37.13): coordinates change with the velocities of the machine, wherever it is, and with no input and no state of a block.
  std::string dependenciesOfMotion() const {
    std::vector<VariablePlace> places{{Role::kTime, 0}};
    for (std::size_t k = 0; k < 2 * of_.coordinates; ++k) places.push_back({Role::kState, k});
    return listReferences(places);
  }

  void addUnknown(xml_node& parent, const char* name, const VariablePlace& place,
                  const std::string* dependencies = nullptr) {
    const unsigned reference = referenceOf(of_.counts, place);
    xml_node node = parent.append_child(isTwo_ ? "Unknown" : name);
    set(node, isTwo_ ? "index" : "valueReference",
        std::to_string(isTwo_ ? reference + 1 : reference));
    if (dependencies != nullptr) set(node, "dependencies", *dependencies);
  }

  // An element without children is none that the standard allows in FMI 2.0.
  xml_node group(const char* name, xml_node& structure, std::size_t members) {
    return isTwo_ && members > 0 ? structure.append_child(name) : structure;
  }

  void writeStructure() {
    xml_node structure = root_.append_child("ModelStructure");
    const std::size_t outputs = of_.counts.outputs, states = of_.counts.states;
    xml_node place = group("Outputs", structure, outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
      const std::string dependencies = dependenciesOf(k);
      addUnknown(place, "Output", {Role::kOutput, k}, &dependencies);
    }
    place = group("Derivatives", structure, states);
    const std::string ofMotion = dependenciesOfMotion();
    for (std::size_t k = 0; k < states; ++k) {
      addUnknown(place, "ContinuousStateDerivative", {Role::kDerivative, k},
                 k < of_.coordinates ? &ofMotion : nullptr);
    }
    writeInitialUnknowns(structure);
    // In FMI 2.0 there is their number only.
    for (std::size_t k = 0; k < of_.counts.indicators && !isTwo_; ++k) {
      addUnknown(structure, "EventIndicator", {Role::kIndicator, k});
    }
  }

  // All that the start calculates.
  void writeInitialUnknowns(xml_node& structure) {
    std::vector<VariablePlace> unknowns;
    for (std::size_t k = 0; k < of_.variables.size(); ++k) {
      const Variable& variable = of_.variables[k];
      const bool isCalculated =
          variable.role == Role::kOutput || variable.role == Role::kState ||
          variable.role == Role::kDerivative ||
          (variable.role == Role::kParameter && taken().parameters[variable.index].isCalculated);
      if (isCalculated) unknowns.push_back({variable.role, variable.index});
    }
    xml_node place = group("InitialUnknowns", structure, unknowns.size());
    for (const VariablePlace& unknown : unknowns) addUnknown(place, "InitialUnknown", unknown);
  }

  static void set(xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name) = value.c_str();
  }

  const ModelDescription& of_;
  const bool isTwo_;
  pugi::xml_document document_;
  xml_node root_;
};

}  // namespace

std::string writeModelDescription(const ModelDescription& description) {
  return Writer(description).write();
}

}  // namespace flexloop::fmu
