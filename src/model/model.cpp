#include "model/model.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace flexloop::model {
Model::Model(ModelParts parts) : parts_(std::move(parts)) {}

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
