// The diagrams of a model: groups of blocks with ports, defined once under `diagrams:` and used like
// a type of block. What a definition says by itself is checked here, once; what depends on a use is
// checked where the use is expanded.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "language/error_list.hpp"
#include "language/raw_model.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// Diagrams that use others several times multiply: this ends what nobody can mean.
inline constexpr long long kMostDiagramBlocks = 1'000'000;

struct Diagram {
  struct Output {
    std::string name;
    std::string signal;  // of a block inside: `limited`, `box.torque`
    base::Place place;
  };
  struct Block {
    const RawEntry* entry = nullptr;
    Diagram* diagram = nullptr;  // null: its type is one of the registry
  };

  std::string name;
  base::Place place;
  std::vector<std::string> inputs;
  std::vector<Output> outputs;
  RawMap parameters;  // with their defaults; one without a value must be given by the use
  std::vector<Block> blocks;
  std::vector<std::string> usedNames;  // in its expressions
  std::vector<std::string> signals;    // inputs and blocks that are not named like a parameter
  long long size = 0;                  // blocks, with those of the diagrams inside
  int depth = 1;                       // levels of diagrams
  bool isUsed = false;
  bool isWrong = false;  // beyond use; it has been reported

  // The index, or -1.
  int findInput(std::string_view word) const;
  int findOutput(std::string_view word) const;
  const Block* findBlock(const std::string& word) const;

  std::unordered_map<std::string, int> blockIndex;
};

class Diagrams {
 public:
  // Keeps pointers into the model.
  Diagrams(RawModel& model, const system::Registry& registry, ErrorList& errors);
  Diagrams(const Diagrams&) = delete;
  Diagrams& operator=(const Diagrams&) = delete;

  bool empty() const { return diagrams_.empty(); }
  std::vector<std::string> names() const;

  // The diagram that is the type of a block, or null.
  Diagram* findTypeOf(const RawEntry& block);

  // Whether the type of a block is in a section that is misspelt.
  bool isForgiven(const RawEntry& block) const;

  // Diagrams of the model's own file that nobody uses; a library may have more than are needed.
  void warnOfUnused(const std::string& file, base::Diagnostics& warnings) const;

 private:
  void orderAndCount(ErrorList& errors);
  void checkOutputsOfInner(const Diagram& diagram, ErrorList& errors) const;

  std::deque<Diagram> diagrams_;  // stay where they are
  std::unordered_map<std::string, Diagram*> byName_;
  std::unordered_set<std::string> forgiven_;
};

// The word after `type:`, or an empty text.
std::string_view typeWordOf(const RawEntry& block);

}  // namespace flexloop::language
