// Loops of a sensor, blocks and an actuator. The law works against the motion that it measures, with a stiffness and damping
// like those of the springs; what stands before and behind it keeps the size of the signal.
#include "random/maker.hpp"

namespace flexloop::random {

Signal Maker::addSensor(Item sensor, Dimension dimension, double size, bool hasRate) {
  sensor.section = "sensors";
  sensor.name = newName("s");
  const std::string name = sensor.name;
  machine_.items.push_back(std::move(sensor));
  machine_.outputs.push_back({name, "signal", dimension, false, ""});
  return {name, dimension, size, hasRate};
}

bool Maker::findJointTarget(Target& target) {
  std::vector<const JointFacts*> movable;
  for (const JointFacts& joint : machine_.joints) {
    for (const char* type : {"hinge", "slider", "cylindrical", "screw"}) {
      if (joint.type == type) movable.push_back(&joint);
    }
  }
  if (movable.empty()) return false;
  const JointFacts& joint = *dice_.pick(movable);
  const bool hasBoth = joint.type == "cylindrical";
  target.isRotation = joint.type != "slider" && (!hasBoth || dice_.chance(0.5));
  target.inertia = target.isRotation ? machine_.nodes[joint.second].inertia + 0.1 : 1.0;
  target.entries = {{"joint", joint.name}};
  Item position{"", "", {}, {}}, rate{"", "", {}, {}};
  const char* coordinate = target.isRotation ? "rotation" : "translation";
  position.with("measure", target.isRotation ? "angle" : "displacement").with("joint", joint.name);
  rate.with("measure", "rate").with("joint", joint.name);
  if (hasBoth) {
    target.entries.push_back({"coordinate", coordinate});
    rate.with("coordinate", coordinate);
  }
  target.position =
      addSensor(position, target.isRotation ? kNone : kLength, target.isRotation ? 0.4 : 0.1, true);
  target.rate =
      addSensor(rate, target.isRotation ? kRate : kVelocity, target.isRotation ? 3.0 : 1.0, false);
  return true;
}

void Maker::findNodeTarget(Target& target) {
  const int node = 1 + dice_.below(static_cast<int>(machine_.nodes.size()) - 1);
  const Vector direction = ground(dice_.direction());
  target.isRotation = false;
  target.inertia = machine_.nodes[node].mass;
  target.entries = {{"node", nodeName(node)}, {"direction", direction}};
  const auto sensor = [&](const char* measure) {
    return Item{"", "", {}, {}}
        .with("measure", measure)
        .with("node", nodeName(node))
        .with("direction", direction);
  };
  target.position = addSensor(sensor("displacement"), kLength, 0.1, true);
  target.rate = addSensor(sensor("velocity"), kVelocity, 1.0, false);
}

bool Maker::findDistanceTarget(Target& target) {
  const int count = static_cast<int>(machine_.nodes.size());
  const int first = dice_.below(count), second = 1 + dice_.below(count - 1);
  if (first == second) return false;
  const double length = (machine_.nodes[second].position - machine_.nodes[first].position).norm();
  if (length < 0.2) return false;
  const List between = namesOf({nodeName(first), nodeName(second)});
  target.entries = {{"between", between}};
  target.inertia = 1.0;
  const auto sensor = [&](const char* measure) {
    return Item{"", "", {}, {}}.with("measure", measure).with("between", between);
  };
  const Signal whole = addSensor(sensor("distance"), kLength, length, true);
  Item change = newBlock("sum");
  Item start = newBlock("constant");
  start.with("value", Number{length, kLength});
  const Signal reference = finish(start, kLength, length);
  change.with("inputs", namesOf({whole.name, "-" + reference.name}));
  target.position = finish(change, kLength, 0.1);
  target.rate = addSensor(sensor("distance_rate"), kVelocity, 1.0, false);
  return true;
}

Maker::Target Maker::makeTarget() {
  Target target;
  const double choice = dice_.uniform(0.0, 1.0);
  if (choice < 0.6 && findJointTarget(target)) return target;
  if (choice < 0.8 && findDistanceTarget(target)) return target;
  findNodeTarget(target);
  return target;
}

void Maker::addControl() {
  const Target target = makeTarget();
  addActuator(target, dice_.chance(0.15) ? addSource(target.isRotation ? kTorque : kForce,
                                                     target.isRotation ? 1.0 : 5.0)
                                         : addLaw(target));
}

Signal Maker::addLaw(const Target& target) {
  Target seen = target;
  const auto change = [&](Signal& signal) {
    const double choice = dice_.uniform(0.0, 1.0);
    if (choice < 0.3) signal = addFilter(signal);
    if (choice >= 0.3 && choice < 0.45) signal = addAlgebra(signal);
    if (isStiff()) return;
    if (choice >= 0.45 && choice < 0.55) signal = addDelay(signal);
    if (choice >= 0.55 && choice < 0.62) signal = addHold(signal);
    if (choice >= 0.62 && choice < 0.7) signal = addLimit(signal);
  };
  change(seen.position);
  Signal law = !isStiff() && dice_.chance(0.25) ? addSampledLaw(seen) : addPid(seen);
  if (isStiff()) return law;
  const double choice = dice_.uniform(0.0, 1.0);
  if (choice < 0.15) return addLimit(law);
  if (choice < 0.25) return addSwitching(law);
  if (choice < 0.35) return addDelay(law);
  if (choice < 0.45) return addFilter(law);
  return law;
}

Signal Maker::addPid(const Target& target) {
  const Dimension force = target.isRotation ? kTorque : kForce;
  const Dimension gain = force / target.position.dimension;
  const double kp = stiffness(target.inertia), kd = damping(target.inertia);
  const double size = kp * target.position.size;
  if (dice_.chance(0.3)) {
    Item item = newBlock("state_space");
    item.with("inputs", namesOf({target.position.name, target.rate.name}));
    const Number pole{-dice_.uniform(10.0, 40.0), kRate};
    item.with("A", List{List{pole}}).with("B", List{List{Number{1.0, kRate}, 0.0}});
    item.with("C", List{List{Number{-0.5 * kp, gain}}});
    item.with("D", List{List{Number{-0.5 * kp, gain}, Number{-kd, gain * kTime}}});
    return finish(item, force, size);
  }
  Item item = newBlock("pid");
  item.with("input", target.position.name).with("kp", Number{kp, gain});
  if (dice_.chance(0.5)) item.with("ki", Number{kp * dice_.uniform(1.0, 5.0), gain / kTime});
  if (dice_.chance(0.7)) {
    item.with("kd", Number{kd, gain * kTime});
    if (!target.position.hasRate || dice_.chance(0.3)) item.with("filter", time(5e-3, 3e-2));
  }
  if (dice_.chance(0.4)) {
    item.with("reference", addSource(target.position.dimension, target.position.size).name);
    item.with("c", 0.0);  // the derivative of a reference that jumps has no value
  }
  if (!isStiff() && dice_.chance(0.25)) {
    note(Trait::kKinked);
    note(Trait::kEvents);
    item.with("limits", listOf({-0.4 * size, 0.3 * size}, force));
    if (dice_.chance(0.5)) {
      item.with("anti_windup", "back_calculation").with("tracking_time", time(0.02, 0.2));
    }
  }
  return finish(item, force, size);
}

Signal Maker::addSampledLaw(const Target& target) {
  note(Trait::kSampled);
  note(Trait::kJumps);
  const Dimension force = target.isRotation ? kTorque : kForce;
  const Dimension gain = force / target.position.dimension;
  const double kp = stiffness(target.inertia), kd = damping(target.inertia);
  const double size = kp * target.position.size;
  const Number sample = time(0.008, 0.02);
  Item item{"", "", {}, {}};
  switch (dice_.below(3)) {
    case 0:
      item = newBlock("discrete_pid");
      item.with("input", target.position.name).with("kp", Number{kp, gain});
      item.with("ki", Number{kp, gain / kTime}).with("kd", Number{kd, gain * kTime});
      item.with("filter", time(5e-3, 2e-2));
      item.with("method", dice_.pick<std::string>({"backward", "forward", "trapezoidal"}));
      if (dice_.chance(0.3)) item.with("limits", listOf({-0.4 * size, 0.4 * size}, force));
      break;
    case 1:
      item = newBlock("discrete_transfer_function");
      item.with("input", target.position.name);
      item.with("numerator", listOf({-0.5 * kp, -0.2 * kp}, gain))
          .with("denominator", listOf({1.0, -0.3}));
      break;
    default:
      item = newBlock("discrete_state_space");
      item.with("inputs", namesOf({target.position.name, target.rate.name}));
      item.with("A", List{List{0.6}});
      item.with("B",
                List{List{1.0, Number{0.0, target.position.dimension / target.rate.dimension}}});
      item.with("C", List{List{Number{-0.3 * kp, gain}}});
      item.with("D", List{List{Number{-0.3 * kp, gain}, Number{-kd, gain * kTime}}});
  }
  item.with("sample", sample);
  if (dice_.chance(0.5)) item.with("offset", time(1e-3, 5e-3));
  Signal signal = finish(item, force, size);
  signal.isSampled = true;
  return signal;
}

void Maker::addActuator(const Target& target, const Signal& input) {
  Item item{"actuators", newName("act"), target.entries, {}};
  item.with("type", target.isRotation ? "torque" : "force").with("input", input.name);
  const Dimension force = target.isRotation ? kTorque : kForce;
  if (!isStiff() && dice_.chance(0.15)) {
    note(Trait::kKinked);
    item.with("limits", listOf({-0.3 * input.size, 0.3 * input.size}, force));
  }
  const double dynamics = dice_.uniform(0.0, 1.0);
  if (dynamics < 0.15) item.with("time_constant", time(5e-3, 3e-2));
  if (dynamics > 0.85)
    item.with("frequency", Number{dice_.uniform(5.0, 15.0), kRate}).with("damping", 0.6);
  machine_.items.push_back(item);
  machine_.outputs.push_back({item.name, "signal", force, false, ""});
  addPower("#1*#2", {item.name, target.rate.name});
}

}  // namespace flexloop::random
