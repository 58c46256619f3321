#include "language/assemblies/instance_expander.hpp"

#include <optional>
#include <utility>

namespace flexloop::language {

void InstanceExpander::expand(RawEntry& instance, const std::string& clash,
                              std::vector<system::Item>& items) {
  checkInstanceName(instance, "instances", clash, errors_);
  std::optional<system::Item> item = readers_.items.read("instances", instance);
  wrong_.insert(instance.key);  // until it is expanded
  if (item)
    expandUse({instance, instance.key, "instances." + instance.key}, std::move(*item), items);
}

void InstanceExpander::expandUse(const Use& use, system::Item item,
                                 std::vector<system::Item>& items) {
  Assembly* assembly = findAssembly(use);
  if (assembly == nullptr || assembly->isWrong) return;
  size_ += assembly->size + 1;
  if (size_ > kMostPlacedItems) {
    errors_.add(use.entry.place,
                use.owner + ": the instances expand to more than " +
                    std::to_string(kMostPlacedItems) + " items",
                "the number of items multiplies where assemblies place others several times");
    return;
  }
  InstanceScope& scope = scopes_.emplace_back(*assembly, use.path, use.outside);
  byPath_.emplace(use.path, &scope);
  wrong_.erase(use.path);
  scope.setFrame(item);
  const ParameterTable::Given given = readParameters(use, *assembly);
  const ErrorContext context(errors_, use.owner + " (assembly " + assembly->name + "): ");
  const ParameterTable& around = parametersAround(use);
  scope.parameters = ParameterTable(assembly->parameters, given, around, around.names(), errors_);
  setParameters(*assembly, scope.parameters, item);
  items.push_back(std::move(item));
  expandInside(scope, items);
}

// All of them, the defaults too: studies vary them by their paths.
void InstanceExpander::setParameters(const Assembly& assembly, const ParameterTable& table,
                                     system::Item& item) {
  constexpr const char* kKey = "parameters";
  system::ValueMap values;
  for (const RawEntry& parameter : assembly.parameters) {
    const std::optional<double> value = table.find(parameter.key);
    if (value) values.push_back({parameter.key, {parameter.place, *value}});
  }
  std::erase_if(item.values(), [](const auto& entry) { return entry.name == kKey; });
  item.values().push_back({kKey, {item.place(), std::move(values)}});
}

void InstanceExpander::expandInside(const InstanceScope& scope, std::vector<system::Item>& items) {
  const Assembly& assembly = scope.assembly();
  for (const Assembly::Section& section : assembly.sections) {
    for (const RawEntry& entry : *section.entries) {
      entries_.push_back({section.name, scope.fullName(entry.key), &entry, &scope});
    }
  }
  if (assembly.instances == nullptr) return;
  for (const RawEntry& entry : *assembly.instances) {
    checkInstanceName(entry, "instances", findClash(assembly, entry.key), errors_);
    const ValueReader::Scope before = readers_.values.enter({&scope.parameters, nullptr});
    std::optional<system::Item> item =
        readers_.items.readInner("instances", entry, scope.fullName(entry.key));
    readers_.values.enter(before);
    wrong_.insert(scope.fullName(entry.key));
    if (!item) continue;
    scope.place(*item, *readers_.registry.find("instances", ""));
    expandUse({entry, scope.fullName(entry.key), "instances." + entry.key, &scope},
              std::move(*item), items);
  }
}

std::string InstanceExpander::findClash(const Assembly& assembly, const std::string& name) {
  for (const char* section : {"sensors", "blocks", "actuators", "beams", "parts"}) {
    if (assembly.has(section, name)) return std::string("one of the ") + section;
  }
  return {};
}

Assembly* InstanceExpander::findAssembly(const Use& use) {
  const std::string word(assemblyWordOf(use.entry));
  if (word.empty()) return nullptr;  // 'of' is missing, which has been reported
  Assembly* assembly = assemblies_.find(word);
  if (assembly != nullptr) {
    assembly->isUsed = true;
    return assembly;
  }
  const RawEntry* of = findEntry(*use.entry.value.map(), "of");
  const std::string message = use.owner + ".of: unknown assembly " + quote(word);
  if (assemblies_.empty()) {
    errors_.add(of->value.place, message, "the model has none: define it under 'assemblies:'");
  } else {
    errors_.addUnknown(of->value.place, message, word, assemblies_.names());
  }
  return nullptr;
}

ParameterTable::Given InstanceExpander::readParameters(const Use& use, const Assembly& assembly) {
  std::vector<std::string> known;
  for (const RawEntry& parameter : assembly.parameters) known.push_back(parameter.key);
  ParameterTable::Given given;
  const RawEntry* parameters = findEntry(*use.entry.value.map(), "parameters");
  const RawMap* map = parameters != nullptr ? parameters->value.map() : nullptr;
  ErrorList ignored;  // what is wrong with a number was reported with the item
  for (const RawEntry& entry : map != nullptr ? *map : RawMap()) {
    if (findEntry(assembly.parameters, entry.key) != nullptr) {
      given[entry.key] = parametersAround(use).readQuantity(entry.value, {}, ignored);
      continue;
    }
    const std::string message = use.owner + ".parameters: the assembly " + quote(assembly.name) +
                                " has no parameter " + quote(entry.key);
    if (known.empty()) {
      errors_.add(entry.place, message, "it has none");
    } else {
      given.emplace(errors_.addUnknown(entry.place, message, entry.key, known), std::nullopt);
    }
  }
  for (const RawEntry& parameter : assembly.parameters) {
    if (!parameter.value.isNull() || !given.emplace(parameter.key, std::nullopt).second) continue;
    errors_.add(use.entry.place,
                use.owner + ": the parameter " + quote(parameter.key) + " of assembly " +
                    quote(assembly.name) + " is not given",
                "it has no default: add '" + parameter.key + ": ...' to 'parameters'");
  }
  return given;
}

const ParameterTable& InstanceExpander::parametersAround(const Use& use) const {
  return use.outside != nullptr ? use.outside->parameters : readers_.parameters;
}

bool InstanceExpander::isInsideWrong(const std::string& name) const {
  if (wrong_.empty()) return false;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    if (wrong_.contains(name.substr(0, dot))) return true;
  }
  return false;
}

const InstanceScope* InstanceExpander::findAround(const std::string& name) const {
  for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const auto found = byPath_.find(name.substr(0, dot));
    if (found != byPath_.end()) return found->second;
  }
  return nullptr;
}

}  // namespace flexloop::language
