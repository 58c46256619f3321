#include "analysis/check/unused_items.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/signal_uses.hpp"

namespace flexloop::analysis {
namespace {

using system::Item;
using system::TypeFacts;

bool isOwn(const base::Place& place, const model::Description& description) {
  return place.file == nullptr || *place.file == description.file;
}

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// Materials and sections, which only beams and the like refer to.
void warnOfUnusedProperties(const model::Description& description, const system::Registry& registry,
                            base::Diagnostics& diagnostics) {
  std::set<std::string> used;  // `section.name`
  for (const Item& item : description.items) {
    const system::TypeEntry* type = registry.find(item.section(), item.type());
    if (type == nullptr) continue;
    for (const system::Parameter& parameter : type->parameters) {
      if (parameter.refersTo.empty() || !item.has(parameter.name)) continue;
      for (const std::string& name : item.names(parameter.name)) {
        used.insert(parameter.refersTo + "." + name);
      }
    }
  }
  for (const Item& item : description.items) {
    const bool isMaterial = item.section() == "materials";
    if (!isMaterial && item.section() != "sections") continue;
    const std::string path = item.section() + "." + item.name();
    if (used.contains(path) || !isOwn(item.place(), description)) continue;
    diagnostics.addWarning(item.place(),
                           path + ": nothing uses this " + (isMaterial ? "material" : "section"),
                           std::string("use it as the '") + (isMaterial ? "material" : "section") +
                               "' of a beam, or remove it");
  }
}

class BlockSearch {
 public:
  BlockSearch(const model::Description& description, const system::Registry& registry)
      : description_(description), registry_(registry), uses_(description, registry) {}

  void warnOfBlocksWithoutEffect(base::Diagnostics& diagnostics) const {
    const std::vector<bool> acts = findActing();
    const std::vector<Item>& items = description_.items;
    // A block of a diagram counts where it acts in none of the diagram's uses.
    std::set<std::pair<int, int>> actingPlaces;
    std::set<std::string> actingUses;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!isInner(items[i]) || !acts[i]) continue;
      actingPlaces.emplace(items[i].place().line, items[i].place().column);
      actingUses.insert(useOf(items[i]));
    }
    std::set<std::string> reported;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      if (item.section() != "blocks" || acts[i] || !isOwn(item.place(), description_)) continue;
      if (!isInner(item)) {
        addWithoutEffect(static_cast<int>(i), item.place(), item.name(), diagnostics);
      } else if (!actingUses.contains(useOf(item))) {
        const base::Place place{item.place().file, 0, 0};
        if (reported.insert(useOf(item)).second) {
          addWithoutEffect(-1, place, useOf(item), diagnostics);
        }
      } else if (!actingPlaces.contains({item.place().line, item.place().column})) {
        const std::string place = base::toText(item.place());
        if (reported.insert(place).second) {
          addWithoutEffect(static_cast<int>(i), item.place(), item.name(), diagnostics);
        }
      }
    }
  }

  void warnOfWindup(base::Diagnostics& diagnostics) const {
    for (std::size_t i = 0; i < description_.items.size(); ++i) {
      const Item& item = description_.items[i];
      if (!item.fact(&TypeFacts::integratesFreely) || !isOwn(item.place(), description_)) continue;
      if (const Item* limit = findLimitBehind(static_cast<int>(i))) {
        diagnostics.addWarning(item.place(),
                               "blocks." + item.name() + ": its integral has no limits, while " +
                                   quote(limit->name()) +
                                   " limits its effect: while that limit is active, the integral "
                                   "keeps growing (windup)",
                               "give it the same limits with " + limitsOf(item));
      } else if (growsForEver(static_cast<int>(i)) && reachesForce(static_cast<int>(i))) {
        diagnostics.addWarning(item.place(),
                               "blocks." + item.name() +
                                   ": it integrates a signal that does not return to zero, and "
                                   "nothing limits the resulting force",
                               "give it " + limitsOf(item) + ", or feed back what it controls");
      }
    }
  }

 private:
  static bool isInner(const Item& item) {
    return item.section() == "blocks" && item.name().find('.') != std::string::npos;
  }
  static std::string useOf(const Item& item) {
    return item.name().substr(0, item.name().find('.'));
  }

  // What everything else than a block reads, or a record holds, and all that leads there.
  std::vector<bool> findActing() const {
    const int count = static_cast<int>(description_.items.size());
    std::vector<bool> acts(count, false);
    std::vector<int> found;
    for (int i = 0; i < count; ++i) {
      if (description_.items[i].section() == "blocks" && !uses_.isRecorded(i)) continue;
      acts[i] = true;
      found.push_back(i);
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (const int input : uses_.readBy(found[k])) {
        if (acts[input]) continue;
        acts[input] = true;
        found.push_back(input);
      }
    }
    return acts;
  }

  void addWithoutEffect(int index, const base::Place& place, const std::string& name,
                        base::Diagnostics& diagnostics) const {
    const bool isRead = index < 0 || !uses_.readersOf(index).empty();
    const bool isController = index >= 0 && description_.items[index].facts().isController;
    std::string message = "blocks." + name + ": ";
    if (isController) {
      message +=
          "the controller has no effect: its output reaches no actuator, drive, load or output";
    } else if (isRead) {
      message += "its output reaches no actuator, drive, load or output";
    } else {
      message += "nothing uses this block";
    }
    diagnostics.addWarning(place, message,
                           "make it the input of an actuator, a drive or a load, list it under "
                           "'outputs', or remove it");
  }

  // The parameters with which it is limited.
  std::string limitsOf(const Item& item) const {
    const auto& parameters = registry_.find(item.section(), item.type())->parameters;
    const bool isPair = std::any_of(parameters.begin(), parameters.end(),
                                    [](const auto& p) { return p.name == "limits"; });
    return isPair ? "'limits: [lower, upper]'" : "'lower' and 'upper'";
  }

  // The first saturation or limited actuator on the way, with nothing but linear blocks before it.
  const Item* findLimitBehind(int index) const {
    std::vector<int> found{index};
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (const int reader : uses_.readersOf(found[k])) {
        const Item& item = description_.items[reader];
        if (item.fact(&TypeFacts::limits)) return &item;
        const bool isNew = std::find(found.begin(), found.end(), reader) == found.end();
        if (isNew && item.facts().passesIntegral) found.push_back(reader);
      }
    }
    return nullptr;
  }

  // Whether it integrates a constant, a step or a ramp, through gains at most.
  bool growsForEver(int index) const {
    for (std::size_t k = 0; k <= description_.items.size(); ++k) {
      const Item& item = description_.items[index];
      if (item.fact(&TypeFacts::staysAway)) return true;
      if (!item.facts().keepsAway) return false;
      if (uses_.readBy(index).size() != 1) {  // a number in the place of a signal
        const auto* number = std::get_if<double>(&item.at("input").data);
        return number != nullptr && *number != 0.0;
      }
      index = uses_.readBy(index).front();
    }
    return false;  // around a loop
  }

  bool reachesForce(int index) const {
    std::vector<int> found{index};
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (const int reader : uses_.readersOf(found[k])) {
        const Item& item = description_.items[reader];
        if (item.section() == "actuators" || item.section() == "loads") return true;
        const bool isNew = std::find(found.begin(), found.end(), reader) == found.end();
        if (isNew && item.facts().passesIntegral) found.push_back(reader);
      }
    }
    return false;
  }

  const model::Description& description_;
  const system::Registry& registry_;
  model::SignalUses uses_;
};

}  // namespace

void warnOfUnusedItems(const model::Description& description, const system::Registry& registry,
                       base::Diagnostics& diagnostics) {
  warnOfUnusedProperties(description, registry, diagnostics);
  BlockSearch(description, registry).warnOfBlocksWithoutEffect(diagnostics);
}

void warnOfUnlimitedSignals(const model::Description& description, const system::Registry& registry,
                            base::Diagnostics& diagnostics) {
  BlockSearch(description, registry).warnOfWindup(diagnostics);
}

}  // namespace flexloop::analysis
