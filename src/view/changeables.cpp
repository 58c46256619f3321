#include "view/changeables.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "io/parameter_table.hpp"
#include "io/unit_name.hpp"

namespace flexloop::view {
namespace {

using system::Item;

constexpr std::array<const char*, 8> kSections{"blocks", "actuators", "springs",  "joints",
                                               "bodies", "beams",     "sections", "materials"};

const system::Parameter* findNumber(const system::Registry& registry, const Item& item,
                                    const std::string& key) {
  const system::TypeEntry* type = registry.find(item.section(), item.type());
  if (type == nullptr) return nullptr;
  for (const system::Parameter& parameter : type->parameters) {
    if (parameter.name == key && parameter.shape == system::Shape::kNumber) return &parameter;
  }
  return nullptr;
}

void addNumbers(const Item& item, const io::RawMap& written, const system::Registry& registry,
                std::vector<Changeable>& list) {
  for (const io::RawEntry& entry : written) {
    if (entry.value.scalar() == nullptr || io::findFormula(entry.value)) continue;
    const system::Parameter* parameter = findNumber(registry, item, entry.key);
    const system::Value* value = item.find(entry.key);
    const double* number = value != nullptr ? std::get_if<double>(&value->data) : nullptr;
    if (parameter == nullptr || number == nullptr) continue;
    std::string unit = io::unitNameOf(*parameter);
    if (unit == "any") unit.clear();
    list.push_back({item.section() + "." + item.name() + "." + entry.key,
                    item.name() + " " + entry.key, *number, unit, item.section()});
  }
}

}  // namespace

std::vector<Changeable> listChangeables(const model::Model& model, io::RawModel& raw,
                                        const system::Registry& registry) {
  std::vector<Changeable> list;
  for (const auto& [name, value] : model.description().parameters) {
    list.push_back({name, name, value, "", "parameters"});
  }
  std::unordered_map<std::string, const Item*> items;
  for (const Item& item : model.description().items) {
    items.emplace(item.section() + "." + item.name(), &item);
  }
  for (const char* name : kSections) {
    const io::RawSection* section = raw.findSection(name);
    if (section == nullptr) continue;
    for (const io::RawEntry& entry : section->entries) {
      const auto item = items.find(section->name + "." + entry.key);
      const io::RawMap* written = entry.value.map();
      if (item == items.end() || written == nullptr) continue;
      addNumbers(*item->second, *written, registry, list);
    }
  }
  return list;
}

}  // namespace flexloop::view
