#include "fmu/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "api/driven_model.hpp"
#include "api/registry.hpp"
#include "api/study_source.hpp"
#include "control/blocks/block_set.hpp"
#include "language/overrides.hpp"
#include "language/parameter_table.hpp"
#include "language/source_reader.hpp"

namespace flexloop::fmu {
namespace {

using system::Item;
using system::Value;

constexpr double kChange = 1e-3;  // relative
constexpr std::array<std::string_view, 4> kTunable{"blocks", "springs", "loads", "actuators"};

// By what is said, wherever.
bool areSame(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return false;
  if (const auto* list = std::get_if<system::ValueList>(&a.data)) {
    const auto& other = std::get<system::ValueList>(b.data);
    return std::equal(list->begin(), list->end(), other.begin(), other.end(), areSame);
  }
  if (const auto* map = std::get_if<system::ValueMap>(&a.data)) {
    const auto& other = std::get<system::ValueMap>(b.data);
    return std::equal(map->begin(), map->end(), other.begin(), other.end(),
                      [](const system::NamedValue& x, const system::NamedValue& y) {
                        return x.name == y.name && areSame(x.value, y.value);
                      });
  }
  if (const auto* number = std::get_if<double>(&a.data)) return *number == std::get<double>(b.data);
  if (const auto* text = std::get_if<std::string>(&a.data)) {
    return *text == std::get<std::string>(b.data);
  }
  if (const auto* flag = std::get_if<bool>(&a.data)) return *flag == std::get<bool>(b.data);
  return true;
}

bool areSame(const Item& a, const Item& b) {
  return areSame(Value{{}, const_cast<Item&>(a).values()},
                 Value{{}, const_cast<Item&>(b).values()});
}

bool changesTunablesOnly(const model::Description& a, const model::Description& b) {
  if (a.items.size() != b.items.size() || a.gravity != b.gravity) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    const std::string& section = a.items[i].section();
    const bool isTunable = std::find(kTunable.begin(), kTunable.end(), section) != kTunable.end();
    // Settings of analyses are no part of the machine, but a step is not tuned either.
    if (!isTunable && !areSame(a.items[i], b.items[i])) return false;
  }
  return true;
}

std::vector<double> listDelays(const system::System& system) {
  std::vector<double> delays;
  const control::BlockSet* blocks = control::findBlocks(system);
  if (blocks == nullptr) return delays;
  for (const control::DelayedSignal& one : blocks->delays()) delays.push_back(one.delay);
  return delays;
}

bool haveSameTimes(const system::System& a, const system::System& b) {
  return a.clocks() == b.clocks() && a.breaks() == b.breaks() &&
         a.periodicBreaks() == b.periodicBreaks() && a.unknowns() == b.unknowns() &&
         a.start().history.size() == b.start().history.size() &&
         a.start().records.size() == b.start().records.size() && listDelays(a) == listDelays(b);
}

bool isTunable(const api::ModelSource& source, const model::Model& model,
               const TakenParameter& parameter, const std::vector<std::string>& inputs,
               const std::vector<std::string>& outputs) {
  const double value = parameter.value != 0.0 ? parameter.value * (1.0 + kChange) : kChange;
  try {
    const model::Model other =
        api::loadDrivenModel(api::withSettings(source, {{parameter.name, value}}), inputs, outputs);
    return changesTunablesOnly(model.description(), other.description()) &&
           haveSameTimes(model.system(), other.system());
  } catch (const base::InputError&) {
    return false;  // such as a number of elements, which is whole
  }
}

// In the symbols of SI.
std::string nameUnit(const base::Dimension& d) {
  const std::array<std::pair<const char*, int>, 6> factors{{{"kg", d.mass},
                                                            {"m", d.length},
                                                            {"rad", d.angle},
                                                            {"s", d.time},
                                                            {"A", d.current},
                                                            {"K", d.temperature}}};
  std::string above, below;
  for (const auto& [symbol, exponent] : factors) {
    if (exponent == 0) continue;
    std::string& text = exponent > 0 ? above : below;
    if (exponent < 0 || !above.empty()) text += exponent > 0 ? '*' : '/';
    text += symbol;
    if (std::abs(exponent) > 1) (text += '^').append(std::to_string(std::abs(exponent)));
  }
  if (above.empty() && !below.empty()) above += '1';
  return above.append(below);
}

}  // namespace

ModelParameters findParameters(const api::ModelSource& source, const model::Model& model,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  ModelParameters found;
  const std::shared_ptr<const system::Registry> registry = api::findRegistry(source.files);
  language::ErrorList errors;
  language::RawModel raw = language::readRawFiles(*source.files, source.file, *registry, errors);
  language::applyOverrides(source.overrides, *registry, raw, errors);
  const language::RawSection* section = raw.findSection("parameters");
  if (section == nullptr) return found;
  const language::ParameterTable table(*section, errors);
  errors.raiseIfAny();
  for (const auto& [name, value] : model.description().parameters) {
    const auto isNamed = [&](const language::RawEntry& entry) { return entry.key == name; };
    const auto entry = std::find_if(section->entries.begin(), section->entries.end(), isNamed);
    if (entry == section->entries.end()) continue;
    TakenParameter parameter{name, value, false, language::findFormula(entry->value).has_value()};
    if (!parameter.isCalculated) {
      parameter.isTunable = isTunable(source, model, parameter, inputs, outputs);
    }
    const auto place = std::find(table.names().begin(), table.names().end(), name);
    ParameterUnit unit;
    if (place != table.names().end()) {
      const base::Quantity quantity =
          table.quantity(static_cast<int>(place - table.names().begin()));
      if (quantity.hasUnit) unit = {nameUnit(quantity.dimension), quantity.dimension};
    }
    found.all.push_back(std::move(parameter));
    found.units.push_back(std::move(unit));
  }
  return found;
}

}  // namespace flexloop::fmu
