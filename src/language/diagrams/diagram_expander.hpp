// Turns the uses of diagrams into ordinary blocks: the block `limited` of the diagram that `axis1`
// uses becomes the item `axis1.limited` of section `blocks`, so that nothing else knows of diagrams.
#pragma once

#include <string>
#include <vector>

#include "language/assemblies/instance_scope.hpp"
#include "language/diagrams/diagram.hpp"
#include "language/diagrams/diagram_scope.hpp"
#include "language/diagrams/diagram_uses.hpp"
#include "language/error_list.hpp"
#include "language/item_reader.hpp"
#include "language/parameter_table.hpp"
#include "language/values/value_reader.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

class DiagramExpander {
 public:
  struct Readers {
    const RawModel& model;
    const system::Registry& registry;
    const ParameterTable& parameters;  // of the model
    ValueReader& values;
    ItemReader& items;
    ErrorList& errors;
  };

  explicit DiagramExpander(const Readers& readers) : readers_(readers), errors_(readers.errors) {}

  // Adds the blocks of one use in section `blocks`. Its path is its name, inside an instance of an assembly with that
  // of the instance.
  void expand(const RawEntry& use, const std::string& path, const Diagram& diagram,
              const InstanceScope* instance, std::vector<system::Item>& items);

  const DiagramUses& uses() const { return uses_; }

 private:
  // One use in its place.
  struct Use {
    const RawEntry& entry;
    const Diagram& diagram;
    const std::string path;   // `axis1.inner`
    const std::string owner;  // as messages call it: `blocks.axis1`, inside a diagram `inner`
    const DiagramScope* outside = nullptr;  // null: the model itself, or an instance
    const InstanceScope* instance = nullptr;
  };

  void expandUse(const Use& use, std::vector<system::Item>& items);
  void expandBlocks(const DiagramScope& inside, const InstanceScope* instance,
                    std::vector<system::Item>& items);
  std::vector<std::string> checkKeys(const Use& use);
  void connect(const Use& use, DiagramScope& inside);
  SignalMeaning readConnection(const Use& use, const RawEntry& connection);
  ParameterTable::Given readParameters(const Use& use);
  // The map below a key of the use, empty where there is none; null if it is something else.
  const RawMap* findMap(const Use& use, const char* key, const std::string& example);
  // Gives the word that was probably meant.
  std::string reportUnknown(const Use& use, const std::string& kind, const RawEntry& entry,
                            const std::vector<std::string>& known);
  const ParameterTable& parametersAround(const Use& use) const;
  // Those of the model, or of the instance that the diagram is used in.
  const ParameterTable& parametersOf(const InstanceScope* instance) const;

  Readers readers_;
  ErrorList& errors_;
  DiagramUses uses_;
  long long size_ = 0;  // blocks made so far
};

}  // namespace flexloop::language
