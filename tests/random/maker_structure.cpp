#include <algorithm>

#include "random/maker.hpp"

namespace flexloop::random {
namespace {

constexpr double kReach = 0.2;  // m, of the points that show how a node has turned

// Freedoms that a joint leaves.
int freedomsOf(const std::string& type) {
  static const std::vector<std::pair<std::string, int>> kFreedoms{
      {"hinge", 1},     {"slider", 1},        {"cylindrical", 2},   {"universal", 2},
      {"spherical", 3}, {"planar", 3},        {"weld", 0},          {"screw", 1},
      {"distance", 5},  {"point_on_line", 4}, {"point_on_plane", 5}};
  for (const auto& [name, freedoms] : kFreedoms) {
    if (name == type) return freedoms;
  }
  return 6;
}

}  // namespace

Machine Maker::make() {
  chooseSettings();
  machine_.nodes.push_back({"ground", Vector3d::Zero()});
  isCarrying_.push_back(true);
  const double kind = dice_.uniform(0.0, 1.0);
  if (kind < 0.12) {
    makeFourBar();
  } else if (kind < 0.22) {
    makeCarts();
  } else {
    makeTree();
    if (kind > 0.7) closeLoops();
  }
  addSprings();
  addLoads();
  for (int i = dice_.between(0, 2); i > 0; --i) addControl();
  addNodeItems();
  addOutputs();
  return machine_;
}

void Maker::chooseSettings() {
  if (dice_.chance(0.12)) note(Trait::kStiff);
  isMoving_ = !isStiff() && dice_.chance(0.5);
  isAnchored_ = dice_.chance(0.5);
  if (!isStiff() && dice_.chance(0.7)) machine_.gravity = 9.81 * dice_.direction();
  machine_.rho = dice_.pick<double>({0.0, 0.3, 0.5, 0.8, 0.8, 0.8, 0.9, 0.99});
  machine_.end = dice_.uniform(0.2, 0.4);
  if (machine_.rho > 0.95) note(Trait::kUndamped);
  if (isStiff() && machine_.has(Trait::kUndamped)) note(Trait::kRinging);
}

int Maker::addNode(const Vector3d& position, const Matrix3d& R, bool isCarrying) {
  NodeFacts node{"n" + std::to_string(machine_.nodes.size()), position, R};
  machine_.nodes.push_back(node);
  isCarrying_.push_back(isCarrying);
  return static_cast<int>(machine_.nodes.size()) - 1;
}

void Maker::makeTree() {
  const int count = dice_.between(1, 4);
  for (int i = 0; i < count; ++i) {
    const int parent = dice_.below(static_cast<int>(machine_.nodes.size()));
    const Vector3d position =
        machine_.nodes[parent].position + dice_.uniform(0.3, 0.6) * dice_.direction();
    const int child =
        addNode(position, dice_.chance(0.7) ? dice_.rotation() : Matrix3d::Identity(), false);
    addLink(parent, child);
    if (!isCarrying_[child] || dice_.chance(0.4)) {
      addBody(child, dice_.uniform(0.5, 2.0), dice_.uniform(0.03, 0.15));
    }
    if (isAnchored_) addBushing(0, child, dice_.uniform(8.0, 20.0));
  }
}

void Maker::addLink(int parent, int child) {
  static const std::vector<std::string> kTypes{
      "hinge", "hinge", "slider",   "cylindrical",   "universal",      "spherical", "planar",
      "weld",  "screw", "distance", "point_on_line", "point_on_plane", "free"};
  links_.resize(machine_.nodes.size());
  links_[child].parent = parent;
  if (dice_.chance(0.35)) {
    addBeam(parent, child);
    mobility_ += 6;
    return;
  }
  const std::string& type = dice_.pick(kTypes);
  links_[child].freedoms = freedomsOf(type);
  mobility_ += freedomsOf(type);
  if (type == "free") return;
  const Vector3d& from = machine_.nodes[parent].position;
  const Vector3d& to = machine_.nodes[child].position;
  const Vector3d place = to + dice_.uniform(0.0, 0.8) * (from - to) + 0.05 * dice_.direction();
  addJoint(type, parent, child, place, dice_.direction(), false);
}

int Maker::countFreedoms(int first, int second) const {
  const auto depth = [&](int node) {
    int count = 0;
    for (; node > 0; node = links_[node].parent) ++count;
    return count;
  };
  int freedoms = 0;
  while (first != second) {
    int& deeper = depth(first) > depth(second) ? first : second;
    freedoms += links_[deeper].freedoms;
    deeper = links_[deeper].parent;
  }
  return freedoms;
}

// Joints between nodes that are linked already, as far as the machine stays movable.
void Maker::closeLoops() {
  static const std::vector<std::pair<std::string, int>> kTypes{{"distance", 1},
                                                               {"point_on_plane", 1},
                                                               {"point_on_line", 2},
                                                               {"spherical", 3},
                                                               {"planar", 3}};
  const int count = static_cast<int>(machine_.nodes.size());
  for (int i = dice_.between(1, 2); i > 0; --i) {
    const auto& [type, held] = dice_.pick(kTypes);
    const int first = dice_.below(count), second = dice_.below(count);
    if (first == second || second == 0 || mobility_ < held + 2) continue;
    const bool isLinked =
        std::any_of(machine_.joints.begin(), machine_.joints.end(), [&](const JointFacts& joint) {
          return std::minmax(joint.first, joint.second) == std::minmax(first, second);
        });
    if (isLinked) continue;
    mobility_ -= held;
    // The loop cannot move, and what holds it more often than that depends on each other.
    if (countFreedoms(first, second) < held) note(Trait::kRedundant);
    const Vector3d middle =
        0.5 * (machine_.nodes[first].position + machine_.nodes[second].position);
    addJoint(type, first, second, middle + 0.1 * dice_.direction(), dice_.direction(), true);
  }
}

// Crank, coupler and rocker in a plane, with hinges everywhere: three of the constraints are redundant.
void Maker::makeFourBar() {
  note(Trait::kRedundant);
  const Matrix3d plane = dice_.rotation();
  const Vector3d normal = plane.col(2);
  const auto at = [&](double x, double y) { return Vector3d(plane * Vector3d(x, y, 0.0)); };
  const double tilt = dice_.uniform(0.6, 2.2);
  const Vector3d A = at(0, 0), B = at(0.2 * std::cos(tilt), 0.2 * std::sin(tilt));
  const Vector3d C = at(dice_.uniform(0.55, 0.7), dice_.uniform(0.4, 0.6)),
                 D = at(dice_.uniform(0.5, 0.6), 0);
  const std::vector<std::pair<Vector3d, Vector3d>> ends{{A, B}, {B, C}, {C, D}};
  int before = 0;
  for (const auto& [from, to] : ends) {
    const int node = addNode(0.5 * (from + to), dice_.rotation(), false);
    addBody(node, dice_.uniform(0.5, 2.0), dice_.uniform(0.02, 0.06));
    addJoint("hinge", before, node, from, normal, before != 0);
    before = node;
  }
  addJoint("hinge", before, 0, D, normal, true);
  mobility_ = 1;
}

// Masses that move along ground axes only.
void Maker::makeCarts() {
  note(Trait::kHeldFreedoms);
  static const std::vector<std::array<bool, 6>> kFree{
      {true, false, false, false, false, false}, {false, true, true, false, false, false},
      {true, true, true, false, false, false},   {false, false, false, false, false, true},
      {true, true, false, false, false, true},   {true, false, true, true, false, false}};
  const int count = dice_.between(1, 3);
  for (int i = 0; i < count; ++i) {
    const int node =
        addNode(dice_.uniform(0.5, 1.5) * dice_.direction(), Matrix3d::Identity(), false);
    machine_.nodes[node].free = dice_.pick(kFree);
    addBody(node, dice_.uniform(0.5, 2.0), dice_.uniform(0.05, 0.2));
    addSpring(dice_.below(node), node);
    if (isAnchored_) addBushing(0, node, dice_.uniform(8.0, 20.0));
  }
  if (count > 1 && dice_.chance(0.3)) addBeam(1, 2);
}

void Maker::addBody(int node, double mass, double inertia) {
  NodeFacts& facts = machine_.nodes[node];
  facts.mass = mass;
  facts.inertia = inertia;
  isCarrying_[node] = true;
  Item item{"bodies", newName("body"), {}, {}};
  item.with("node", facts.name).with("mass", Number{mass, kMass});
  // Moments of a box of these half axes: any such tensor is possible.
  const double a = dice_.uniform(0.5, 1.0), b = dice_.uniform(0.5, 1.0),
               c = dice_.uniform(0.5, 1.0);
  const double unit = 0.5 * inertia;
  std::vector<double> moments{unit * (b + c), unit * (a + c), unit * (a + b)};
  if (dice_.chance(0.4)) {
    const Matrix3d R = dice_.rotation();
    const Matrix3d J =
        R * Vector3d(moments[0], moments[1], moments[2]).asDiagonal() * R.transpose();
    moments = {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)};
  }
  item.with("inertia", listOf(moments, kInertia));
  if (dice_.chance(0.5)) item.with("com", body(0.1 * dice_.direction(), kLength));
  machine_.items.push_back(item);
}

void Maker::addNodeItems() {
  for (std::size_t i = 1; i < machine_.nodes.size(); ++i) {
    const NodeFacts& node = machine_.nodes[i];
    Item item{"nodes", node.name, {}, {}};
    item.with("position", ground(node.position, kLength)).with("rotation", Rotation{node.R});
    const bool isHeld = std::find(node.free.begin(), node.free.end(), false) != node.free.end();
    if (isHeld) item.with("free", Freedoms{node.free});
    if (isMoving_ && !isHeld) {
      item.with("velocity", ground(0.3 * dice_.direction(), kVelocity))
          .with("angular_velocity", ground(dice_.uniform(0.3, 2.0) * dice_.direction(), kRate));
    }
    machine_.items.push_back(item);
  }
}

void Maker::addOutputs() {
  for (std::size_t i = 1; i < machine_.nodes.size(); ++i) {
    const std::string& node = machine_.nodes[i].name;
    const auto add = [&](const std::string& name, const std::string& measure, Dimension dimension) {
      machine_.outputs.push_back(
          {name + "_" + node, measure, dimension, true, "measure: " + measure + ", node: " + node});
    };
    add("x", "position", kLength);
    add("v", "velocity", kVelocity);
    add("a", "acceleration", kAcceleration);
    add("w", "angular_velocity", kRate);
    add("al", "angular_acceleration", kRate * kRate);
  }
  if (machine_.has(Trait::kRedundant)) return;  // see exclusions.hpp
  for (const JointFacts& joint : machine_.joints) {
    machine_.outputs.push_back(
        {"f_" + joint.name, "force", kForce, true, "measure: force, joint: " + joint.name});
    machine_.outputs.push_back(
        {"t_" + joint.name, "torque", kTorque, true, "measure: torque, joint: " + joint.name});
  }
}

Machine makeMachine(std::uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace flexloop::random
