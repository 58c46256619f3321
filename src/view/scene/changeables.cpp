#include "view/scene/changeables.hpp"

#include <array>
#include <unordered_map>

#include "language/item_reader.hpp"
#include "language/parameter_table.hpp"
#include "language/unit_name.hpp"

namespace flexloop::view {
namespace {

using system::Item;
using system::Parameter;
using system::Shape;

constexpr std::array<const char*, 9> kSections{"blocks", "actuators", "springs",
                                               "joints", "loads",     "bodies",
                                               "beams",  "sections",  "materials"};
constexpr std::size_t kMostEntries = 12;  // longer lists are tables, not gains

class Lister {
 public:
  explicit Lister(const system::Registry& registry) : registry_(registry) {}

  void addNumber(const std::string& path, const std::string& label, const language::RawNode& node,
                 const std::string& unit) {
    if (node.scalar() == nullptr || language::findFormula(node)) return;
    const auto quantity = table_.readQuantity(node, {path, label}, ignored_);
    if (!quantity) return;
    list_.push_back({path, label, quantity->value, unit, path.substr(0, path.find('.'))});
  }

  // Numbers of any dimension: parameters of diagrams.
  void addPlainMap(const std::string& path, const std::string& label,
                   const language::RawNode* node) {
    const language::RawMap* map = node != nullptr ? node->map() : nullptr;
    if (map == nullptr) return;
    for (const language::RawEntry& entry : *map) {
      addNumber(path + "." + entry.key, label + " " + entry.key, entry.value, "");
    }
  }

  void addItem(const std::string& path, const std::string& name, const std::string& type,
               const language::RawMap& written) {
    const std::string section =
        path.starts_with("diagrams.") ? "blocks" : path.substr(0, path.find('.'));
    const system::TypeEntry* entry = registry_.find(section, type);
    if (entry != nullptr) addMap(path, name, written, entry->parameters);
  }

  std::vector<Changeable> take() { return std::move(list_); }

 private:
  void addMap(const std::string& path, const std::string& label, const language::RawMap& written,
              const std::vector<Parameter>& parameters) {
    for (const language::RawEntry& entry : written) {
      for (const Parameter& parameter : parameters) {
        if (parameter.name != entry.key) continue;
        addValue(path + "." + entry.key, label + " " + entry.key, entry.value, parameter);
      }
    }
  }

  void addValue(const std::string& path, const std::string& label, const language::RawNode& node,
                const Parameter& parameter) {
    switch (parameter.shape) {
      case Shape::kNumber:
      case Shape::kNumbers:
      case Shape::kMatrix:
        return addEntries(path, label, node, parameter);
      case Shape::kVector:  // places and directions are no gains
        if (parameter.dimension == base::kForce || parameter.dimension == base::kTorque) {
          addEntries(path, label, node, parameter);
        }
        return;
      case Shape::kSignal:
        if (language::isConstantSignal(node)) addNumber(path, label, node, unitOf(parameter));
        return;
      case Shape::kByName:
        if (node.map() != nullptr) {
          for (const language::RawEntry& entry : *node.map()) {
            addValue(path + "." + entry.key, label + " " + entry.key, entry.value,
                     parameter.fields.front());
          }
        }
        return;
      case Shape::kMap:
        if (node.map() != nullptr) addMap(path, label, *node.map(), parameter.fields);
        return;
      default:
        return;
    }
  }

  // Of a list, by their places counted from 1, as --set has them; lists of lists are matrices.
  void addEntries(const std::string& path, const std::string& label, const language::RawNode& node,
                  const Parameter& parameter) {
    const language::RawList* list = node.list();
    if (list == nullptr) return addNumber(path, label, node, unitOf(parameter));
    if (list->size() > kMostEntries) return;
    for (std::size_t i = 0; i < list->size(); ++i) {
      Parameter one = parameter;
      one.dimensions.clear();
      if (i < parameter.dimensions.size()) one.dimension = parameter.dimensions[i];
      const std::string place = std::to_string(i + 1);
      addEntries(path + "." + place, label + " " + place, (*list)[i], one);
    }
  }

  static std::string unitOf(const Parameter& parameter) {
    return parameter.anyDimension ? std::string() : language::unitNameOf(parameter);
  }

  const system::Registry& registry_;
  const language::ParameterTable table_;  // empty: what follows from a parameter is changed there
  language::ErrorList ignored_;           // the model has been read without errors
  std::vector<Changeable> list_;
};

std::string typeOf(const language::RawMap& written) {
  const language::RawEntry* entry = language::findEntry(written, "type");
  const language::RawScalar* type = entry != nullptr ? entry->value.scalar() : nullptr;
  return type != nullptr ? type->text : std::string();
}

const language::RawNode* findNode(const language::RawMap& map, std::string_view key) {
  const language::RawEntry* entry = language::findEntry(map, key);
  return entry != nullptr ? &entry->value : nullptr;
}

// Their parameters, and what their blocks write down.
void addDiagrams(const language::RawSection& diagrams, Lister& lister) {
  for (const language::RawEntry& diagram : diagrams.entries) {
    const language::RawMap* parts = diagram.value.map();
    if (parts == nullptr) continue;
    const std::string path = "diagrams." + diagram.key;
    lister.addPlainMap(path + ".parameters", diagram.key, findNode(*parts, "parameters"));
    const language::RawNode* blocks = findNode(*parts, "blocks");
    if (blocks == nullptr || blocks->map() == nullptr) continue;
    for (const language::RawEntry& block : *blocks->map()) {
      const language::RawMap* written = block.value.map();
      if (written == nullptr) continue;
      const std::string name = diagram.key + " " + block.key;
      lister.addItem(path + ".blocks." + block.key, name, typeOf(*written), *written);
      lister.addPlainMap(path + ".blocks." + block.key + ".parameters", name,
                         findNode(*written, "parameters"));
    }
  }
}

}  // namespace

std::vector<Changeable> listChangeables(const model::Model& model, language::RawModel& raw,
                                        const system::Registry& registry) {
  Lister lister(registry);
  std::unordered_map<std::string, const Item*> items;
  for (const Item& item : model.description().items) {
    items.emplace(item.section() + "." + item.name(), &item);
  }
  for (const char* name : kSections) {
    const language::RawSection* section = raw.findSection(name);
    if (section == nullptr) continue;
    for (const language::RawEntry& entry : section->entries) {
      const std::string path = section->name + "." + entry.key;
      const language::RawMap* written = entry.value.map();
      if (written == nullptr) continue;
      const auto item = items.find(path);
      if (item != items.end()) {
        lister.addItem(path, entry.key, item->second->type(), *written);
      } else {  // the use of a diagram
        lister.addPlainMap(path + ".parameters", entry.key, findNode(*written, "parameters"));
      }
    }
  }
  if (const language::RawSection* diagrams = raw.findSection("diagrams"))
    addDiagrams(*diagrams, lister);
  std::vector<Changeable> list;
  for (const auto& [name, value] : model.description().parameters) {
    list.push_back({name, name, value, "", "parameters"});
  }
  for (Changeable& entry : lister.take()) list.push_back(std::move(entry));
  return list;
}

}  // namespace flexloop::view
