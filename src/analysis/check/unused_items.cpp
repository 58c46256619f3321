#include "analysis/check/unused_items.hpp"

#include <algorithm>
#include <array>
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

constexpr std::array<std::string_view, 4> kControllers{"pid", "discrete_pid", "library",
                                                       "nonlinear"};
// Blocks behind which a limit still holds back the integral before them.
constexpr std::array<std::string_view, 6> kPassing{"gain",     "sum",   "low_pass",
                                                   "lead_lag", "notch", "transfer_function"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

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
      : description_(description), uses_(description, registry) {}

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
      if (!integratesFreely(item) || !isOwn(item.place(), description_)) continue;
      if (const Item* limit = findLimitBehind(static_cast<int>(i))) {
        diagnostics.addWarning(item.place(),
                               "blocks." + item.name() + ": its integral has no limits, while " +
                                   quote(limit->name()) +
                                   " limits its effect: while that limit is active, the integral "
                                   "keeps growing (windup)",
                               item.type() == "integrator"
                                   ? "give it the same limits with 'lower' and 'upper'"
                                   : "give it the same limits with 'limits: [lower, upper]'");
      } else if (growsForEver(static_cast<int>(i)) && reachesForce(static_cast<int>(i))) {
        diagnostics.addWarning(item.place(),
                               "blocks." + item.name() +
                                   ": it integrates a signal that does not return to zero, and "
                                   "nothing limits the resulting force",
                               item.type() == "integrator"
                                   ? "give it 'lower' and 'upper', or feed back what it controls"
                                   : "give it 'limits: [lower, upper]', or feed back what it "
                                     "controls");
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
    const bool isController =
        index >= 0 && contains(kControllers, description_.items[index].type());
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

  static bool integratesFreely(const Item& item) {
    if (item.section() != "blocks") return false;
    if (item.type() == "integrator") {
      return !item.has("lower") && !item.has("upper") && !item.has("reset") &&
             item.number("gain", 1.0) != 0.0;
    }
    if (item.type() != "pid" && item.type() != "discrete_pid") return false;
    return !item.has("limits") && (item.number("ki", 0.0) != 0.0 || item.has("ti"));
  }

  static bool limits(const Item& item) {
    if (item.section() == "actuators") return item.has("limits");
    return item.section() == "blocks" && item.type() == "saturation" && item.has("lower") &&
           item.has("upper");
  }

  // The first saturation or limited actuator on the way, with nothing but linear blocks before it.
  const Item* findLimitBehind(int index) const {
    std::vector<int> found{index};
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (const int reader : uses_.readersOf(found[k])) {
        const Item& item = description_.items[reader];
        if (limits(item)) return &item;
        const bool isNew = std::find(found.begin(), found.end(), reader) == found.end();
        if (isNew && contains(kPassing, item.type())) found.push_back(reader);
      }
    }
    return nullptr;
  }

  // Whether it integrates a constant, a step or a ramp, through gains at most.
  bool growsForEver(int index) const {
    for (std::size_t k = 0; k <= description_.items.size(); ++k) {
      const Item& item = description_.items[index];
      if (item.section() != "blocks") return false;
      if (item.type() == "constant") return item.number("value") != 0.0;
      if (item.type() == "step") return item.number("to") != 0.0;
      if (item.type() == "ramp") return true;
      if (item.type() != "integrator" && item.type() != "gain") return false;
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
        if (isNew && contains(kPassing, item.type())) found.push_back(reader);
      }
    }
    return false;
  }

  const model::Description& description_;
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
