#include "model/output_finder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/nearest_word.hpp"
#include "model/measure_name.hpp"

namespace flexloop::model {
namespace {

constexpr std::string_view kRate = ".rate";

// SI units of what sensors measure, where the measure alone tells it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kUnits{{
    {"position", "m"},
    {"displacement", "m"},
    {"distance", "m"},
    {"distance_rate", "m/s"},
    {"velocity", "m/s"},
    {"acceleration", "m/s^2"},
    {"angle", "rad"},
    {"rotation", "rad"},
    {"angular_velocity", "rad/s"},
    {"angular_acceleration", "rad/s^2"},
    {"force", "N"},
    {"tension", "N"},
    {"torque", "N*m"},
    {"energy", "J"},
}};

std::string unitOf(const system::Item& sensor) {
  // Joints have angles and displacements.
  if (sensor.type() == "acceleration" && sensor.has("joint")) return {};
  const auto found = std::find_if(kUnits.begin(), kUnits.end(),
                                  [&](const auto& entry) { return entry.first == sensor.type(); });
  return found != kUnits.end() ? std::string(found->second) : std::string();
}

std::string unitOfActuator(const system::Item& actuator) {
  if (actuator.type() == "motion") return {};
  return actuator.type() == "torque" ? "N*m" : "N";
}

std::string rateUnitOf(const std::string& unit) {
  if (unit.empty()) return unit;
  return unit.ends_with("/s") ? unit + "^2" : unit + "/s";
}

}  // namespace

bool OutputFinder::findNamed(const std::string& name, Output& output) const {
  if (const std::optional<MeasureUse> use = findMeasure(measures_, name)) {
    output.measure = use->measure;
    output.component = use->component;
    output.rate = use->rate;
    output.names =
        use->component >= 0 ? std::vector<std::string>{name} : componentNames(name, *use->measure);
    if (const auto unit = units_.find(use->sensor); unit != units_.end()) {
      output.unit = use->rate ? rateUnitOf(unit->second) : unit->second;
    }
    return true;
  }
  output.signal = builder_.findSignal(name);
  output.names = {name};
  if (const auto unit = units_.find(name); unit != units_.end()) output.unit = unit->second;
  return output.signal.value >= 0;
}

void OutputFinder::reportUnknown(const OutputRequest& request, const std::string& name) {
  std::vector<std::string> known = measureNames(measures_);
  for (std::string& signal : builder_.signalNames()) known.push_back(std::move(signal));
  if (name.ends_with(kRate)) {
    const std::string owner = name.substr(0, name.size() - kRate.size());
    Output signal;
    if (findNamed(owner, signal)) {
      diagnostics_.addError(request.place, "outputs: '" + owner + "' has no exact rate",
                            "only sensors have one, except accelerations and joint forces");
      return;
    }
  }
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  diagnostics_.addError(request.place, "outputs: there is no sensor or signal named '" + name + "'",
                        nearest ? "did you mean '" + *nearest + "'?" : "");
}

void OutputFinder::addRequest(const OutputRequest& request, Outputs& outputs) {
  const auto* item = std::get_if<system::Item>(&request.what);
  const std::string& name = item != nullptr ? item->name() : std::get<std::string>(request.what);
  Output output;
  if (findNamed(name, output)) {
    outputs.add(std::move(output));
  } else {
    reportUnknown(request, name);
  }
}

void OutputFinder::rememberUnits(const Description& description) {
  const auto remember = [&](const system::Item& item) {
    if (item.section() == "sensors") units_[item.name()] = unitOf(item);
    if (item.section() == "actuators") units_[item.name()] = unitOfActuator(item);
  };
  for (const system::Item& item : description.items) remember(item);
  for (const OutputRequest& request : description.outputs) {
    if (const auto* item = std::get_if<system::Item>(&request.what)) remember(*item);
  }
}

Outputs OutputFinder::find(const Description& description) {
  rememberUnits(description);
  Outputs outputs;
  if (description.outputsGiven) {
    for (const OutputRequest& request : description.outputs) addRequest(request, outputs);
    return outputs;
  }
  for (const std::string_view section : {"sensors", "actuators"}) {
    for (const system::Item& item : description.items) {
      if (item.section() == section) addRequest({item.place(), item.name()}, outputs);
    }
  }
  return outputs;
}

}  // namespace flexloop::model
