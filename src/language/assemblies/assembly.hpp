// The assemblies of a model: groups of nodes, bodies, joints, blocks and whatever else has a section, defined once under
// `assemblies:` and placed by `instances:`. What a definition says by itself is checked here, once; what depends on an
// instance is checked where the instance is expanded.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "language/error_list.hpp"
#include "language/raw_model.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// Assemblies that place others several times multiply: this ends what nobody can mean.
inline constexpr long long kMostPlacedItems = 1'000'000;

struct Assembly {
  struct Section {
    std::string name;
    const RawMap* entries = nullptr;
  };

  std::string name;
  base::Place place;
  RawMap parameters;  // with their defaults; one without a value must be given by the instance
  std::vector<Section> sections;      // in the order of the file, without the instances
  const RawMap* instances = nullptr;  // of other assemblies, inside; may be null
  std::vector<std::string>
      signals;  // names that mean signals, though the model may have a parameter of that name
  long long size = 0;  // items, with those of the assemblies inside
  int depth = 1;       // levels of assemblies
  bool isUsed = false;
  bool isWrong = false;  // beyond use; it has been reported

  bool has(std::string_view section, std::string_view word) const;
  bool ownsNodes(std::string_view word) const;  // nodes WORD.PART or WORD@FRACTION are inside
  bool ownsSignal(std::string_view word) const;

  std::unordered_set<std::string> things;      // `section.name`
  std::unordered_set<std::string> nodeOwners;  // beams, parts and instances
};

class Assemblies {
 public:
  // Keeps pointers into the model, whose nodes it writes in their long form.
  Assemblies(RawModel& model, const system::Registry& registry, ErrorList& errors);
  Assemblies(const Assemblies&) = delete;
  Assemblies& operator=(const Assemblies&) = delete;

  bool empty() const { return assemblies_.empty(); }
  std::vector<std::string> names() const;
  Assembly* find(const std::string& name);

  // Assemblies of the model's own file that nobody places; a library may have more than are needed.
  void warnOfUnused(const std::string& file, base::Diagnostics& warnings) const;

 private:
  void read(RawEntry& entry, Assembly& assembly);
  void readSection(RawEntry& entry, Assembly& assembly);
  void readParameters(const RawEntry& entry, Assembly& assembly);
  void refuseKey(const RawEntry& entry, const Assembly& assembly);
  void addNames(const std::string& section, const RawMap& entries, Assembly& assembly);
  void orderAndCount();
  void count(Assembly& assembly);

  const system::Registry& registry_;
  ErrorList& errors_;
  std::deque<Assembly> assemblies_;  // stay where they are
  std::unordered_map<std::string, Assembly*> byName_;
};

// The assembly that an instance is of, as written; empty where it says none.
std::string_view assemblyWordOf(const RawEntry& instance);

// An instance must not be named like something else with `NAME.PART` inside: it would not be clear whose part is meant.
void checkInstanceName(const RawEntry& instance, const std::string& section,
                       const std::string& clash, ErrorList& errors);

}  // namespace flexloop::language
