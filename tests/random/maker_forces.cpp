#include "random/maker.hpp"

namespace flexloop::random {

void Maker::addPower(const std::string& formula, const std::vector<std::string>& signals,
                     const std::vector<Number>& factors) {
  Power power{formula, signals, {}, {}};
  for (const Number& factor : factors) {
    power.factors.push_back(factor.value);
    power.dimensions.push_back(factor.dimension);
  }
  machine_.powers.push_back(power);
}

std::string Maker::addBalanceSensor(Item sensor) {
  sensor.name = newName("w");
  machine_.balanceItems.push_back(sensor);
  return sensor.name;
}

void Maker::addSprings() {
  const int count = static_cast<int>(machine_.nodes.size());
  for (int i = dice_.between(0, 2); i > 0; --i) {
    const int first = dice_.below(count), second = 1 + dice_.below(count - 1);
    if (first != second) addSpring(first, second);
  }
  for (const JointFacts& joint : machine_.joints) {
    if ((joint.type != "hinge" && joint.type != "screw") || !dice_.chance(0.15)) continue;
    Item item{"springs", newName("spring"), {}, {}};
    const double inertia = machine_.nodes[joint.second].inertia + 0.1;
    item.with("type", "torsional")
        .with("between", namesOf({nodeName(joint.first), nodeName(joint.second)}))
        .with("axis", ground(joint.axis))
        .with("stiffness", Number{stiffness(inertia), kTorque});
    const Number c{damping(inertia), kTorque * kTime};
    item.with("damping", c);
    machine_.items.push_back(item);
    Item rate{"sensors", "", {}, {}};
    rate.with("measure", "rate").with("joint", joint.name);
    addPower("-@1*#1*#1", {addBalanceSensor(rate)}, {c});
  }
}

void Maker::addSpring(int first, int second) {
  static const std::vector<std::string> kTypes{"linear", "distance", "bushing", "damper"};
  const std::string& type = dice_.pick(kTypes);
  if (type == "bushing") {
    addBushing(first, second, dice_.uniform(5.0, 25.0));
    return;
  }
  Item item{"springs", newName("spring"), {}, {}};
  item.with("type", type).with("between", namesOf({nodeName(first), nodeName(second)}));
  const bool isStraight = type == "linear" || (type == "damper" && dice_.chance(0.5));
  const Vector3d direction = dice_.direction();
  if (isStraight) item.with("direction", ground(direction));
  if (type != "damper") item.with("stiffness", Number{stiffness(1.0), kForce / kLength});
  if (type == "distance" && dice_.chance(0.5) && !isStiff()) {
    item.with("preload", Number{dice_.uniform(-3.0, 3.0), kForce});
  }
  const Number c{damping(1.0), kForce / kVelocity};
  Item rate{"sensors", "", {}, {}};
  if (!isStraight) {
    rate.with("measure", "distance_rate")
        .with("between", namesOf({nodeName(first), nodeName(second)}));
  } else if (first == 0) {
    rate.with("measure", "velocity")
        .with("node", nodeName(second))
        .with("direction", ground(direction));
  }
  const bool isKnown = !rate.entries.empty();
  if (type == "damper" || dice_.chance(0.6)) {
    // A damper needs its damping; without a sensor of its rate it is not part of the balance.
    item.with("damping", c,
              isKnown || type == "damper" ? When::kAlways : When::kNotInEnergyBalance);
    if (isKnown) addPower("-@1*#1*#1", {addBalanceSensor(rate)}, {c});
    if (!isKnown && type == "damper") note(Trait::kNoPowerKnown);
  }
  machine_.items.push_back(item);
}

// `rate`: that with which the second node would swing, in rad/s.
void Maker::addBushing(int first, int second, double rate) {
  const NodeFacts& node = machine_.nodes[second];
  const double k = node.mass * rate * rate, kappa = (node.inertia + 0.05) * rate * rate;
  Item item{"springs", newName("spring"), {}, {}};
  item.with("type", "bushing").with("between", namesOf({nodeName(first), nodeName(second)}));
  if (dice_.chance(0.5)) item.with("at", ground(node.position + 0.1 * dice_.direction(), kLength));
  const Vector3d x = dice_.direction();
  item.with("axes", Map{{"x", ground(x)}, {"y", ground(dice_.perpendicularTo(x))}});
  List stiff, damp;
  const double eta = 0.3 * dice_.uniform(0.1, 1.0) / rate;
  for (int i = 0; i < 6; ++i) {
    const double value = (i < 3 ? k : kappa) * dice_.uniform(0.5, 1.5);
    const Dimension unit = i < 3 ? kForce / kLength : kTorque;
    stiff.emplace_back(Number{value, unit});
    damp.emplace_back(Number{eta * value, unit * kTime});
  }
  item.with("stiffness", stiff);
  if (dice_.chance(0.5)) item.with("damping", damp, When::kNotInEnergyBalance);
  machine_.items.push_back(item);
}

void Maker::addLoads() {
  const bool mayRest = !isMoving_ && machine_.gravity.isZero();
  for (int i = dice_.between(mayRest ? 1 : 0, 2); i > 0; --i) {
    const int node = 1 + dice_.below(static_cast<int>(machine_.nodes.size()) - 1);
    const bool isBody = dice_.chance(0.4);
    const auto vector = [&](Dimension unit, double size) {
      const Vector3d v = size * dice_.direction();
      return isBody ? body(v, unit) : ground(v, unit);
    };
    const Vector force = vector(kForce, 3.0), torque = vector(kTorque, 0.3);
    Item item{"loads", newName("load"), {}, {}};
    item.with("node", nodeName(node)).with("force", force);
    const bool hasTorque = dice_.chance(0.5);
    if (hasTorque) item.with("torque", torque);
    if (isBody) item.with("frame", "body");
    std::string signal = "1";
    if (isStiff() || dice_.chance(0.7)) {
      signal = addSource(kNone, 1.0).name;
      item.with("signal", signal);
    }
    machine_.items.push_back(item);
    const auto add = [&](const char* measure, const Vector& v) {
      Item rate{"sensors", "", {}, {}};
      rate.with("measure", measure).with("node", nodeName(node)).with("direction", v);
      rate.entries.back().value = Vector{v.value, kNone, v.turns};
      if (isBody) rate.with("frame", "body");
      const Number size{v.value.norm(), v.dimension};
      if (signal == "1") {
        addPower("@1*#1", {addBalanceSensor(rate)}, {size});
      } else {
        addPower("@1*#1*#2", {addBalanceSensor(rate), signal}, {size});
      }
    };
    add("velocity", force);
    if (hasTorque) add("angular_velocity", torque);
  }
}

}  // namespace flexloop::random
