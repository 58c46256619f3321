#include "model/start/drive_check.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace flexloop::model {
namespace {

using system::Item;
using system::Shape;

class Search {
 public:
  Search(const Description& description, const system::Registry& registry)
      : description_(description), registry_(registry) {}

  // The first block on the way to a signal whose output jumps; null if none is known to.
  const Item* findJump(const std::string& signal) {
    const std::string name = blockOf(signal);
    if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) return nullptr;
    seen_.push_back(name);
    const Item* block = find(name);
    if (block == nullptr) return nullptr;
    if (block->has("sample") || block->fact(&system::TypeFacts::jumps)) return block;
    if (!block->facts().passesJumps) return nullptr;
    for (const std::string& input : inputsOf(*block)) {
      if (const Item* found = findJump(input)) return found;
    }
    return nullptr;
  }

 private:
  static std::string blockOf(const std::string& signal) {
    return !signal.empty() && signal.front() == '-' ? signal.substr(1) : signal;
  }

  const Item* find(const std::string& name) const {
    for (const Item& item : description_.items) {
      if (item.section() == "blocks" && item.name() == name) return &item;
    }
    return nullptr;
  }

  std::vector<std::string> inputsOf(const Item& block) const {
    std::vector<std::string> inputs;
    const system::TypeEntry* type = registry_.find(block.section(), block.type());
    if (type == nullptr) return inputs;
    for (const system::Parameter& parameter : type->parameters) {
      if (!block.has(parameter.name)) continue;
      if (parameter.shape == Shape::kSignal || parameter.shape == Shape::kSignals) {
        for (std::string& name : block.names(parameter.name)) inputs.push_back(std::move(name));
      } else if (parameter.shape == Shape::kNamedSignals) {
        for (auto& [own, name] : block.namedSignals(parameter.name)) inputs.push_back(name);
      }
    }
    return inputs;
  }

  const Description& description_;
  const system::Registry& registry_;
  std::vector<std::string> seen_;
};

void checkDrive(const Item& joint, const Item& options, const Description& description,
                const system::Registry& registry, base::Diagnostics& diagnostics) {
  if (!options.has("drive")) return;
  const std::vector<std::string> names = options.names("drive");
  if (names.empty()) return;
  const Item* block = Search(description, registry).findJump(names.front());
  if (block == nullptr) return;
  diagnostics.addError(options.placeOf("drive"),
                       "joints." + joint.name() + ": the drive jumps, because '" + block->name() +
                           "' of type " + block->type() + " does",
                       "no finite force can do this: prescribe a smooth motion (motion, s_curve, "
                       "sine, a second-order filter), or let an actuator follow the signal");
}

}  // namespace

void checkDrives(const Description& description, const system::Registry& registry,
                 base::Diagnostics& diagnostics) {
  for (const Item& item : description.items) {
    if (item.section() != "joints") continue;
    checkDrive(item, item, description, registry, diagnostics);
    for (const char* part : {"rotation", "translation"}) {
      if (!item.has(part)) continue;
      checkDrive(item, item.child(part), description, registry, diagnostics);
    }
  }
}

}  // namespace flexloop::model
