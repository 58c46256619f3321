#include "mechanics/bodies/body_types.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Eigenvalues>

#include "math/definiteness.hpp"
#include "mechanics/bodies/inertia.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using math::Mat3;
using system::Item;
using system::Parameter;

constexpr const char* kSample = R"(flexloop: 1
gravity: [0.5, -0.3, -9.81]
nodes:
  A: {position: [0.2, -0.1, 0.4], rotation: {axis: [1, -1, 2], angle: 70 deg},
      velocity: [0.3, 0.8, -0.5], angular_velocity: [2, -1, 3]}
  B: {position: [1, 0, 0], free: [x, y, z], velocity: [0.3, 0.1, 0.2]}
bodies:
  hub: {node: A, mass: 1.2, inertia: [0.11, 0.14, 0.2, 0.01, -0.02, 0.03], com: [0.1, 0.2, -0.3]}
  rotor: {node: A, mass: 0.4, inertia: [0.01, 0.01, 0.02]}
  point: {node: B, mass: 2, com: [0.1, 0, 0], shape: {type: sphere, radius: 50 mm}}
)";

// The second moments of the mass distribution, ∫ x xᵀ dm = ½ tr(J) I − J, are those of a real body
// if they are not negative. Then each principal moment of inertia is at most the sum of the other
// two.
void checkInertia(const Item& item, const Mat3<double>& J, system::Builder& builder) {
  constexpr double kTolerance = 1e-6;  // relative: inertias are given with few digits
  const double half = 0.5 * J.trace();
  const Mat3<double> second = half * (1.0 + kTolerance) * Mat3<double>::Identity() - J;
  if (J.isZero(0.0) || math::isPositiveDefinite(second)) return;
  const math::Vec3<double> principal =
      Eigen::SelfAdjointEigenSolver<Mat3<double>>(J, Eigen::EigenvaluesOnly).eigenvalues();
  char moments[96];
  std::snprintf(moments, sizeof moments, "%.6g, %.6g and %.6g", principal[0], principal[1],
                principal[2]);
  builder.error(item.placeOf("inertia"),
                "bodies." + item.name() +
                    ": no body can have this inertia tensor, whose principal moments are " +
                    moments,
                "give it about the centre of mass, in the order xx yy zz xy xz yz; principal "
                "moments must be positive, and none may exceed the sum of the other two");
}

struct ShapeKeys {
  const char* type;
  std::vector<const char*> needed, allowed;
};

const std::vector<ShapeKeys>& shapeKeys() {
  static const std::vector<ShapeKeys> kKeys{{"box", {"size"}, {}},
                                            {"cylinder", {"radius", "length"}, {"axis"}},
                                            {"sphere", {"radius"}, {}},
                                            {"mesh", {"file"}, {"scale"}}};
  return kKeys;
}

// A shape is only for the eye, but half of one is a mistake. Files are read by who draws them.
void checkShape(const Item& item, system::Builder& builder) {
  if (!item.has("shape")) return;
  const Item shape = item.child("shape");
  const std::string& type = shape.text("type");
  const std::string subject = "bodies." + item.name() + ": the shape '" + type + "' ";
  for (const ShapeKeys& keys : shapeKeys()) {
    const bool isOwn = type == keys.type;
    for (const char* key : keys.needed) {
      if (isOwn && !shape.has(key)) builder.error(shape.place(), subject + "needs '" + key + "'");
    }
    if (!isOwn) continue;
    for (const char* key : {"size", "radius", "length", "axis", "file", "scale"}) {
      const auto holds = [&](const std::vector<const char*>& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const char* other) { return std::string_view(other) == key; });
      };
      if (!shape.has(key) || holds(keys.needed) || holds(keys.allowed)) continue;
      builder.error(shape.placeOf(key), subject + "has no '" + key + "'");
    }
  }
}

void makeBody(const Item& item, system::Builder& builder) {
  checkShape(item, builder);
  const Mat3<double> J = readInertia(item);
  checkInertia(item, J, builder);
  const math::Mat6<double> mass = makeMass(item.number("mass"), item.vector("com"), J);
  auto& set = builder.elements<Inertia>();
  builder.attach("bodies", item.name(),
                 {&set, set.add(item.name(), {builder.node(item, "node")}, {}, {mass})});
}

Parameter makeShape() {
  using namespace system;
  Parameter size = counted(positive(numbers("size", base::kLength, "sides of a box")), 3);
  const Parameter axis =
      required(nonZero(system::ownAxes(system::vector("axis", {}, "axis, node axes"))));
  const Parameter angle = required(number("angle", base::kAngle, "right-handed angle about it"));
  return withNote(
      map("shape",
          {required(choice(
               "type", {"box", "cylinder", "sphere", "mesh"},
               "a box along the axes, a cylinder, a sphere, or a triangle mesh from a file")),
           size, positive(number("radius", base::kLength, "of a cylinder or a sphere")),
           positive(number("length", base::kLength, "of a cylinder")),
           withNote(nonZero(system::ownAxes(system::vector("axis", {}, "of a cylinder"))), "z"),
           text("file", "of a mesh: STL, glTF as .glb, OBJ or COLLADA; relative to the model file"),
           withNote(positive(number("scale", {}, "metres per unit of the file")), "1"),
           withNote(system::ownAxes(system::vector(
                        "at", base::kLength, "its centre, or the origin of a mesh, in node axes")),
                    "the centre of mass; the node for a mesh"),
           withNote(map("rotation", {axis, angle}, "from node axes to those of the shape"),
                    "none")},
          "shape drawn by `view`; it has no mass"),
      "a box of the same inertia");
}

std::vector<Parameter> makeParameters() {
  using namespace system;
  Parameter inertia = withNote(numbers("inertia", base::kInertia,
                                       "entries xx yy zz, or xx yy zz xy xz yz, of the inertia "
                                       "tensor about the centre of mass, node axes"),
                               "a point mass");
  inertia.counts = {3, 6};
  return {required(node("node", "the node that carries the body")),
          required(notNegative(number("mass", base::kMass, "mass"))), inertia,
          withDefault(
              system::ownAxes(system::vector("com", base::kLength, "centre of mass, node axes")),
              "[0, 0, 0]"),
          makeShape()};
}

}  // namespace

// xx yy zz, and xy xz yz where given.
Mat3<double> readInertia(const Item& body) {
  if (!body.has("inertia")) return Mat3<double>::Zero();
  std::vector<double> e = body.numbers("inertia");
  e.resize(6, 0.0);
  Mat3<double> J;
  J << e[0], e[3], e[4], e[3], e[1], e[5], e[4], e[5], e[2];
  return J;
}

void registerBodies(system::Registry& registry) {
  registry.add({.section = "bodies",
                .type = "",
                .doc = "A rigid body at a node. Without inertia it is a point mass.",
                .parameters = makeParameters(),
                .make = makeBody,
                .samples = {kSample}});
}

}  // namespace flexloop::mechanics
