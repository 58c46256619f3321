#include "control/boxes/fmu/fmu_wiring.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/units.hpp"

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
  if (variable.isArray) return "is an array";
  if (variable.type == FmuType::kBinary) return "is of type Binary";
  if (variable.type == FmuType::kClock) return "is a clock";
  return {};
}

double numberOf(const std::optional<std::string>& start) {
  if (!start) return 0.0;
  if (*start == "true") return 1.0;
  double value = 0.0;
  std::from_chars(start->data(), start->data() + start->size(), value);
  return std::isfinite(value) ? value : 0.0;
}

class Wirer {
 public:
  Wirer(const Item& item, const FmuDescription& fmu, Builder& builder)
      : item_(item), fmu_(fmu), builder_(builder) {}

  std::optional<FmuWiring> wire() {
    refuseClocks();
    if (isRight_) chooseKind();
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
                    "this is not supported: export it with scalar inputs");
    }
    const bool isSmooth = isFloat(variable.type) && variable.isContinuous;
    if (made_.kind == FmuKind::kModelExchange && !isSmooth) {
      return refuse(value.place, "inputs",
                    "the input '" + name + "' of the FMU may change at events only",
                    "in model exchange this is not supported: use co-simulation, or a continuous "
                    "input");
    }
    const std::optional<std::string> signal = signalOf(value, name);
    if (!signal) return;
    checkUnit(variable, *signal, value.place);
    connected_.insert(name);
    made_.inputs.push_back(inputOf(*signal, value.place, builder_));
    made_.inputVariables.push_back(index);
    made_.startInputs.push_back(portOf(variable).toSi(numberOf(variable.start)));
  }

  // The one signal of an entry; a number as its text.
  std::optional<std::string> signalOf(const Value& value, const std::string& name) {
    const auto* list = std::get_if<system::ValueList>(&value.data);
    if (list != nullptr && list->size() == 1) return signalOf(list->front(), name);
    if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
    if (const auto* number = std::get_if<double>(&value.data)) return fmt::format("{}", *number);
    refuse(value.place, "inputs", "'" + name + "' takes one signal");
    return std::nullopt;
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
      made_.ports.push_back(name);
    }
    if (names.empty()) refuse("path", "the FMU has no outputs");
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
    if (variable.causality == Causality::kStructuralParameter) {
      return refuseIt("is a structural parameter", "these are not supported");
    }
    if (!canStart(variable)) return refuseIt("is calculated by the FMU and cannot be set");
    if (const std::string why = complainAbout(variable); !why.empty()) {
      return refuseIt(why, "this is not supported");
    }
    FmuStart start{portOf(variable), 0.0};
    const auto* number = std::get_if<double>(&value.data);
    const auto* truth = std::get_if<bool>(&value.data);
    const auto* text = std::get_if<std::string>(&value.data);
    if (variable.type == FmuType::kString) {
      if (text == nullptr) return refuseIt("is a text", "write it in quotes");
      start.value = *text;
    } else if (variable.type == FmuType::kBoolean) {
      const bool isTruth =
          truth != nullptr || (number != nullptr && (*number == 0.0 || *number == 1.0));
      if (!isTruth) return refuseIt("is true or false");
      start.value = truth != nullptr ? (*truth ? 1.0 : 0.0) : *number;
    } else {
      if (number == nullptr)
        return refuseIt(std::string("is a number of type ") + nameOf(variable.type));
      if (!isFloat(variable.type) && *number != std::round(*number)) {
        return refuseIt("is a whole number");
      }
      start.value = *number;
    }
    made_.starts.push_back(std::move(start));
  }

  const Item& item_;
  const FmuDescription& fmu_;
  Builder& builder_;
  FmuWiring made_;
  std::set<std::string> connected_;
  bool isRight_ = true;
};

}  // namespace

FmuPort portOf(const FmuVariable& variable) {
  return {variable.name, variable.reference, variable.type, variable.unit.factor,
          variable.unit.offset};
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
