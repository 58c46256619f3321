#include "random/maker.hpp"

namespace flexloop::random {

void Maker::addJoint(const std::string& type, int first, int second, const Vector3d& place,
                     const Vector3d& axis, bool isPlain) {
  JointFacts joint{newName("j"), type, first, second, place, axis, dice_.perpendicularTo(axis)};
  Item item{"joints", joint.name, {}, {}};
  item.with("type", type).with("between", namesOf({nodeName(first), nodeName(second)}));
  if (type == "distance") {
    joint.place = machine_.nodes[first].position;
    joint.axis = machine_.nodes[second].position - joint.place;
  } else {
    item.with("at", ground(place, kLength));
  }
  if (type != "spherical" && type != "weld" && type != "distance") item.with("axis", ground(axis));
  if (type == "universal") item.with("second_axis", ground(joint.secondAxis));
  if (type == "screw") {
    joint.pitch = dice_.sign() * dice_.uniform(0.3, 1.5);
    item.with("pitch", Number{joint.pitch, kLength});
  }
  if (!isPlain) addCoordinateOptions(item, joint);
  machine_.joints.push_back(joint);
  machine_.items.push_back(item);
}

void Maker::addCoordinateOptions(Item& item, const JointFacts& joint) {
  if (joint.type == "hinge" || joint.type == "screw" || joint.type == "slider") {
    addCoordinate(item.entries, joint, joint.type != "slider");
  }
  if (joint.type != "cylindrical") return;
  for (const bool isRotation : {true, false}) {
    std::vector<Entry> entries;
    addCoordinate(entries, joint, isRotation);
    if (entries.empty()) continue;
    Map map;
    for (Entry& entry : entries) map.emplace_back(entry.key, entry.value);
    item.with(isRotation ? "rotation" : "translation", map);
  }
}

void Maker::addCoordinate(std::vector<Entry>& entries, const JointFacts& joint, bool isRotation) {
  const double choice = dice_.uniform(0.0, 1.0);
  if (choice < 0.07) {
    entries.push_back({"locked", "true"});
    return;
  }
  if (choice < 0.2 && joint.type != "screw") {
    addDrive(entries, joint, isRotation);
    return;
  }
  if (choice > 0.65) return;
  const double inertia = isRotation ? machine_.nodes[joint.second].inertia + 0.1 : 1.0;
  const Dimension unit = isRotation ? kTorque : kForce / kLength;
  entries.push_back({"stiffness", Number{stiffness(inertia), unit}});
  if (dice_.chance(0.3) && !isStiff()) {
    entries.push_back({"rest", Number{dice_.uniform(-0.1, 0.1), isRotation ? kNone : kLength}});
  }
  if (dice_.chance(0.6)) {
    const Number c{damping(inertia), unit * kTime};
    entries.push_back({"damping", c});
    Item sensor{"sensors", "", {}, {}};
    sensor.with("measure", "rate").with("joint", joint.name);
    if (joint.type == "cylindrical")
      sensor.with("coordinate", isRotation ? "rotation" : "translation");
    addPower("-@1*#1*#1", {addBalanceSensor(sensor)}, {c});
  }
}

// The power of a drive is that of the whole joint along its axis: the constraints of the others do no work.
void Maker::addDrive(std::vector<Entry>& entries, const JointFacts& joint, bool isRotation) {
  note(Trait::kDriven);
  const Signal source = addSmoothStart(isRotation ? kNone : kLength, isRotation ? 0.4 : 0.1);
  entries.push_back({"drive", source.name});
  Item rate{"sensors", "", {}, {}}, force{"sensors", "", {}, {}};
  rate.with("measure", "rate").with("joint", joint.name);
  if (joint.type == "cylindrical") rate.with("coordinate", isRotation ? "rotation" : "translation");
  force.with("measure", isRotation ? "torque" : "force").with("joint", joint.name);
  if (joint.first == 0) {
    force.with("direction", ground(joint.axis));
  } else {
    const NodeFacts& first = machine_.nodes[joint.first];
    force.with("frame", first.name).with("direction", body(first.R.transpose() * joint.axis));
  }
  addPower("#1*#2", {addBalanceSensor(force), addBalanceSensor(rate)});
}

}  // namespace flexloop::random
