#include "control/boxes/fmu/fmu_wiring.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/units.hpp"
#include "control/boxes/fmu/fmu_values.hpp"
#include "system/stated_unit.hpp"

namespace flexloop::control {
namespace {

using system::Builder;
using system::Item;
using system::Value;
using Causality = FmuVariable::Causality;

constexpr double kSameStep = 1e-6;  // relative

std::string listOf(const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 12;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), kLongest); ++k) {
    list += (k == 0 ? "'" : ", '") + names[k] + "'";
  }
  return names.size() > kLongest ? list + ", …" : list;
}

// Why a variable cannot be connected or set; empty: it can.
std::string complainAbout(const FmuVariable& variable) {
  if (variable.type == FmuType::kBinary) return "is of type Binary";
  if (variable.type == FmuType::kClock) return "is a clock";
  return {};
}

class Wirer {
 public:
  Wirer(const Item& item, const FmuDescription& fmu, Builder& builder)
      : item_(item), builder_(builder) {
    made_.fmu = fmu;
  }

  std::optional<FmuWiring> wire() {
    refuseClocks();
    if (isRight_) chooseKind();
    if (isRight_) readStructure();
    if (!isRight_) return std::nullopt;
    connectInputs();
    connectOutputs();
    readParameters();
    return isRight_ ? std::optional(made_) : std::nullopt;
  }

 private:
  void refuse(std::string_view key, const std::string& message, const std::string& hint = {}) {
    fail(builder_, item_, key, message, hint);
    isRight_ = false;
  }
  void refuse(const base::Place& place, const std::string& key, const std::string& message,
              const std::string& hint = {}) {
    builder_.error(place, "blocks." + item_.name() + "." + key + ": " + message, hint);
    isRight_ = false;
  }

  // Somebody would have to let them tick.
  void refuseClocks() {
    for (const FmuVariable& variable : fmu_.variables) {
      if (variable.type != FmuType::kClock) continue;
      return refuse("path", "the FMU has the clock '" + variable.name + "'",
                    "clocks are not supported: export it without");
    }
  }

  void chooseKind() {
    const bool hasBoth = fmu_.coSimulation && fmu_.modelExchange;
    const bool wantsSamples = item_.has("sample");
    made_.kind = fmu_.coSimulation && (wantsSamples || !fmu_.modelExchange)
                     ? FmuKind::kCoSimulation
                     : FmuKind::kModelExchange;
    if (item_.has("kind")) {
      made_.kind = item_.text("kind") == "cs" ? FmuKind::kCoSimulation : FmuKind::kModelExchange;
      if (fmu_.find(made_.kind) == nullptr) {
        return refuse("kind", "the FMU does not offer this kind",
                      fmu_.coSimulation ? "it offers 'cs'" : "it offers 'me'");
      }
    }
    if (made_.kind == FmuKind::kCoSimulation) return chooseSample();
    if (wantsSamples && (hasBoth || fmu_.modelExchange)) {
      builder_.diagnostics().addWarning(
          item_.placeOf("sample"),
          "blocks." + item_.name() +
              ": 'sample' has no effect: the FMU is for model exchange, and its equations are part "
              "of the machine",
          "remove it");
    }
  }

  void chooseSample() {
    const FmuInterface& interface = *fmu_.coSimulation;
    const std::optional<double> own = interface.fixedStep ? interface.fixedStep : fmu_.stepSize;
    made_.sample = item_.number("sample", own.value_or(0.0));
    if (!(made_.sample > 0.0)) {
      return refuse("sample", "the FMU is for co-simulation and proposes no step",
                    "give the communication step: sample: 1 ms");
    }
    if (!interface.fixedStep || interface.canVaryStep) return;
    const double steps = made_.sample / *interface.fixedStep;
    if (steps > 0.5 && std::abs(steps - std::round(steps)) < kSameStep * steps) return;
    refuse("sample", fmt::format("{:g} s is not a multiple of the FMU's own step", made_.sample),
           fmt::format("the FMU has a fixed step of {:g} s", *interface.fixedStep));
  }

  int find(const std::string& name) const {
    const auto found = std::find_if(fmu_.variables.begin(), fmu_.variables.end(),
                                    [&](const FmuVariable& v) { return v.name == name; });
    return found == fmu_.variables.end() ? -1 : static_cast<int>(found - fmu_.variables.begin());
  }

  std::vector<std::string> namesOf(const std::function<bool(const FmuVariable&)>& isOne) const {
    std::vector<std::string> names;
    for (const FmuVariable& variable : fmu_.variables) {
      if (isOne(variable)) names.push_back(variable.name);
    }
    return names;
  }

  void refuseUnknown(const base::Place& place, const std::string& key, const std::string& what,
                     const std::string& name, const std::vector<std::string>& known) {
    const auto nearest = base::findNearestWord(name, known);
    std::string hint = "it has none";
    if (!known.empty()) hint = "it has " + listOf(known);
    if (nearest) hint = "did you mean '" + *nearest + "'?";
    refuse(place, key, "the FMU has no " + what + " '" + name + "'", hint);
  }

  static bool isInput(const FmuVariable& v) { return v.causality == Causality::kInput; }
  static bool isOutput(const FmuVariable& v) { return v.causality == Causality::kOutput; }
  // What may be set before the start.
  static bool canStart(const FmuVariable& v) {
    if (v.causality == Causality::kParameter) return !v.isConstant;
    const bool isFree = v.causality == Causality::kInput || v.causality == Causality::kOutput ||
                        v.causality == Causality::kLocal;
    return isFree && v.start && !v.isConstant;
  }

  void connectInputs() {
    if (item_.has("inputs")) {
      for (const auto& [name, value] : std::get<system::ValueMap>(item_.at("inputs").data)) {
        connectInput(name, value);
      }
    }
    for (const FmuVariable& variable : fmu_.variables) {
      if (!isInput(variable) || connected_.contains(variable.name) || isSet(variable.name))
        continue;
      builder_.diagnostics().addWarning(
          item_.has("inputs") ? item_.placeOf("inputs") : item_.place(),
          "blocks." + item_.name() + ": the input '" + variable.name +
              "' of the FMU is not connected",
          "it stays " + variable.start.value_or("zero") +
              "; connect it, or set it under 'parameters'");
    }
  }

  bool isSet(const std::string& name) const {
    if (!item_.has("parameters")) return false;
    const auto& map = std::get<system::ValueMap>(item_.at("parameters").data);
    return std::any_of(map.begin(), map.end(),
                       [&](const auto& entry) { return entry.name == name; });
  }

  void connectInput(const std::string& name, const Value& value) {
    const int index = find(name);
    if (index < 0 || !isInput(fmu_.variables[index])) {
      return refuseUnknown(value.place, "inputs", "input", name, namesOf(isInput));
    }
    const FmuVariable& variable = fmu_.variables[index];
    std::string why = complainAbout(variable);
    if (why.empty() && variable.type == FmuType::kString) why = "is a text";
    if (!why.empty()) {
      return refuse(value.place, "inputs", "the input '" + name + "' of the FMU " + why,
                    "this is not supported: export it with numbers as inputs");
    }
    const bool isSmooth = isFloat(variable.type) && variable.isContinuous;
    if (made_.kind == FmuKind::kModelExchange && !isSmooth) {
      return refuse(value.place, "inputs",
                    "the input '" + name + "' of the FMU may change at events only",
                    "in model exchange this is not supported: use co-simulation, or a continuous "
                    "input");
    }
    const std::vector<std::string> signals = signalsOf(value, variable);
    if (signals.empty()) return;
    connected_.insert(name);
    made_.inputVariables.push_back(index);
    for (const std::string& signal : signals) {
      checkUnit(variable, signal, value.place);
      made_.inputs.push_back(inputOf(signal, value.place, builder_));
    }
    for (const double start : startsOf(variable)) {
      made_.startInputs.push_back(portOf(variable).toSi(start));
    }
  }

  // As many as the input has numbers, row by row; a number as its text.
  std::vector<std::string> signalsOf(const Value& value, const FmuVariable& variable) {
    std::vector<std::string> signals;
    const auto* list = std::get_if<system::ValueList>(&value.data);
    const auto add = [&](const Value& one) {
      if (const auto* text = std::get_if<std::string>(&one.data)) signals.push_back(*text);
      if (const auto* number = std::get_if<double>(&one.data)) {
        signals.push_back(fmt::format("{}", *number));
      }
    };
    if (list == nullptr) {
      add(value);
    } else {
      std::for_each(list->begin(), list->end(), add);
    }
    if (std::ssize(signals) == variable.count()) return signals;
    const std::string needed = variable.isArray()
                                   ? std::to_string(variable.count()) + " signals, in a list"
                                   : std::string("one signal");
    refuse(value.place, "inputs", "'" + variable.name + "' takes " + needed,
           variable.isArray() ? "it is an array of " + shapeOf(variable) : "");
    return {};
  }

  // Of sensors the unit is known; of other signals it is not.
  void checkUnit(const FmuVariable& variable, const std::string& signal, const base::Place& place) {
    if (!variable.unit.dimension) return;
    const std::string name = signal.starts_with('-') ? signal.substr(1) : signal;
    const std::size_t dot = name.find('.');
    const Item* sensor = builder_.findItem("sensors", name.substr(0, dot));
    if (sensor == nullptr) return;
    std::string unit(sensor->fact(&system::TypeFacts::unit));
    if (unit.empty()) return;
    if (name.ends_with(".rate")) unit = "(" + unit + ")/s";
    const auto known = base::parseUnit(unit);
    if (!known || known.value().dimension == *variable.unit.dimension) return;
    refuse(place, "inputs",
           fmt::format("the input '{}' of the FMU is {}, but '{}' is {}", variable.name,
                       base::describe(*variable.unit.dimension), name,
                       base::describe(known.value().dimension)),
           "connect another signal, or convert it with a block of type gain");
  }

  void connectOutputs() {
    std::vector<std::string> names =
        item_.has("outputs") ? item_.names("outputs") : namesOf(isOutput);
    std::set<std::string> seen;
    for (const std::string& name : names) {
      const int index = find(name);
      if (index < 0 || !isOutput(fmu_.variables[index])) {
        refuseUnknown(item_.placeOf("outputs"), "outputs", "output", name, namesOf(isOutput));
        continue;
      }
      const FmuVariable& variable = fmu_.variables[index];
      std::string why = complainAbout(variable);
      if (why.empty() && variable.type == FmuType::kString) why = "is a text";
      if (why.empty() && !seen.insert(name).second) why = "is given twice";
      if (!why.empty()) {
        refuse(item_.has("outputs") ? "outputs" : "path",
               "the output '" + name + "' of the FMU " + why,
               "name the outputs that are needed: outputs: [NAME, …]");
        continue;
      }
      made_.outputVariables.push_back(index);
      for (int k = 0; k < variable.count(); ++k) made_.ports.push_back(variable.nameOf(k));
    }
    if (made_.ports.empty() && isRight_) refuse("path", "the FMU has no outputs");
  }

  void readParameters() {
    if (!item_.has("parameters")) return;
    for (const auto& [name, value] : std::get<system::ValueMap>(item_.at("parameters").data)) {
      const int index = find(name);
      if (index < 0) {
        refuseUnknown(value.place, "parameters", "parameter", name, namesOf(canStart));
        continue;
      }
      readParameter(fmu_.variables[index], value);
    }
  }

  void readParameter(const FmuVariable& variable, const Value& value) {
    const std::string& name = variable.name;
    const auto refuseIt = [&](const std::string& why, const std::string& hint = {}) {
      refuse(value.place, "parameters", "'" + name + "' " + why, hint);
    };
    if (connected_.contains(name)) return refuseIt("is connected under 'inputs' as well");
    if (variable.causality == Causality::kStructuralParameter) return;  // set already
    if (!canStart(variable)) return refuseIt("is calculated by the FMU and cannot be set");
    if (const std::string why = complainAbout(variable); !why.empty()) {
      return refuseIt(why, "this is not supported");
    }
    FmuStart start{portOf(variable), {}};
    if (variable.type == FmuType::kString) {
      const auto* text = std::get_if<std::string>(&value.data);
      if (variable.isArray()) return refuseIt("is an array of texts", "this is not supported");
      if (text == nullptr) return refuseIt("is a text", "write it in quotes");
      start.value = *text;
    } else {
      std::optional<std::vector<double>> numbers = readNumbers(variable, value);
      if (!numbers || !haveRightUnits(variable) || !areInRange(*numbers, variable, value)) return;
      start.value = std::move(*numbers);
    }
    made_.starts.push_back(std::move(start));
  }

  bool areInRange(const std::vector<double>& numbers, const FmuVariable& variable,
                  const Value& value) {
    constexpr double kRounding = 1e-12;  // of a conversion to SI and back
    for (const double number : numbers) {
      const double own = portOf(variable).fromSi(number), room = kRounding * std::abs(own);
      const bool isBelow = variable.least && own < *variable.least - room;
      if (!isBelow && !(variable.most && own > *variable.most + room)) continue;
      const std::string unit = variable.unit.name.empty() ? "" : " " + variable.unit.name;
      refuse(value.place, "parameters",
             fmt::format("'{}' is {:g}{}, but the FMU allows {} {:g}", variable.name, own, unit,
                         isBelow ? "no less than" : "no more than",
                         isBelow ? *variable.least : *variable.most));
      return false;
    }
    return true;
  }

  // Numbers without a unit are SI; those with one must be of the dimension that the FMU states, if it states one.
  bool haveRightUnits(const FmuVariable& variable) {
    const std::string key = system::unitKeyOf("parameters");
    if (!variable.unit.dimension || !item_.has(key)) return true;
    for (const auto& [name, units] : std::get<system::ValueMap>(item_.at(key).data)) {
      if (name != variable.name) continue;
      for (const Value& unit : std::get<system::ValueList>(units.data)) {
        const auto stated = base::parseUnit(std::get<std::string>(unit.data));
        if (!stated || stated.value().dimension == *variable.unit.dimension) continue;
        refuse(unit.place, "parameters",
               fmt::format("'{}' of the FMU is {}, but its value is {}", name,
                           base::describe(*variable.unit.dimension),
                           base::describe(stated.value().dimension)),
               "give it in the unit of the FMU, or as a number in SI");
        return false;
      }
    }
    return true;
  }

  // Structural parameters come first: arrays have the lengths that they say.
  void readStructure() {
    if (!item_.has("parameters")) return;
    for (const auto& [name, value] : std::get<system::ValueMap>(item_.at("parameters").data)) {
      const int index = find(name);
      if (index < 0 || fmu_.variables[index].causality != Causality::kStructuralParameter) continue;
      const FmuVariable& variable = fmu_.variables[index];
      const std::optional<std::vector<double>> numbers = readNumbers(variable, value);
      if (!numbers) continue;
      made_.structure.push_back({portOf(variable), *numbers});
      if (variable.isArray() || variable.type == FmuType::kBoolean) continue;
      made_.fmu.setStructure(index, static_cast<int>(std::clamp(numbers->front(), -1.0, 1e9)));
      if (const auto failure = fmu_.findWrongLength()) {
        refuse(value.place, "parameters", "with '" + name + "', " + failure->message,
               failure->hint);
      }
    }
  }

  std::optional<std::vector<double>> readNumbers(const FmuVariable& variable, const Value& value) {
    base::Result<std::vector<double>> numbers = numbersOf(variable, value);
    if (numbers) return std::move(numbers.value());
    refuse(value.place, "parameters", "'" + variable.name + "' " + numbers.failure().message,
           numbers.failure().hint);
    return std::nullopt;
  }

  const Item& item_;
  Builder& builder_;
  FmuWiring made_;
  const FmuDescription& fmu_ = made_.fmu;
  std::set<std::string> connected_;
  bool isRight_ = true;
};

}  // namespace

FmuPort portOf(const FmuVariable& variable) {
  return {variable.name,        variable.reference,   variable.type,
          variable.unit.factor, variable.unit.offset, variable.count()};
}

std::optional<FmuWiring> wireFmu(const Item& item, const FmuDescription& fmu, Builder& builder) {
  return Wirer(item, fmu, builder).wire();
}

std::vector<bool> findUsed(const FmuDescription& fmu, const std::vector<FmuUnknown>& unknowns,
                           int variable) {
  const auto found = std::find_if(unknowns.begin(), unknowns.end(),
                                  [&](const FmuUnknown& u) { return u.variable == variable; });
  const bool isOnAll = found == unknowns.end() || !found->dependencies;
  std::vector<bool> used(fmu.variables.size(), isOnAll);
  if (isOnAll) return used;
  for (const int one : *found->dependencies) {
    if (one >= 0) used[one] = true;
  }
  return used;
}

}  // namespace flexloop::control
