#include "view/changeables.hpp"

#include <array>
#include <unordered_map>

#include "io/item_reader.hpp"
#include "io/parameter_table.hpp"
#include "io/unit_name.hpp"

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

  void addNumber(const std::string& path, const std::string& label, const io::RawNode& node,
                 const std::string& unit) {
    if (node.scalar() == nullptr || io::findFormula(node)) return;
    const auto quantity = table_.readQuantity(node, {path, label}, ignored_);
    if (!quantity) return;
    list_.push_back({path, label, quantity->value, unit, path.substr(0, path.find('.'))});
  }

  // Numbers of any dimension: parameters of diagrams.
  void addPlainMap(const std::string& path, const std::string& label, const io::RawNode* node) {
    const io::RawMap* map = node != nullptr ? node->map() : nullptr;
    if (map == nullptr) return;
    for (const io::RawEntry& entry : *map) {
      addNumber(path + "." + entry.key, label + " " + entry.key, entry.value, "");
    }
  }

  void addItem(const std::string& path, const std::string& name, const std::string& type,
               const io::RawMap& written) {
    const std::string section =
        path.starts_with("diagrams.") ? "blocks" : path.substr(0, path.find('.'));
    const system::TypeEntry* entry = registry_.find(section, type);
    if (entry != nullptr) addMap(path, name, written, entry->parameters);
  }

  std::vector<Changeable> take() { return std::move(list_); }

 private:
  void addMap(const std::string& path, const std::string& label, const io::RawMap& written,
              const std::vector<Parameter>& parameters) {
    for (const io::RawEntry& entry : written) {
      for (const Parameter& parameter : parameters) {
        if (parameter.name != entry.key) continue;
        addValue(path + "." + entry.key, label + " " + entry.key, entry.value, parameter);
      }
    }
  }

  void addValue(const std::string& path, const std::string& label, const io::RawNode& node,
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
        if (io::isConstantSignal(node)) addNumber(path, label, node, unitOf(parameter));
        return;
      case Shape::kMap:
        if (node.map() != nullptr) addMap(path, label, *node.map(), parameter.fields);
        return;
      default:
        return;
    }
  }

  // Of a list, by their places counted from 1, as --set has them; lists of lists are matrices.
  void addEntries(const std::string& path, const std::string& label, const io::RawNode& node,
                  const Parameter& parameter) {
    const io::RawList* list = node.list();
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
    return parameter.anyDimension ? std::string() : io::unitNameOf(parameter);
  }

  const system::Registry& registry_;
  const io::ParameterTable table_;  // empty: what follows from a parameter is changed there
  io::ErrorList ignored_;           // the model has been read without errors
  std::vector<Changeable> list_;
};

std::string typeOf(const io::RawMap& written) {
  const io::RawEntry* entry = io::findEntry(written, "type");
  const io::RawScalar* type = entry != nullptr ? entry->value.scalar() : nullptr;
  return type != nullptr ? type->text : std::string();
}

const io::RawNode* findNode(const io::RawMap& map, std::string_view key) {
  const io::RawEntry* entry = io::findEntry(map, key);
  return entry != nullptr ? &entry->value : nullptr;
}

// Their parameters, and what their blocks write down.
void addDiagrams(const io::RawSection& diagrams, Lister& lister) {
  for (const io::RawEntry& diagram : diagrams.entries) {
    const io::RawMap* parts = diagram.value.map();
    if (parts == nullptr) continue;
    const std::string path = "diagrams." + diagram.key;
    lister.addPlainMap(path + ".parameters", diagram.key, findNode(*parts, "parameters"));
    const io::RawNode* blocks = findNode(*parts, "blocks");
    if (blocks == nullptr || blocks->map() == nullptr) continue;
    for (const io::RawEntry& block : *blocks->map()) {
      const io::RawMap* written = block.value.map();
      if (written == nullptr) continue;
      const std::string name = diagram.key + " " + block.key;
      lister.addItem(path + ".blocks." + block.key, name, typeOf(*written), *written);
      lister.addPlainMap(path + ".blocks." + block.key + ".parameters", name,
                         findNode(*written, "parameters"));
    }
  }
}

}  // namespace

std::vector<Changeable> listChangeables(const model::Model& model, io::RawModel& raw,
                                        const system::Registry& registry) {
  Lister lister(registry);
  std::unordered_map<std::string, const Item*> items;
  for (const Item& item : model.description().items) {
    items.emplace(item.section() + "." + item.name(), &item);
  }
  for (const char* name : kSections) {
    const io::RawSection* section = raw.findSection(name);
    if (section == nullptr) continue;
    for (const io::RawEntry& entry : section->entries) {
      const std::string path = section->name + "." + entry.key;
      const io::RawMap* written = entry.value.map();
      if (written == nullptr) continue;
      const auto item = items.find(path);
      if (item != items.end()) {
        lister.addItem(path, entry.key, item->second->type(), *written);
      } else {  // the use of a diagram
        lister.addPlainMap(path + ".parameters", entry.key, findNode(*written, "parameters"));
      }
    }
  }
  if (const io::RawSection* diagrams = raw.findSection("diagrams")) addDiagrams(*diagrams, lister);
  std::vector<Changeable> list;
  for (const auto& [name, value] : model.description().parameters) {
    list.push_back({name, name, value, "", "parameters"});
  }
  for (Changeable& entry : lister.take()) list.push_back(std::move(entry));
  return list;
}

}  // namespace flexloop::view
