#include "model/measure_name.hpp"

#include <algorithm>
#include <string_view>

namespace flexloop::model {
namespace {

constexpr std::string_view kRate = ".rate";

std::optional<MeasureUse> findValue(const Measures& measures, const std::string& name) {
  if (const auto found = measures.find(name); found != measures.end()) {
    return MeasureUse{found->second.get(), name, -1, false};
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const auto found = measures.find(name.substr(0, dot));
  if (found == measures.end()) return std::nullopt;
  const std::vector<std::string> components = found->second->components();
  const auto component = std::find(components.begin(), components.end(), name.substr(dot + 1));
  if (component == components.end()) return std::nullopt;
  return MeasureUse{found->second.get(), found->first,
                    static_cast<int>(component - components.begin()), false};
}

}  // namespace

std::optional<MeasureUse> findMeasure(const Measures& measures, const std::string& name) {
  if (auto use = findValue(measures, name)) return use;
  if (!name.ends_with(kRate)) return std::nullopt;
  auto use = findValue(measures, name.substr(0, name.size() - kRate.size()));
  if (!use || !use->measure->hasRate()) return std::nullopt;
  use->rate = true;
  return use;
}

std::vector<std::string> componentNames(const std::string& name, const system::Measure& measure) {
  std::vector<std::string> names;
  for (const std::string& component : measure.components()) {
    names.push_back(component.empty() ? name : name + "." + component);
  }
  return names;
}

std::vector<std::string> measureNames(const Measures& measures) {
  std::vector<std::string> known;
  for (const auto& [name, measure] : measures) {
    known.push_back(name);
    for (const std::string& component : componentNames(name, *measure)) {
      if (component != name) known.push_back(component);
    }
    if (measure->hasRate()) known.push_back(name + std::string(kRate));
  }
  return known;
}

}  // namespace flexloop::model
