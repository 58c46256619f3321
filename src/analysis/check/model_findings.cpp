#include "analysis/check/model_findings.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/check/free_parts.hpp"
#include "analysis/check/massless_findings.hpp"
#include "analysis/check/unused_items.hpp"

namespace flexloop::analysis {
namespace {

using system::Item;

bool hasOption(const model::Description& description, std::string_view key) {
  const auto has = [&](const Item& item) {
    const system::Value* value = item.find(key);
    const bool* isSet = value != nullptr ? std::get_if<bool>(&value->data) : nullptr;
    return value != nullptr && (isSet == nullptr || *isSet);
  };
  return std::any_of(description.items.begin(), description.items.end(), [&](const Item& item) {
    if (item.section() != "joints") return false;
    return has(item) || (item.has("rotation") && has(item.child("rotation"))) ||
           (item.has("translation") && has(item.child("translation")));
  });
}

const Item* findItem(const model::Description& description, std::string_view section,
                     std::string_view name) {
  for (const Item& item : description.items) {
    if (item.section() == section && item.name() == name) return &item;
  }
  return nullptr;
}

bool isGiven(const Item& item, std::string_view key) {
  // Defaults have the place of the item itself.
  return item.has(key) && (item.placeOf(key).line != item.place().line ||
                           item.placeOf(key).column != item.place().column);
}

// Beams that a run or modes would move, of a material or section that says nothing of mass. Zero may be written.
void warnOfMissingDensity(const model::Description& description, base::Diagnostics& diagnostics) {
  const auto isDynamic = [](const Item& item) { return item.section() == "analysis"; };
  if (std::none_of(description.items.begin(), description.items.end(), isDynamic)) return;
  std::vector<const Item*> reported;
  for (const Item& beam : description.items) {
    if (beam.section() != "beams") continue;
    const Item* section = findItem(description, "sections", beam.text("section"));
    const bool isStiffness = section != nullptr && section->facts().needsNoMaterial;
    const Item* source = isStiffness ? section
                         : beam.has("material")
                             ? findItem(description, "materials", beam.text("material"))
                             : nullptr;
    const std::string key = isStiffness ? "rhoA" : "rho";
    if (source == nullptr || isGiven(*source, key)) continue;
    if (std::find(reported.begin(), reported.end(), source) != reported.end()) continue;
    reported.push_back(source);
    diagnostics.addWarning(source->place(),
                           source->section() + "." + source->name() + ": '" + key +
                               "' is not given, so beam '" + beam.name() + "' has no mass",
                           isStiffness ? "give the mass per length 'rhoA', or 'rhoA: 0' for a beam "
                                         "without mass"
                                       : "give the density 'rho', or 'rho: 0' for a beam without "
                                         "mass");
  }
}

bool isMentioned(const model::Description& description, const std::string& node) {
  return std::any_of(description.items.begin(), description.items.end(), [&](const Item& item) {
    const bool acts = item.section() == "loads" || item.section() == "actuators";
    return acts && item.has("node") && item.text("node") == node;
  });
}

bool hasBody(const model::Model& model, int node) {
  const std::string& name = model.system().nodes()[node].name;
  const auto& items = model.description().items;
  return std::any_of(items.begin(), items.end(), [&](const Item& item) {
    return item.section() == "bodies" && item.text("node") == name;
  });
}

// Parts beside a machine that stands on the ground. What is thrown or pushed is meant.
void warnOfFreeParts(const model::Model& model, base::Diagnostics& diagnostics) {
  const FreeParts free = findFreeParts(model.system());
  if (!free.hasGrounded) return;
  for (const std::vector<int>& part : free.parts) {
    // A node without anything is reported as a motion that nothing determines.
    bool isMeant = part.size() == 1 && !hasBody(model, part.front());
    const Item* place = nullptr;
    for (const int n : part) {
      const system::Node& node = model.system().nodes()[n];
      for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
        isMeant = isMeant || model.start().rate[u] != 0.0;
      }
      isMeant = isMeant || isMentioned(model.description(), node.name);
      if (place == nullptr) place = findItem(model.description(), "nodes", node.name);
    }
    if (isMeant || place == nullptr) continue;
    diagnostics.addWarning(
        place->place(),
        "nodes." + place->name() + ": the node" +
            (part.size() > 1
                 ? " and " + std::to_string(part.size() - 1) + " more connected to it are"
                 : std::string(" is")) +
            " not connected to anything else: a free part with six rigid-body modes",
        "connect it by a joint, a spring or a beam, or remove it");
  }
}

void warnOfIdleForces(const model::Model& model, base::Diagnostics& diagnostics) {
  for (const Item& item : model.description().items) {
    const bool isActuator = item.section() == "actuators";
    if ((!isActuator && item.section() != "loads") || !item.has("node")) continue;
    const std::string& name = item.text("node");
    const auto& nodes = model.system().nodes();
    const auto node = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const system::Node& other) { return other.name == name; });
    if (node == nodes.end() || node->count > 0) continue;
    diagnostics.addWarning(item.place(),
                           item.section() + "." + item.name() + ": it acts on '" + name +
                               "', which cannot move, and so has no effect",
                           "use another node, or give this one freedoms");
  }
}

void warnOfNoMobility(const model::Model& model, int mobility, base::Diagnostics& diagnostics) {
  const model::Description& description = model.description();
  const bool canMove = mobility > 0 || hasDrives(description) || hasLocks(description);
  const auto isJoint = [](const Item& item) { return item.section() == "joints"; };
  const auto joint = std::find_if(description.items.begin(), description.items.end(), isJoint);
  if (canMove || joint == description.items.end()) return;
  diagnostics.addWarning(joint->place(),
                         "mobility 0: the mechanism cannot move, since its joints hold every "
                         "freedom",
                         "remove a joint, or use one with more freedoms");
}

}  // namespace

bool hasDrives(const model::Description& description) {
  return hasOption(description, "drive");
}

bool hasLocks(const model::Description& description) {
  return hasOption(description, "locked");
}

base::Diagnostics findDoubts(const model::Model& model, const system::Registry& registry,
                             int mobility) {
  base::Diagnostics diagnostics;
  const model::Description& description = model.description();
  warnOfUnusedItems(description, registry, diagnostics);
  warnOfUnlimitedSignals(description, registry, diagnostics);
  warnOfIdleForces(model, diagnostics);
  warnOfMissingDensity(description, diagnostics);
  warnOfFreeParts(model, diagnostics);
  warnOfNoMobility(model, mobility, diagnostics);
  diagnostics.add(explainMasslessMotions(model));
  return diagnostics;
}

}  // namespace flexloop::analysis
