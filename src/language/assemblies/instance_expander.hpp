// Turns instances of assemblies into ordinary items: the node `foot` of the assembly that `leg1` is an instance of becomes
// the node `leg1.foot`, so that nothing else knows of assemblies.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "language/assemblies/assembly.hpp"
#include "language/assemblies/instance_scope.hpp"
#include "language/item_reader.hpp"
#include "language/values/value_reader.hpp"

namespace flexloop::language {

// An entry of an assembly in one of its instances.
struct PlacedEntry {
  std::string section;
  std::string name;  // in the model: `leg1.foot`
  const RawEntry* entry = nullptr;
  const InstanceScope* scope = nullptr;
};

class InstanceExpander {
 public:
  struct Readers {
    const system::Registry& registry;
    const ParameterTable& parameters;  // of the model
    ValueReader& values;
    ItemReader& items;
    ErrorList& errors;
  };

  InstanceExpander(Assemblies& assemblies, const Readers& readers)
      : assemblies_(assemblies), readers_(readers), errors_(readers.errors) {}

  // One of the model's own instances; `clash` says what else of the model has parts and the same name, if anything has.
  void expand(RawEntry& instance, const std::string& clash, std::vector<system::Item>& items);

  const std::vector<PlacedEntry>& entries() const { return entries_; }
  bool empty() const { return scopes_.empty(); }
  // The instance around a thing of this name, or null.
  const InstanceScope* findAround(const std::string& name) const;
  // Whether the name starts with an instance that could not be expanded, which has been reported.
  bool isInsideWrong(const std::string& name) const;

 private:
  // An instance in its place.
  struct Use {
    const RawEntry& entry;
    std::string path;
    std::string owner;  // as messages call it
    const InstanceScope* outside = nullptr;
  };

  void expandUse(const Use& use, system::Item item, std::vector<system::Item>& items);
  void expandInside(const InstanceScope& scope, std::vector<system::Item>& items);
  static void setParameters(const Assembly& assembly, const ParameterTable& table,
                            system::Item& item);
  Assembly* findAssembly(const Use& use);
  ParameterTable::Given readParameters(const Use& use, const Assembly& assembly);
  const ParameterTable& parametersAround(const Use& use) const;
  static std::string findClash(const Assembly& assembly, const std::string& name);

  Assemblies& assemblies_;
  Readers readers_;
  ErrorList& errors_;
  std::deque<InstanceScope> scopes_;  // stay where they are
  std::unordered_map<std::string, const InstanceScope*> byPath_;
  std::unordered_set<std::string> wrong_;  // paths
  std::vector<PlacedEntry> entries_;
  long long size_ = 0;  // items so far
};

}  // namespace flexloop::language
