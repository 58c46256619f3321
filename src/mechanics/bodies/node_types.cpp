// Section `nodes` of the model language.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "math/se3.hpp"
#include "mechanics/bodies/skew_freedoms.hpp"
#include "system/builder.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using math::Vec3;
using math::Vec6;
using system::Formulation;
using system::Item;
using system::Parameter;
using system::Shape;

constexpr std::array<const char*, 6> kFreedoms{"x", "y", "z", "rx", "ry", "rz"};

constexpr const char* kFreeSample = R"(flexloop: 1
gravity: [0.3, -0.2, -9.81]
nodes:
  A: [0.1, 0.2, 0.3]
  B: {position: [0.4, 0.1, -0.2], rotation: {axis: [1, 2, 3], angle: 40 deg},
      velocity: [0.3, -0.1, 0.2], angular_velocity: [1, -2, 0.5]}
  C: {position: [0, 1, 0], rotation: {axis: [0, 1, 1], angle: -25 deg}, formulation: r3xso3,
      velocity: [0.1, 0.2, -0.4], angular_velocity: [-0.5, 0.7, 1.1]}
bodies:
  a: {node: A, mass: 2, inertia: [0.1, 0.2, 0.15]}
  b: {node: B, mass: 1.5, inertia: [0.3, 0.25, 0.2, 0.02, -0.03, 0.01], com: [0.1, -0.2, 0.05]}
  c: {node: C, mass: 1, inertia: [0.02, 0.03, 0.04], com: [0.05, 0.1, 0.2]}
)";

constexpr const char* kHeldSample = R"(flexloop: 1
gravity: [1, 0.5, -9.81]
nodes:
  base: {position: [0, 0, 0], free: []}
  cart: {position: [1, 0, 0], free: [x], velocity: [0.5, 0, 0]}
  table: {position: [0, 1, 0], rotation: {axis: [0, 0, 1], angle: 20 deg}, free: [x, y, rz],
          velocity: [0.1, -0.3, 0], angular_velocity: [0, 0, 2]}
  top: {position: [0, 0, 1], rotation: {axis: [1, 0, 1], angle: 30 deg}, free: [rx, ry, rz],
        angular_velocity: [1, 2, 3]}
  gimbal: {position: [1, 1, 1], rotation: {axis: [0, 1, 0], angle: 10 deg}, free: [z, rx, rz],
           velocity: [0, 0, 0.4], angular_velocity: [0.6, 0, -0.8]}
bodies:
  b1: {node: cart, mass: 2}
  b2: {node: table, mass: 1, inertia: [0.1, 0.1, 0.2], com: [0.2, 0.1, 0]}
  b3: {node: top, mass: 1, inertia: [0.1, 0.12, 0.2], com: [0, 0, 0.3]}
  b4: {node: gimbal, mass: 1, inertia: [0.1, 0.12, 0.2, 0.01, 0.02, -0.01], com: [0.1, 0, 0.3]}
)";

math::Mat3<double> readRotation(const Item& item, const char* key) {
  if (!item.has(key)) return math::Mat3<double>::Identity();
  const Item rotation = item.child(key);
  const Vec3<double> axis = rotation.vector("axis").normalized();
  return math::expSO3<double>(axis * rotation.number("angle"));
}

system::FreeSet readFree(const Item& item) {
  system::FreeSet free = system::FreeSet::none();
  for (const std::string& word : item.names("free")) {
    const auto found = std::find(kFreedoms.begin(), kFreedoms.end(), word);
    free.free[found - kFreedoms.begin()] = true;
  }
  return free;
}

std::optional<Formulation> readFormulation(const Item& item) {
  if (!item.has("formulation")) return std::nullopt;
  return system::findFormulation(item.text("formulation"));
}

// What is held cannot move: a velocity there is a mistake in the model.
void checkVelocity(const Item& item, const Vec6<double>& given, const Vec6<double>& taken,
                   system::Builder& builder) {
  constexpr double kTolerance = 1e-9;
  for (const int part : {0, 3}) {
    const double scale = given.segment<3>(part).norm();
    if ((given - taken).segment<3>(part).norm() <= kTolerance * scale) continue;
    const std::string key = part == 0 ? "velocity" : "angular_velocity";
    builder.error(item.placeOf(key),
                  "nodes." + item.name() + ": '" + key + "' has a component along held freedoms",
                  "add them to 'free', or remove that component");
  }
}

GuidedFreedoms readFreedoms(const Item& item, const math::Mat3<double>& Q,
                            system::Builder& builder) {
  const system::FreeSet given = readFree(item);
  const std::optional<GuidedFreedoms> freedoms = findGuidedFreedoms(given, Q);
  if (freedoms) return *freedoms;
  builder.error(
      item.placeOf("free"),
      "nodes." + item.name() + ": the free freedoms are turned away from the axes of ground",
      "leave all six free, and guide the node with a joint");
  return {system::FreeSet::all()};
}

// Of a velocity in ground axes, what is along the free ones of the columns of Q.
Vec3<double> keepFree(const math::Mat3<double>& Q, const bool* free, const Vec3<double>& velocity) {
  Vec3<double> along = Q.transpose() * velocity;
  for (int i = 0; i < 3; ++i) along[i] = free[i] ? along[i] : 0.0;
  return Q * along;
}

void makeNode(const Item& item, system::Builder& builder) {
  const Frame<double> frame{readRotation(item, "rotation"), item.vector("position")};
  const math::Mat3<double> toBody = frame.R.transpose();
  const Vec6<double> twist = math::joined<double>(toBody * item.vector("velocity"),
                                                  toBody * item.vector("angular_velocity"));
  const math::Mat3<double> Q = readRotation(item, "free_axes");
  const GuidedFreedoms freedoms = readFreedoms(item, Q, builder);
  const system::NodeIndex node =
      builder.addNode(item.name(), frame, freedoms.free, twist, readFormulation(item));
  if (freedoms.guide == Guide::kNone) {
    checkVelocity(item, twist, builder.twist(node), builder);
    return;
  }
  const system::FreeSet given = readFree(item);
  const Vec6<double> possible = math::joined<double>(
      toBody * keepFree(Q, given.free.data(), item.vector("velocity")),
      toBody * keepFree(Q, given.free.data() + 3, item.vector("angular_velocity")));
  checkVelocity(item, twist, possible, builder);
  addGuide(item.name(), node, freedoms, frame.x, builder);
}

std::vector<Parameter> makeParameters() {
  using namespace system;
  Parameter free = withDefault(
      choice("free", {kFreedoms.begin(), kFreedoms.end()},
             "the free freedoms, along and about ground axes (or `free_axes`); the others "
             "are held"),
      "[x, y, z, rx, ry, rz]");
  free.shape = Shape::kChoices;
  return {
      required(groundPoint(system::vector("position", base::kLength, "origin, ground axes"))),
      withNote(groundRotation("rotation", "rotation from ground axes to the node's axes"),
               "axes parallel to ground"),
      withDefault(groundDirection(system::vector("velocity", base::kVelocity,
                                                 "velocity of the origin at the start, ground "
                                                 "axes")),
                  "[0, 0, 0]"),
      withDefault(groundDirection(system::vector("angular_velocity", base::kAngularVelocity,
                                                 "angular velocity at the start, ground axes")),
                  "[0, 0, 0]"),
      free,
      withNote(groundRotation("free_axes",
                              "rotation from ground axes to those along and about which `free` "
                              "counts"),
               "ground axes"),
      withNote(choice("formulation", system::formulationWords(),
                      "how a time step moves the node: `local`: straight, with its translation as "
                      "a vector in the axes of the node at the start of the step; `se3`: along a "
                      "screw, which is inaccurate for a body that spins fast in flight; `r3xso3`: "
                      "straight, with its velocity in ground axes as the unknown"),
               "that of the model")};
}

}  // namespace

void registerNodes(system::Registry& registry) {
  registry.add({.section = "nodes",
                .type = "",
                .doc = "A frame with up to six freedoms. A list [x, y, z] is the position of a "
                       "free frame parallel to ground.",
                .parameters = makeParameters(),
                .make = makeNode,
                .samples = {kFreeSample, kHeldSample}});
}

}  // namespace flexloop::mechanics
