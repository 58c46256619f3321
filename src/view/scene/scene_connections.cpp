// What connects nodes or acts on them: joints, springs, sensors, actuators, loads.
#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "view/scene/driving_signals.hpp"
#include "view/scene/scene_parts.hpp"

namespace flexloop::view {
namespace {

using math::Vec3;
using system::Item;
using system::TypeFacts;

std::array<int, 2> pairOf(const SceneSource& source, const Item& item) {
  const std::vector<std::string> names = item.names("between");
  return {source.findNode(names.at(0)), source.findNode(names.at(1))};
}

// Of joints and of springs along a direction: as mechanics::findPlace has it.
Vec3<double> placeOf(const SceneSource& source, const Item& item, const std::array<int, 2>& nodes) {
  if (item.has("at")) return item.vector("at");
  return source.position(nodes[1] == system::kGround.value ? nodes[0] : nodes[1]);
}

// The points `at` and `to` of a line between two nodes.
std::array<Vec3<double>, 2> lineOf(const SceneSource& source, const Item& item,
                                   const std::array<int, 2>& nodes) {
  return {item.has("at") ? Vec3<double>(item.vector("at")) : source.position(nodes[0]),
          item.has("to") ? Vec3<double>(item.vector("to")) : source.position(nodes[1])};
}

Json directionOf(const Item& item, const char* key) {
  return item.has(key) ? toJson(Vec3<double>(item.vector(key).normalized())) : Json(nullptr);
}

Json toJson(const std::array<Vec3<double>, 2>& points) {
  return Json::array({view::toJson(points[0]), view::toJson(points[1])});
}

// A spring along a direction may have both ends at one place; others go from node to node.
std::array<Vec3<double>, 2> endsOf(const SceneSource& source, const Item& item,
                                   const std::array<int, 2>& nodes) {
  if (item.fact(&TypeFacts::isAlongLine)) return lineOf(source, item, nodes);
  const Vec3<double> place = placeOf(source, item, nodes);
  const bool isGrounded = nodes[0] == system::kGround.value || nodes[1] == system::kGround.value;
  if (isGrounded || item.has("at")) return {place, place};
  return {source.position(nodes[0]), source.position(nodes[1])};
}

// Whether the arrow of a sensor or an actuator goes around an axis.
bool isRound(const SceneSource& source, const Item& item) {
  using Arrow = TypeFacts::Arrow;
  if (item.facts().arrow != Arrow::kAsJoint) return item.facts().arrow == Arrow::kRound;
  const Item* joint = item.has("joint") ? source.findItem("joints", item.text("joint")) : nullptr;
  return joint != nullptr && joint->facts().freedoms == 1 && !joint->facts().hasTranslation;
}

Json followsOf(const Item& item) {
  Json signals = Json::array();
  for (const DrivingSignal& signal : findDrivingSignals(item)) {
    signals.push_back({{"signal", signal.name}, {"factor", signal.factor}});
  }
  return signals;
}

}  // namespace

void addPlace(const SceneSource& source, const Item& item, Json& entry) {
  if (item.has("joint")) entry["joint"] = item.text("joint");
  if (item.has("node")) entry["node"] = source.findNode(item.text("node"));
  if (item.has("between")) entry["nodes"] = pairOf(source, item);
  if (item.has("beam") && item.has("at")) {
    const auto beam = std::find_if(source.beams.begin(), source.beams.end(),
                                   [&](const auto& b) { return b.name == item.text("beam"); });
    if (beam != source.beams.end()) entry["node"] = beam->nodeNear(item.number("at")).value;
  }
}

Json makeJoints(const SceneSource& source) {
  Json joints = Json::array();
  forEachItem(source.model, "joints", [&](const Item& item) {
    // Gears connect joints, which are drawn themselves.
    if (!item.has("between") || item.facts().symbol == "gear") return;
    const std::array<int, 2> nodes = pairOf(source, item);
    Json entry{{"name", item.name()},
               {"type", item.type()},
               {"symbol", item.facts().symbol},
               {"nodes", nodes}};
    if (item.fact(&TypeFacts::isAlongLine)) {
      const auto ends = lineOf(source, item, nodes);
      entry["at"] = view::toJson(ends[0]);
      entry["axis"] = view::toJson(Vec3<double>((ends[1] - ends[0]).normalized()));
    } else {
      entry["at"] = view::toJson(placeOf(source, item, nodes));
      entry["axis"] = directionOf(item, "axis");
      entry["second"] = directionOf(item, "second_axis");
    }
    joints.push_back(std::move(entry));
  });
  return joints;
}

Json makePulley(const SceneSource& source, const Item& pulley) {
  const int node = source.findNode(pulley.text("node"));
  const Vec3<double> centre =
      pulley.has("at") ? Vec3<double>(pulley.vector("at")) : source.position(node);
  return {{"node", node},
          {"at", view::toJson(centre)},
          {"axis", directionOf(pulley, "axis")},
          {"radius", pulley.number("radius")},
          {"sense", pulley.text("sense") == "negative" ? -1 : 1}};
}

Json makeSprings(const SceneSource& source) {
  Json springs = Json::array();
  forEachItem(source.model, "springs", [&](const Item& item) {
    if (!item.has("between")) return;
    const std::array<int, 2> nodes = pairOf(source, item);
    springs.push_back({{"name", item.name()},
                       {"type", item.type()},
                       {"symbol", item.facts().symbol},
                       {"nodes", nodes},
                       {"at", toJson(endsOf(source, item, nodes))},
                       {"direction", directionOf(item, item.has("axis") ? "axis" : "direction")}});
    if (item.has("pulley")) springs.back()["pulley"] = makePulley(source, item.child("pulley"));
  });
  return springs;
}

Json makeSensors(const SceneSource& source) {
  Json sensors = Json::array();
  forEachItem(source.model, "sensors", [&](const Item& item) {
    Json entry{{"name", item.name()}, {"measure", item.type()}, {"isRound", isRound(source, item)}};
    addPlace(source, item, entry);
    entry["direction"] = directionOf(item, "direction");
    sensors.push_back(std::move(entry));
  });
  return sensors;
}

Json makeActuators(const SceneSource& source) {
  Json actuators = Json::array();
  forEachItem(source.model, "actuators", [&](const Item& item) {
    Json entry{{"name", item.name()}, {"type", item.type()}, {"isRound", isRound(source, item)}};
    addPlace(source, item, entry);
    entry["direction"] = directionOf(item, item.has("axis") ? "axis" : "direction");
    entry["frame"] = item.has("frame") ? item.text("frame") : "ground";
    entry["input"] = item.names("input").front();
    entry["follows"] = followsOf(item);
    actuators.push_back(std::move(entry));
  });
  return actuators;
}

Json makeLoads(const SceneSource& source) {
  Json loads = Json::array();
  forEachItem(source.model, "loads", [&](const Item& item) {
    const bool isBody = item.text("frame") == "body" || item.boolean("follower", false);
    Json entry{{"name", item.name()},
               {"node", source.findNode(item.text("node"))},
               {"force", view::toJson(Vec3<double>(item.vector("force")))},
               {"torque", view::toJson(Vec3<double>(item.vector("torque")))},
               {"frame", isBody ? "body" : "ground"}};
    entry["signal"] = item.names("signal").front();
    entry["follows"] = followsOf(item);
    loads.push_back(std::move(entry));
  });
  return loads;
}

}  // namespace flexloop::view
