#include "view/scene/driving_signals.hpp"

#include <algorithm>

#include "control/sources/source.hpp"

namespace flexloop::view {
namespace {

const control::TimeFunction* findFunction(const model::Model& model, const std::string& name) {
  for (const auto& set : model.system().sets()) {
    const auto* sources = dynamic_cast<const control::SourceSet*>(set.get());
    if (sources != nullptr) return sources->find(name);
  }
  return nullptr;
}

DrivingSignal readSignal(const system::Item& item, const char* key, double factor) {
  const system::Value& value = item.at(key);
  if (const double* number = std::get_if<double>(&value.data)) return {"", factor * *number};
  return {std::get<std::string>(value.data), factor};
}

}  // namespace

std::vector<DrivingSignal> findDrivingSignals(const system::Item& item) {
  if (item.section() == "loads") return {readSignal(item, "signal", 1.0)};
  std::vector<DrivingSignal> signals{{item.name(), 1.0}};
  const bool isProportional =
      !item.has("limits") && !item.has("time_constant") && !item.has("frequency");
  if (isProportional) signals.push_back(readSignal(item, "input", item.number("gain")));
  return signals;
}

std::vector<std::string> listDrivingSources(const model::Model& model) {
  std::vector<std::string> names;
  for (const system::Item& item : model.description().items) {
    if (item.section() != "loads" && item.section() != "actuators") continue;
    for (const DrivingSignal& signal : findDrivingSignals(item)) {
      const bool isKnown = std::find(names.begin(), names.end(), signal.name) != names.end();
      if (!isKnown && findFunction(model, signal.name) != nullptr) names.push_back(signal.name);
    }
  }
  return names;
}

std::optional<std::vector<double>> calcSource(const model::Model& model, const std::string& name,
                                              const std::vector<double>& times) {
  const control::TimeFunction* function = findFunction(model, name);
  if (function == nullptr) return std::nullopt;
  std::vector<double> values;
  values.reserve(times.size());
  for (const double time : times) values.push_back(function->at(time).value);
  return values;
}

}  // namespace flexloop::view
