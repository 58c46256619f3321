// Reads the definition of one diagram. A part of diagram.hpp.
#pragma once

#include <string>

#include "language/diagrams/diagram.hpp"
#include "language/error_list.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

class DiagramReader {
 public:
  DiagramReader(const system::Registry& registry, ErrorList& errors)
      : registry_(registry), errors_(errors) {}

  void read(const RawEntry& entry, Diagram& diagram);

 private:
  void readKeys(const RawMap& map, Diagram& diagram);
  void checkKeys(const RawMap& map);
  void readInputs(const RawEntry* entry, Diagram& diagram);
  void readParameters(const RawEntry* entry, Diagram& diagram);
  void readBlocks(const RawEntry* entry, Diagram& diagram);
  void readOutputs(const RawEntry* entry, Diagram& diagram);
  void addOutput(Diagram::Output output, const base::Place& place, Diagram& diagram);
  bool checkOutputSignal(const Diagram::Output& output, const Diagram& diagram);
  void collectNames(Diagram& diagram) const;

  const system::Registry& registry_;
  ErrorList& errors_;
  std::string subject_;  // `diagrams.servo`
};

}  // namespace flexloop::language
