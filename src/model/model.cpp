#include "model/model.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace flexloop::model {
namespace {

using system::Value;

bool isZero(const Value& value) {
  if (const double* number = std::get_if<double>(&value.data)) return *number == 0.0;
  if (const auto* list = std::get_if<system::ValueList>(&value.data)) {
    return std::all_of(list->begin(), list->end(), isZero);
  }
  return false;
}

bool changesEnergy(const system::Item& item) {
  constexpr std::array<std::string_view, 3> kSections{"loads", "actuators", "contacts"};
  if (std::find(kSections.begin(), kSections.end(), item.section()) != kSections.end()) return true;
  constexpr std::array<std::string_view, 3> kKeys{"damping", "friction", "drive"};
  return std::any_of(kKeys.begin(), kKeys.end(), [&](std::string_view key) {
    const Value* value = item.find(key);
    return value != nullptr && !isZero(*value);
  });
}

}  // namespace

Model::Model(ModelParts parts) : parts_(std::move(parts)) {
  const auto& items = parts_.description.items;
  conservative_ = std::none_of(items.begin(), items.end(), changesEnergy);
}

std::optional<system::UnknownIndex> Model::findSignal(std::string_view name) const {
  for (const auto& [known, signal] : parts_.signals) {
    if (known == name) return signal;
  }
  return std::nullopt;
}

std::string Model::signalName(system::UnknownIndex signal) const {
  for (const auto& [name, known] : parts_.signals) {
    if (known.value == signal.value) return name;
  }
  return {};
}

int Model::countItems(std::string_view section) const {
  const auto& items = parts_.description.items;
  return static_cast<int>(std::count_if(items.begin(), items.end(), [&](const system::Item& item) {
    return item.section() == section;
  }));
}

}  // namespace flexloop::model
