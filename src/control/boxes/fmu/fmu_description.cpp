#include "control/boxes/fmu/fmu_description.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/units.hpp"

namespace flexloop::control {
namespace {

using Causality = FmuVariable::Causality;
using pugi::xml_node;

struct TypeName {
  FmuType type;
  const char* three;  // in FMI 3.0
  const char* two;    // in FMI 2.0; null: not there
};
constexpr std::array<TypeName, 15> kTypes{{{FmuType::kFloat64, "Float64", "Real"},
                                           {FmuType::kFloat32, "Float32", nullptr},
                                           {FmuType::kInt8, "Int8", nullptr},
                                           {FmuType::kUInt8, "UInt8", nullptr},
                                           {FmuType::kInt16, "Int16", nullptr},
                                           {FmuType::kUInt16, "UInt16", nullptr},
                                           {FmuType::kInt32, "Int32", "Integer"},
                                           {FmuType::kUInt32, "UInt32", nullptr},
                                           {FmuType::kInt64, "Int64", nullptr},
                                           {FmuType::kUInt64, "UInt64", nullptr},
                                           {FmuType::kBoolean, "Boolean", "Boolean"},
                                           {FmuType::kEnumeration, "Enumeration", "Enumeration"},
                                           {FmuType::kString, "String", "String"},
                                           {FmuType::kBinary, "Binary", nullptr},
                                           {FmuType::kClock, "Clock", nullptr}}};

std::optional<FmuType> findType(int version, std::string_view name) {
  for (const TypeName& type : kTypes) {
    const char* known = version == 2 ? type.two : type.three;
    if (known != nullptr && name == known) return type.type;
  }
  return std::nullopt;
}

Causality causalityOf(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Causality>, 7> kNames{
      {{"parameter", Causality::kParameter},
       {"calculatedParameter", Causality::kCalculatedParameter},
       {"structuralParameter", Causality::kStructuralParameter},
       {"input", Causality::kInput},
       {"output", Causality::kOutput},
       {"local", Causality::kLocal},
       {"independent", Causality::kIndependent}}};
  for (const auto& [name, causality] : kNames) {
    if (name == text) return causality;
  }
  return Causality::kLocal;
}

base::Failure refuse(const std::string& why) {
  return {"its modelDescription.xml " + why, "the tool that made the FMU has made a mistake"};
}

std::optional<double> numberOf(const pugi::xml_attribute& attribute) {
  const std::string_view text = attribute.value();
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isRight = !text.empty() && status == std::errc() && end == text.data() + text.size();
  return isRight && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// A reference or an index; nothing where it is missing or no whole number.
std::optional<std::uint32_t> wholeOf(const pugi::xml_attribute& attribute) {
  const std::string_view text = attribute.value();
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isRight = !text.empty() && status == std::errc() && end == text.data() + text.size();
  return isRight ? std::optional(value) : std::nullopt;
}

// The exponents of a BaseUnit; nothing for a unit of something else, or one that nobody has.
std::optional<base::Dimension> dimensionOf(const xml_node& base) {
  constexpr int kLargest = 100;
  bool isKnown = true;
  const auto exponent = [&](const char* name) {
    const int value = base.attribute(name).as_int();
    isKnown = isKnown && value >= -kLargest && value <= kLargest;
    return value;
  };
  isKnown = exponent("mol") == 0 && exponent("cd") == 0;
  const base::Dimension dimension{.length = exponent("m"),
                                  .mass = exponent("kg"),
                                  .time = exponent("s"),
                                  .current = exponent("A"),
                                  .temperature = exponent("K"),
                                  .angle = exponent("rad")};
  return isKnown ? std::optional(dimension) : std::nullopt;
}

class Reader {
 public:
  explicit Reader(const xml_node& root) : root_(root) {}

  base::Result<FmuDescription> read() {
    if (auto failure = readHead()) return *failure;
    readUnits();
    readTypes();
    readInterface("CoSimulation", made_.coSimulation);
    readInterface("ModelExchange", made_.modelExchange);
    if (!made_.coSimulation && !made_.modelExchange) {
      return base::Failure{"it offers neither co-simulation nor model exchange",
                           "scheduled execution is not supported"};
    }
    made_.stepSize = numberOf(root_.child("DefaultExperiment").attribute("stepSize"));
    if (auto failure = readVariables()) return *failure;
    if (auto failure = readStructure()) return *failure;
    return made_;
  }

 private:
  std::optional<base::Failure> readHead() {
    const std::string version = root_.attribute("fmiVersion").value();
    if (version != "2.0" && !version.starts_with("3.")) {
      return base::Failure{"it is of FMI version '" + version + "'",
                           "FMI 2.0 and 3.0 are supported; export it again as one of these"};
    }
    made_.version = version == "2.0" ? 2 : 3;
    made_.name = root_.attribute("modelName").value();
    made_.token = root_.attribute(made_.version == 2 ? "guid" : "instantiationToken").value();
    return {};
  }

  void readInterface(const char* name, std::optional<FmuInterface>& interface) {
    const xml_node node = root_.child(name);
    if (!node) return;
    const bool isTwo = made_.version == 2;
    const auto flag = [&](const char* two, const char* three) {
      return node.attribute(isTwo ? two : three).as_bool();
    };
    interface = FmuInterface{
        .identifier = node.attribute("modelIdentifier").value(),
        .canRestore = flag("canGetAndSetFMUstate", "canGetAndSetFMUState"),
        .canSerialize = flag("canSerializeFMUstate", "canSerializeFMUState"),
        .hasDirectionalDerivatives =
            flag("providesDirectionalDerivative", "providesDirectionalDerivatives"),
        .needsStepDone = isTwo ? !node.attribute("completedIntegratorStepNotNeeded").as_bool()
                               : node.attribute("needsCompletedIntegratorStep").as_bool(),
        .isOnlyOnce = node.attribute("canBeInstantiatedOnlyOncePerProcess").as_bool(),
        .canVaryStep = node.attribute("canHandleVariableCommunicationStepSize").as_bool(),
        .fixedStep = numberOf(node.attribute("fixedInternalStepSize"))};
    interface->canSerialize = interface->canSerialize && interface->canRestore;
  }

  // (37.1). A unit without a BaseUnit may still be one of the language.
  void readUnits() {
    for (const xml_node node : root_.child("UnitDefinitions").children("Unit")) {
      FmuUnit unit{.name = node.attribute("name").value()};
      if (const xml_node base = node.child("BaseUnit")) {
        unit.dimension = dimensionOf(base);
        unit.factor = numberOf(base.attribute("factor")).value_or(1.0);
        unit.offset = numberOf(base.attribute("offset")).value_or(0.0);
        if (unit.factor == 0.0) unit.factor = 1.0;
      }
      units_[unit.name] = unit;
    }
  }

  FmuUnit findUnit(const std::string& name) const {
    if (name.empty()) return {};
    const auto found = units_.find(name);
    if (found != units_.end() && found->second.dimension) return found->second;
    FmuUnit unit{.name = name};
    if (const auto known = base::parseUnit(name)) {
      unit.factor = known.value().numerator / known.value().denominator;
      unit.dimension = known.value().dimension;
    }
    return unit;
  }

  void readTypes() {
    for (const xml_node type : root_.child("TypeDefinitions").children()) {
      const xml_node inner = made_.version == 2 ? type.first_child() : type;
      types_[type.attribute("name").value()] = inner;
    }
  }

  std::optional<base::Failure> readVariables() {
    for (const xml_node node : root_.child("ModelVariables").children()) {
      if (node.type() != pugi::node_element) continue;
      xml_node typed = node;
      if (made_.version == 2) {
        const auto isElement = [](const xml_node& child) {
          return findType(2, child.name()).has_value();
        };
        typed = node.find_child(isElement);
      }
      const std::optional<FmuType> type = findType(made_.version, typed.name());
      const std::string name = node.attribute("name").value();
      if (!type) return refuse("has a variable '" + name + "' of an unknown type");
      if (name.empty()) return refuse("has a variable without a name");
      if (!byName_.emplace(name, static_cast<int>(made_.variables.size())).second) {
        return refuse("has two variables named '" + name + "'");
      }
      const std::optional<std::uint32_t> reference = wholeOf(node.attribute("valueReference"));
      if (!reference) return refuse("has a variable '" + name + "' without a valueReference");
      addVariable(node, typed, *type, *reference);
    }
    return findLengths();
  }

  std::optional<base::Failure> findLengths() {
    for (const Length& length : lengths_) {
      FmuVariable& variable = made_.variables[length.variable];
      const int parameter = findVariable(length.reference);
      if (parameter < 0) {
        return refuse("gives the array '" + variable.name + "' a length that is no variable");
      }
      FmuVariable::Extent& extent = variable.extents[length.extent];
      extent.parameter = parameter;
      const std::string start = made_.variables[parameter].start.value_or("0");
      std::from_chars(start.data(), start.data() + start.size(), extent.length);
    }
    return made_.findWrongLength();
  }

  void addVariable(const xml_node& node, const xml_node& typed, FmuType type,
                   std::uint32_t reference) {
    FmuVariable variable{
        .name = node.attribute("name").value(), .reference = reference, .type = type};
    variable.causality = causalityOf(node.attribute("causality").value());
    const std::string_view variability = node.attribute("variability").value();
    variable.isConstant = variability == "constant";
    variable.isContinuous = variability == "continuous" || (variability.empty() && isFloat(type));
    for (const xml_node extent : typed.children("Dimension")) {
      variable.extents.push_back({extent.attribute("start").as_int(1), -1});
      if (const pugi::xml_attribute parameter = extent.attribute("valueReference")) {
        lengths_.push_back(
            {made_.variables.size(), variable.extents.size() - 1, parameter.as_uint()});
      }
    }
    if (const pugi::xml_attribute start = typed.attribute("start")) variable.start = start.value();
    if (const xml_node start = typed.child("Start")) {
      variable.start = start.attribute("value").value();
    }
    // What the variable does not say its type does.
    const xml_node declared = types_[typed.attribute("declaredType").value()];
    const auto attribute = [&](const char* key) {
      return typed.attribute(key) ? typed.attribute(key) : declared.attribute(key);
    };
    variable.unit = findUnit(attribute("unit").value());
    variable.least = numberOf(attribute("min"));
    variable.most = numberOf(attribute("max"));
    if (typed.attribute("relativeQuantity").as_bool()) variable.unit.offset = 0.0;
    const int index = static_cast<int>(made_.variables.size());
    byReference_.emplace(variable.reference, index);
    // FMI 2.0 counts from 1; FMI 3.0 has the reference.
    if (const pugi::xml_attribute state = typed.attribute("derivative")) {
      if (const auto number = wholeOf(state)) stateOf_[index] = *number;
    }
    made_.variables.push_back(std::move(variable));
  }

  // The variable that an entry of the structure means; -1: there is none.
  int findVariable(std::uint32_t number) const {
    if (made_.version == 2) {
      const auto count = static_cast<std::uint32_t>(made_.variables.size());
      return number >= 1 && number <= count ? static_cast<int>(number) - 1 : -1;
    }
    const auto found = byReference_.find(number);
    return found == byReference_.end() ? -1 : found->second;
  }

  std::optional<base::Failure> readUnknown(const xml_node& node, std::vector<FmuUnknown>& list) {
    const char* key = made_.version == 2 ? "index" : "valueReference";
    const std::optional<std::uint32_t> number = wholeOf(node.attribute(key));
    FmuUnknown unknown{.variable = number ? findVariable(*number) : -1};
    if (unknown.variable < 0) return refuse("has a ModelStructure that names no variable");
    if (const pugi::xml_attribute dependencies = node.attribute("dependencies")) {
      unknown.dependencies.emplace();
      std::istringstream text(dependencies.value());
      for (std::uint32_t other = 0; text >> other;) {
        unknown.dependencies->push_back(findVariable(other));
      }
    }
    list.push_back(std::move(unknown));
    return {};
  }

  std::optional<base::Failure> readStructure() {
    const xml_node structure = root_.child("ModelStructure");
    const bool isTwo = made_.version == 2;
    const auto readAll = [&](const xml_node& parent, const char* name,
                             std::vector<FmuUnknown>& list) -> std::optional<base::Failure> {
      for (const xml_node node : parent.children(name)) {
        if (auto failure = readUnknown(node, list)) return failure;
      }
      return {};
    };
    auto failure = isTwo ? readAll(structure.child("Outputs"), "Unknown", made_.outputs)
                         : readAll(structure, "Output", made_.outputs);
    if (!failure) {
      failure = isTwo ? readAll(structure.child("Derivatives"), "Unknown", made_.derivatives)
                      : readAll(structure, "ContinuousStateDerivative", made_.derivatives);
    }
    if (failure) return failure;
    std::vector<FmuUnknown> indicators;
    failure = readAll(structure, "EventIndicator", indicators);
    if (failure) return failure;
    for (const FmuUnknown& unknown : indicators) {
      made_.indicatorVariables.push_back(unknown.variable);
    }
    if (isTwo) made_.indicators = root_.attribute("numberOfEventIndicators").as_int();
    // There is a number in memory for each, whether the binary has so many or not.
    constexpr int kMostIndicators = 100'000;
    if (made_.indicators < 0 || made_.indicators > kMostIndicators) {
      return refuse("has " + std::to_string(made_.indicators) + " event indicators");
    }
    return findStates();
  }

  std::optional<base::Failure> findStates() {
    for (const FmuUnknown& derivative : made_.derivatives) {
      const auto state = stateOf_.find(derivative.variable);
      const int variable = state == stateOf_.end() ? -1 : findVariable(state->second);
      if (variable < 0) {
        return refuse("has a derivative '" + made_.variables[derivative.variable].name +
                      "' of no state");
      }
      if (made_.variables[variable].count() != made_.variables[derivative.variable].count()) {
        return refuse("has a derivative '" + made_.variables[derivative.variable].name +
                      "' of another length than its state");
      }
      made_.states.push_back(variable);
    }
    return {};
  }

  xml_node root_;
  FmuDescription made_;
  std::map<std::string, FmuUnit> units_;
  std::map<std::string, xml_node> types_;
  std::map<std::string, int> byName_;
  std::map<std::uint32_t, int> byReference_;
  std::map<int, std::uint32_t> stateOf_;  // by the variable that is a derivative
  // Of arrays, given by variables that may come later.
  struct Length {
    std::size_t variable, extent;
    std::uint32_t reference;
  };
  std::vector<Length> lengths_;
};

}  // namespace

const char* nameOf(FmuType type) {
  return kTypes[static_cast<std::size_t>(type)].three;
}

bool isFloat(FmuType type) {
  return type == FmuType::kFloat64 || type == FmuType::kFloat32;
}

bool isNumber(FmuType type) {
  return type != FmuType::kString && type != FmuType::kBinary && type != FmuType::kClock;
}

base::Result<FmuDescription> readFmuDescription(const std::string& xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) {
    const auto line =
        1 + std::count(xml.begin(),
                       xml.begin() + std::clamp<std::ptrdiff_t>(parsed.offset, 0, std::ssize(xml)),
                       '\n');
    return refuse("is not XML: line " + std::to_string(line) + ": " + parsed.description());
  }
  const xml_node root = document.child("fmiModelDescription");
  if (!root) return refuse("has no element fmiModelDescription");
  return Reader(root).read();
}

}  // namespace flexloop::control
