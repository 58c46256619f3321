#include "model/output_finder.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/nearest_word.hpp"
#include "model/measure_name.hpp"

namespace flexloop::model {
namespace {

constexpr std::string_view kRate = ".rate";

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

std::string OutputFinder::unitOf(const std::string& signal) const {
  Output output;
  return findNamed(signal, output) ? output.unit : std::string();
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
    const std::string_view unit = item.fact(&system::TypeFacts::unit);
    if (!unit.empty()) units_[item.name()] = unit;
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
