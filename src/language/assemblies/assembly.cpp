#include "language/assemblies/assembly.hpp"

#include <algorithm>

#include "language/item_reader.hpp"
#include "language/parameter_order.hpp"
#include "language/parameter_table.hpp"

namespace flexloop::language {
namespace {

constexpr int kDeepestLevel = 50;

std::string_view wordOf(const RawEntry& item, std::string_view key) {
  const RawMap* map = item.value.map();
  const RawEntry* entry = map != nullptr ? findEntry(*map, key) : nullptr;
  const RawScalar* word = entry != nullptr ? entry->value.scalar() : nullptr;
  return word != nullptr ? std::string_view(word->text) : std::string_view();
}

// What a model has once, however many assemblies it has.
bool belongsToModel(std::string_view word) {
  return word == "analysis" || word == "diagrams" || word == "assemblies" || word == "outputs" ||
         word == "gravity" || word == "formulation" || word == "include" || word == "title";
}

}  // namespace

std::string_view assemblyWordOf(const RawEntry& instance) {
  return wordOf(instance, "of");
}

void checkInstanceName(const RawEntry& instance, const std::string& section,
                       const std::string& clash, ErrorList& errors) {
  if (clash.empty()) return;
  errors.add(instance.place,
             section + ": the name " + quote(instance.key) + " is also that of " + clash +
                 ", so that it is not clear whose '" + instance.key + ".…' is meant",
             "choose another name for the instance");
}

bool Assembly::has(std::string_view section, std::string_view word) const {
  return things.contains(std::string(section) + "." + std::string(word));
}

bool Assembly::ownsNodes(std::string_view word) const {
  return nodeOwners.contains(std::string(word));
}

bool Assembly::ownsSignal(std::string_view word) const {
  return has("sensors", word) || has("blocks", word) || has("actuators", word) ||
         has("instances", word);
}

Assemblies::Assemblies(RawModel& model, const system::Registry& registry, ErrorList& errors)
    : registry_(registry), errors_(errors) {
  RawSection* section = model.findSection("assemblies");
  if (section == nullptr) return;
  for (RawEntry& entry : section->entries) {
    Assembly& assembly = assemblies_.emplace_back();
    assembly.name = entry.key;
    assembly.place = entry.place;
    byName_.emplace(entry.key, &assembly);
    const std::size_t before = errors.count();
    read(entry, assembly);
    assembly.isWrong = errors.count() != before;
  }
  orderAndCount();
}

std::vector<std::string> Assemblies::names() const {
  std::vector<std::string> names;
  for (const Assembly& assembly : assemblies_) names.push_back(assembly.name);
  return names;
}

Assembly* Assemblies::find(const std::string& name) {
  const auto assembly = byName_.find(name);
  return assembly == byName_.end() ? nullptr : assembly->second;
}

void Assemblies::warnOfUnused(const std::string& file, base::Diagnostics& warnings) const {
  for (const Assembly& assembly : assemblies_) {
    const bool isOwn = assembly.place.file == nullptr || *assembly.place.file == file;
    if (assembly.isUsed || !isOwn) continue;
    warnings.addWarning(
        assembly.place, "assemblies." + assembly.name + ": the assembly is not used",
        "place it under 'instances:' as 'name: {of: " + assembly.name + "}', or remove it");
  }
}

void Assemblies::read(RawEntry& entry, Assembly& assembly) {
  const std::string subject = "assemblies." + entry.key;
  checkItemName("assemblies", entry.key, false, entry.place, errors_);
  if (entry.value.isNull()) return;
  RawMap* map = std::get_if<RawMap>(&entry.value.data);
  if (map == nullptr) {
    errors_.add(entry.value.place, subject + ": expected sections 'nodes: {...}' and others",
                "write '" + entry.key + ": {nodes: {...}, bodies: {...}}'");
    return;
  }
  for (RawEntry& part : *map) {
    if (part.key == "parameters") {
      readParameters(part, assembly);
    } else if (registry_.hasSection(part.key) && !belongsToModel(part.key)) {
      readSection(part, assembly);
    } else {
      refuseKey(part, assembly);
    }
  }
  for (const std::string& thing : assembly.things) {
    const std::string_view section = std::string_view(thing).substr(0, thing.find('.'));
    const std::string name = thing.substr(thing.find('.') + 1);
    if (!sharesSignalNames(section) || findEntry(assembly.parameters, name) != nullptr) continue;
    assembly.signals.push_back(name);
  }
}

void Assemblies::refuseKey(const RawEntry& entry, const Assembly& assembly) {
  const std::string message = "assemblies." + assembly.name + ": " +
                              (belongsToModel(entry.key) ? "" : "unknown section ") +
                              quote(entry.key);
  if (belongsToModel(entry.key)) {
    errors_.add(entry.place, message + " cannot be inside an assembly",
                "write it at the left margin of the model");
    return;
  }
  std::vector<std::string> known{"parameters"};
  for (const std::string& section : registry_.sections()) {
    if (!belongsToModel(section)) known.push_back(section);
  }
  errors_.addUnknown(entry.place, message, entry.key, known);
}

void Assemblies::readParameters(const RawEntry& entry, Assembly& assembly) {
  const std::string subject = "assemblies." + assembly.name + ".parameters";
  if (entry.value.isNull()) return;
  const RawMap* map = entry.value.map();
  if (map == nullptr) {
    errors_.add(entry.value.place, subject + ": expected entries 'name: default'",
                "write 'parameters: {k: 1e4, L: 0.5}'");
    return;
  }
  for (const RawEntry& parameter : *map) {
    if (checkParameterName(subject, parameter, errors_)) assembly.parameters.push_back(parameter);
  }
}

void Assemblies::readSection(RawEntry& entry, Assembly& assembly) {
  if (entry.value.isNull()) return;
  const std::string subject = "assemblies." + assembly.name + "." + entry.key;
  RawMap* entries = std::get_if<RawMap>(&entry.value.data);
  if (entries == nullptr) {
    errors_.add(entry.value.place, subject + ": expected named entries",
                "write '" + entry.key + ": {name: {...}}'");
    return;
  }
  for (RawEntry& item : *entries) {
    checkItemName(subject, item.key, startsSignalNames(entry.key), item.place, errors_);
    expandShortForm(entry.key, item.value);
  }
  addNames(entry.key, *entries, assembly);
  if (entry.key == "instances") {
    assembly.instances = entries;
  } else {
    assembly.sections.push_back({entry.key, entries});
  }
}

void Assemblies::addNames(const std::string& section, const RawMap& entries, Assembly& assembly) {
  for (const RawEntry& item : entries) {
    assembly.things.insert(section + "." + item.key);
    const system::TypeEntry* untyped = registry_.find(section, "");
    const system::TypeEntry* type =
        untyped != nullptr ? untyped : registry_.find(section, wordOf(item, typeKeyOf(section)));
    const bool ownsNodes =
        section == "beams" || section == "instances" || (type != nullptr && type->ownsNodes);
    if (ownsNodes) assembly.nodeOwners.insert(item.key);
  }
}

void Assemblies::orderAndCount() {
  std::vector<std::vector<int>> needs(assemblies_.size());
  std::unordered_map<const Assembly*, int> indices;
  for (const Assembly& assembly : assemblies_) indices.emplace(&assembly, indices.size());
  for (std::size_t i = 0; i < assemblies_.size(); ++i) {
    if (assemblies_[i].instances == nullptr) continue;
    for (const RawEntry& instance : *assemblies_[i].instances) {
      Assembly* inner = find(std::string(assemblyWordOf(instance)));
      if (inner == nullptr) continue;  // reported where it is placed
      inner->isUsed = true;
      needs[i].push_back(indices.at(inner));
    }
  }
  const DependencyOrder order = calcDependencyOrder(needs);
  for (const std::vector<int>& cycle : order.cycles) {
    const Assembly& first = assemblies_[cycle.front()];
    std::string message = "assemblies." + first.name + ": the assembly contains itself: ";
    for (const int i : cycle) message.append(assemblies_[i].name).append(" -> ");
    errors_.add(first.place, message.append(first.name),
                "an assembly cannot contain itself; place a different one");
  }
  for (const int i : order.blocked) assemblies_[i].isWrong = true;
  for (const int i : order.order) count(assemblies_[i]);
}

// The assemblies inside have been counted.
void Assemblies::count(Assembly& assembly) {
  bool isInnerWrong = false;
  for (const Assembly::Section& section : assembly.sections) {
    assembly.size += static_cast<long long>(section.entries->size());
  }
  for (const RawEntry& instance : assembly.instances != nullptr ? *assembly.instances : RawMap()) {
    const Assembly* inner = find(std::string(assemblyWordOf(instance)));
    if (inner == nullptr) continue;
    assembly.size += inner->size + 1;
    assembly.depth = std::max(assembly.depth, inner->depth + 1);
    isInnerWrong = isInnerWrong || inner->isWrong;
  }
  const bool isDeep = assembly.depth > kDeepestLevel;
  if (!isDeep && assembly.size <= kMostPlacedItems) return;
  assembly.size = kMostPlacedItems + 1;  // it must not grow without end
  assembly.isWrong = true;
  if (isInnerWrong) return;  // it has been reported
  const std::string subject = "assemblies." + assembly.name + ": ";
  errors_.add(assembly.place,
              isDeep ? subject + "assemblies are nested more than " +
                           std::to_string(kDeepestLevel) + " levels deep"
                     : subject + "the assembly has more than " + std::to_string(kMostPlacedItems) +
                           " items, including those of nested assemblies",
              "the number of items multiplies where assemblies place others several times");
}

}  // namespace flexloop::language
