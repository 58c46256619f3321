#include "language/model_reader.hpp"

#include <optional>
#include <unordered_set>
#include <utility>
#include <variant>

#include "language/assemblies/assembly.hpp"
#include "language/assemblies/instance_expander.hpp"
#include "language/diagrams/diagram.hpp"
#include "language/diagrams/diagram_expander.hpp"
#include "language/item_reader.hpp"
#include "language/parameter_table.hpp"
#include "language/raw_model.hpp"
#include "language/references.hpp"
#include "language/source_reader.hpp"
#include "language/values/value_reader.hpp"
#include "system/node.hpp"

namespace flexloop::language {
namespace {

using model::Description;
using system::Parameter;
using system::Shape;

class ModelReader {
 public:
  // Without stored files, those on disk.
  ModelReader(RawModel raw, const system::Registry& registry, ErrorList& errors,
              const model::SourceFiles* stored)
      : raw_(std::move(raw)),
        registry_(registry),
        errors_(errors),
        table_(readParameters(raw_, errors)),
        diagrams_(raw_, registry, errors),
        assemblies_(raw_, registry, errors),
        values_(table_, errors),
        items_(registry, diagrams_.names(), values_, errors),
        expander_({raw_, registry, table_, values_, items_, errors}),
        instances_(assemblies_, {registry, table_, values_, items_, errors}),
        files_(stored) {
    values_.setFiles(files_);
  }

  Description read() {
    Description description;
    description.file = *raw_.file;
    readHead(description);
    for (RawSection& section : raw_.sections) {
      if (!hasItems(section.name)) continue;
      for (RawEntry& entry : section.entries) readItem(section.name, entry, description);
    }
    for (const PlacedEntry& placed : instances_.entries()) readPlaced(placed, description);
    readOutputs(description);
    diagrams_.warnOfUnused(*raw_.file, description.warnings);
    assemblies_.warnOfUnused(*raw_.file, description.warnings);
    References(raw_, description, registry_, expander_.uses(), instances_, errors_).check();
    return description;
  }

 private:
  void readItem(const std::string& section, RawEntry& entry, Description& description) {
    if (section == "instances") {
      return instances_.expand(entry, findClash(entry.key), description.items);
    }
    if (section == "blocks" && expandDiagram(entry, entry.key, nullptr, description)) return;
    std::optional<system::Item> item = items_.read(section, entry);
    if (item) description.items.push_back(std::move(*item));
  }

  // An item of an assembly in one of its instances, read with the parameters of that instance.
  void readPlaced(const PlacedEntry& placed, Description& description) {
    const InstanceScope& scope = *placed.scope;
    const ErrorContext context(errors_, scope.context());
    const RawEntry& entry = *placed.entry;
    if (placed.section == "blocks" && expandDiagram(entry, placed.name, &scope, description)) {
      return;
    }
    const ValueReader::Scope before = values_.enter({&scope.parameters, &scope.assembly().signals});
    std::optional<system::Item> item = items_.readInner(placed.section, entry, placed.name);
    values_.enter(before);
    if (!item) return;
    scope.place(*item, *registry_.find(item->section(), item->type()));
    description.items.push_back(std::move(*item));
  }

  // Whether the block is a use of a diagram.
  bool expandDiagram(const RawEntry& entry, const std::string& path, const InstanceScope* scope,
                     Description& description) {
    if (diagrams_.isForgiven(entry)) return true;
    Diagram* diagram = diagrams_.findTypeOf(entry);
    if (diagram == nullptr) return false;
    diagram->isUsed = true;
    expander_.expand(entry, path, *diagram, scope, description.items);
    return true;
  }

  // What else than an instance has parts and this name.
  std::string findClash(const std::string& name) {
    for (const RawSection& section : raw_.sections) {
      const bool hasParts =
          sharesSignalNames(section.name) || section.name == "beams" || section.name == "parts";
      if (hasParts && findEntry(section.entries, name) != nullptr) {
        return "one of the " + section.name;
      }
    }
    return {};
  }

  static ParameterTable readParameters(RawModel& raw, ErrorList& errors) {
    const RawSection* section = raw.findSection("parameters");
    return section != nullptr ? ParameterTable(*section, errors) : ParameterTable();
  }

  void readHead(Description& description) {
    for (std::size_t i = 0; i < table_.names().size(); ++i) {
      description.parameters.emplace_back(table_.names()[i], table_.values()[i]);
    }
    if (raw_.title && !raw_.title->isNull()) {
      const Parameter title{.name = "title", .shape = Shape::kText, .doc = {}};
      if (auto value = values_.read(*raw_.title, title, {"", "title"})) {
        description.title = std::get<std::string>(value->data);
      }
    }
    if (raw_.gravity) {
      const Parameter gravity{.name = "gravity",
                              .shape = Shape::kVector,
                              .doc = "acceleration in ground axes",
                              .dimension = base::kAcceleration};
      if (auto value = values_.read(*raw_.gravity, gravity, {"", "gravity"})) {
        const std::vector<double> entries = system::numbersOf(*value);
        description.gravity = Eigen::Vector3d(entries[0], entries[1], entries[2]);
        description.hasGravity = true;
      }
    }
    if (raw_.formulation) {
      const Parameter formulation{.name = "formulation",
                                  .shape = Shape::kChoice,
                                  .doc = "formulation of nodes that do not set their own",
                                  .choices = system::formulationWords()};
      if (auto value = values_.read(*raw_.formulation, formulation, {"", "formulation"})) {
        description.formulation = std::get<std::string>(value->data);
      }
    }
  }

  void readOutputs(Description& description) {
    if (!raw_.outputs) return;
    description.outputsGiven = true;
    std::unordered_set<std::string> names;
    for (RawNode& output : std::get<RawList>(raw_.outputs->data)) {
      if (const RawScalar* name = output.scalar()) {
        if (!names.insert(name->text).second) {
          errors_.add(output.place, "outputs: " + quote(name->text) + " is given twice",
                      "remove one");
        }
        description.outputs.push_back({output.place, name->text});
      } else if (RawMap* map = std::get_if<RawMap>(&output.data)) {
        readInlineSensor(*map, output.place, description);
      } else {
        errors_.add(output.place, "outputs: expected the name of a signal, or a sensor in { }",
                    "for example [theta1, {name: tip, measure: position, node: B}]");
      }
    }
  }

  void readInlineSensor(RawMap& map, const base::Place& place, Description& description) {
    const RawEntry* name = findEntry(map, "name");
    if (name == nullptr || name->value.scalar() == nullptr || name->value.scalar()->text.empty()) {
      errors_.add(name != nullptr ? name->place : place, "outputs: 'name' is missing",
                  "'name' is the name under which the sensor is recorded");
      return;
    }
    RawEntry entry{name->value.scalar()->text, place, {place, {}}};
    map.erase(map.begin() + (name - map.data()));
    entry.value.data = std::move(map);
    std::optional<system::Item> item = items_.read("sensors", entry);
    if (item) {
      description.outputs.push_back({place, std::move(*item)});
    } else {
      raw_.forgivenNames.push_back(entry.key);
    }
  }

  RawModel raw_;
  const system::Registry& registry_;
  ErrorList& errors_;
  ParameterTable table_;
  Diagrams diagrams_;
  Assemblies assemblies_;
  ValueReader values_;
  ItemReader items_;
  DiagramExpander expander_;
  InstanceExpander instances_;
  NumberFiles files_;
};

Description readChecked(RawModel raw, const system::Registry& registry, const Overrides& overrides,
                        ErrorList& errors, const model::SourceFiles* stored = nullptr) {
  applyOverrides(overrides, registry, raw, errors);
  Description description = ModelReader(std::move(raw), registry, errors, stored).read();
  errors.raiseIfAny();
  return description;
}

}  // namespace

Description readModelFile(const std::string& path, const system::Registry& registry,
                          const Overrides& overrides) {
  ErrorList errors;
  RawModel raw = readRawFile(path, registry, errors);
  return readChecked(std::move(raw), registry, overrides, errors);
}

Description readModelText(const std::string& text, const std::string& name,
                          const system::Registry& registry, const Overrides& overrides) {
  ErrorList errors;
  RawModel raw = readRawText(text, name, registry, errors);
  return readChecked(std::move(raw), registry, overrides, errors);
}

Description readModelFiles(const model::SourceFiles& files, const std::string& path,
                           const system::Registry& registry, const Overrides& overrides) {
  ErrorList errors;
  RawModel raw = readRawFiles(files, path, registry, errors);
  return readChecked(std::move(raw), registry, overrides, errors, &files);
}

}  // namespace flexloop::language
