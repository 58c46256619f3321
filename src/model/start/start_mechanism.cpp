#include "model/start/start_mechanism.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

namespace flexloop::model {
namespace {

using system::Item;
using system::Value;
using system::ValueMap;

// Takes out what says where a joint is; motions are put in place of it.
void release(ValueMap& values) {
  const auto has = [&](const char* name) {
    return std::any_of(values.begin(), values.end(),
                       [&](const system::NamedValue& entry) { return entry.name == name; });
  };
  const auto erase = [&](const char* name) {
    std::erase_if(values, [&](const system::NamedValue& entry) { return entry.name == name; });
  };
  for (system::NamedValue& entry : values) {
    const bool isOptions = entry.name == "rotation" || entry.name == "translation";
    if (auto* map = std::get_if<ValueMap>(&entry.value.data); map != nullptr && isOptions) {
      release(*map);
    }
  }
  if (has("start") || has("start_rate")) erase("locked");
  for (const char* name :
       {"start", "start_rate", "drive", "friction", "latch", "efficiency", "back_efficiency"}) {
    erase(name);
  }
}

void addMotion(const StartCoordinate& c, Description& mechanism) {
  const std::string name = "start of " + c.joint->name() + (c.turns ? " turn" : " move");
  char text[200];
  std::snprintf(text, sizeof text,
                "t < 1 ? (%.17g)*t : t < %.17g ? (%.17g) + (%.17g)*(t - 1) : (%.17g)*(t - %.17g)",
                c.start, kDetour, c.start, c.rate, c.start, kDetour);
  const std::string input = name + " signal";
  mechanism.items.emplace_back("blocks", input, "expression", c.place,
                               ValueMap{{"value", {c.place, std::string(text)}}});
  const std::string coordinate = c.turns ? "rotation" : "translation";
  mechanism.items.emplace_back("actuators", name, "motion", c.place,
                               ValueMap{{"joint", {c.place, c.joint->name()}},
                                        {"coordinate", {c.place, coordinate}},
                                        {"input", {c.place, input}},
                                        {"gain", {c.place, 1.0}}});
}

Item makeWeld(const std::string& name, int a, int b, const system::System& system) {
  const auto node = [&](int n) { return Value{{}, system.nodes()[n].name}; };
  return {"joints", name, "weld", base::Place{},
          ValueMap{{"between", {{}, system::ValueList{node(a), node(b)}}}}};
}

// Beams and parts do not bend while a loop is closed.
void weldFlexible(const JointTies& ties, const system::System& system, Description& mechanism) {
  int count = 0;
  for (const JointTies::Tie& tie : ties.ties()) {
    if (tie.isJoint) continue;
    const std::string name = tie.name + " stiff " + std::to_string(++count);
    mechanism.items.push_back(makeWeld(name, tie.a, tie.b, system));
  }
}

// What hangs on a loop follows it as one: its joints keep their coordinates.
void weldTrees(const std::vector<StartCoordinate>& coordinates, const JointTies& ties,
               const system::System& system, Description& mechanism) {
  // A node that lacks a freedom is held by ground in it, so what leads to it may be in a loop.
  std::vector<bool> held;
  for (const system::Node& node : system.nodes()) held.push_back(node.count < 6);
  for (const JointTies::Tie& tie : ties.ties()) {
    if (!tie.isJoint) continue;
    const bool isGiven = std::any_of(coordinates.begin(), coordinates.end(),
                                     [&](const auto& c) { return c.joint->name() == tie.name; });
    if (isGiven) continue;
    if (ties.findMoved(tie.name, tie.b, tie.a, held, false).empty() &&
        ties.findMoved(tie.name, tie.a, tie.b, held, false).empty()) {
      continue;
    }
    const auto joint = std::find_if(
        mechanism.items.begin(), mechanism.items.end(),
        [&](const Item& item) { return item.section() == "joints" && item.name() == tie.name; });
    *joint = makeWeld(tie.name, tie.a, tie.b, system);
  }
}

}  // namespace

bool haveLoops(const std::vector<StartCoordinate>& coordinates) {
  return std::any_of(coordinates.begin(), coordinates.end(),
                     [](const StartCoordinate& c) { return c.moved.empty(); });
}

Description makeStartMechanism(const Description& description,
                               const std::vector<StartCoordinate>& coordinates,
                               const JointTies& ties, const system::System& system,
                               Prescribed prescribed) {
  static const std::set<std::string> kKept{"materials", "sections", "nodes", "bodies",
                                           "beams",     "parts",    "joints"};
  Description mechanism;
  mechanism.file = description.file;
  mechanism.formulation = description.formulation;
  mechanism.outputsGiven = true;
  for (const Item& item : description.items) {
    if (!kKept.contains(item.section()) || isCommanded(item)) continue;
    mechanism.items.push_back(item);
    if (item.section() == "joints") release(mechanism.items.back().values());
  }
  for (const StartCoordinate& c : coordinates) {
    if (isPrescribed(c, prescribed)) addMotion(c, mechanism);
  }
  if (!haveLoops(coordinates)) return mechanism;
  weldFlexible(ties, system, mechanism);
  // Where nodes have velocities of their own, their joints may move.
  if (system.start().rate.isZero(0.0)) weldTrees(coordinates, ties, system, mechanism);
  return mechanism;
}

}  // namespace flexloop::model
