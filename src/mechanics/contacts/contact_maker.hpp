// Shared by the makers of section `contacts`: what all types have in common, and the elements of a contact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechanics/contacts/contact_parts.hpp"
#include "mechanics/contacts/friction_contact.hpp"
#include "mechanics/contacts/normal_contact.hpp"
#include "mechanics/contacts/plane_shapes.hpp"
#include "mechanics/contacts/rigid_contact.hpp"
#include "mechanics/contacts/rigid_friction_set.hpp"
#include "mechanics/contacts/smooth_friction.hpp"
#include "mechanics/contacts/stop_set.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/registry.hpp"

namespace flexloop::mechanics {

// Parameters of the force, of every type; `hertz` only where the radii of both shapes are known.
std::vector<system::Parameter> forceParameters(bool hasHertz);

struct RigidGrip {
  double sliding = 0.0, sticking = 0.0;  // coefficients
};

struct ContactLaws {
  ContactLaw<double> normal;
  std::optional<FrictionLaw<double>> friction;
  double smoothSpeed = 0.0;           // ε of (34.24) [m/s]; zero: friction sticks
  std::optional<double> restitution;  // of a rigid contact
  std::optional<RigidGrip> grip;      // its friction
};

// Makes friction smooth. Not of groups of spheres.
system::Parameter regularizationParameter();

// Makes a contact rigid, in place of the parameters of its force.
system::Parameter restitutionParameter();

// With the radius R of `hertz`, 1/R = 1/R_A + 1/R_B. Reports and gives nothing if the force is not stated, or twice.
std::optional<ContactLaws> readLaws(const system::Item& item, system::Builder& builder,
                                    double radius = 0.0);

// What is wrong with the two nodes of a contact is reported at the key.
bool areApart(const system::Item& item, std::string_view key,
              const std::array<system::NodeIndex, 2>& nodes, system::Builder& builder);

// The plane that the item gives under a key, on its node.
struct PlaneOnNode {
  system::NodeIndex node;
  Plane<double> plane;  // axes of the node
};
std::optional<PlaneOnNode> findPlane(const system::Item& item, system::Builder& builder,
                                     std::string_view key = "plane");
std::optional<PlaneOnNode> readPlane(const system::Item& plane, system::Builder& builder);
system::Parameter planeParameter(const char* key = "plane");
std::vector<system::Parameter> planeFields();

// A point given in ground axes at the start by `at`, in axes of its node; without it the node itself.
math::Vec3<double> findCentre(const system::Item& item, system::NodeIndex node,
                              const system::Builder& builder);

// A direction in ground axes at the start, in axes of the node.
math::Vec3<double> inNodeAxes(const math::Vec3<double>& direction, system::NodeIndex node,
                              const system::Builder& builder);

// A law of straight lines through the points (depth, force), which begin with (0, 0). Reports what cannot be.
std::optional<ContactLaw<double>> makeLines(const system::Item& item, std::string_view key,
                                            const std::vector<double>& depth,
                                            const std::vector<double>& force,
                                            system::Builder& builder);

// Reports a start at which the shapes overlap by more than their size.
bool isShallow(const system::Item& item, double depth, double size, system::Builder& builder);

template <class Shape>
void addSmoothFriction(const system::Item& item, const std::array<system::NodeIndex, 2>& nodes,
                       const std::vector<typename Shape::template Parameters<double>>& points,
                       const ContactLaws& laws, system::Builder& builder) {
  auto& set = builder.elements<SmoothFriction<Shape>>();
  const int first = set.size(), count = static_cast<int>(points.size());
  for (const auto& point : points) {
    set.add(item.name(), nodes, {}, {point, laws.normal, laws.friction->sliding, laws.smoothSpeed});
  }
  builder.attach("contacts", item.name() + kFrictionPart, {&set, first, count});
}

template <class Shape>
void addFriction(const system::Item& item, const std::array<system::NodeIndex, 2>& nodes,
                 const std::vector<typename Shape::template Parameters<double>>& points,
                 const ContactLaws& laws, system::Builder& builder) {
  using E = FrictionContact<Shape>;
  auto& set = builder.elements<E>();
  const int first = set.size(), count = static_cast<int>(points.size());
  typename E::template View<double> start;
  for (int k = 0; k < 2; ++k) {
    start.frame[k] = builder.frame(nodes[k]);
    start.twist[k] = builder.twist(nodes[k]);
    start.twistRate[k].setZero();
  }
  start.time = 0.0;
  FrictionLaw<double> law = *laws.friction;
  law.isLocated = jumpsWhereItSlides(law) ? 1.0 : 0.0;
  for (const auto& point : points) {
    const int history = builder.addHistory(kFrictionMemory);
    const typename E::template Parameters<double> p{point, laws.normal, law};
    set.add(item.name(), nodes, {}, p, history);
    std::array<double, kFrictionMemory> memory;
    E::start(p, start, memory.data());
    for (int k = 0; k < kFrictionMemory; ++k) builder.setHistory(history + k, memory[k]);
  }
  builder.attach("contacts", item.name() + kFrictionPart, {&set, first, count});
}

// What messages call one of the points of a contact.
inline std::string namePoint(const system::Item& item, int point, int count) {
  return count == 1 ? item.name() : item.name() + " point " + std::to_string(point + 1);
}

// A direction across another one.
inline math::Vec3<double> findAcross(const math::Vec3<double>& n) {
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  return math::Vec3<double>(math::Vec3<double>::Unit(least) - n[least] * n).normalized();
}

// At one point, whose contact has the given multiplier. Gives the element.
template <class Shape>
int addRigidFriction(const std::string& name, const std::array<system::NodeIndex, 2>& nodes,
                     const typename Shape::template Parameters<double>& point,
                     const RigidGrip& grip, system::UnknownIndex force, system::Builder& builder) {
  using system::Kind;
  auto& set = builder.elementSet<RigidFrictionSet<Shape>>();
  std::array<system::UnknownIndex, 5> scalars;
  for (int i = 0; i < 2; ++i) {
    const std::string axis = i == 0 ? " 1" : " 2";
    scalars[i] = builder.addScalar(Kind::kSignal, name + " friction force" + axis,
                                   name + ": friction" + axis);
    scalars[2 + i] = builder.addScalar(Kind::kMultiplier, name + " sticking force" + axis,
                                       name + ": sticking" + axis);
  }
  scalars[4] = force;
  const math::Frame<double> G = math::relative(builder.frame(nodes[0]), builder.frame(nodes[1]));
  std::array<double, kRigidFrictionMemory> start{};
  RigidFrictionMemory<double> memory(start);
  memory.direction = {1.0, 0.0};
  memory.turn = G.R;
  memory.axis = findAcross(Shape::calc(point, G).normal);
  memory.write(start.data());
  const int history = builder.addHistory(kRigidFrictionMemory);
  for (int k = 0; k < kRigidFrictionMemory; ++k) builder.setHistory(history + k, start[k]);
  return set.add(name, nodes, scalars, {point, grip.sliding, grip.sticking}, history);
}

template <class Shape>
void addRigidContact(const system::Item& item, const std::array<system::NodeIndex, 2>& nodes,
                     const std::vector<typename Shape::template Parameters<double>>& points,
                     const ContactLaws& laws, system::Builder& builder) {
  auto& set = builder.elementSet<StopSet<RigidContact<Shape>>>();
  const int first = set.size(), count = static_cast<int>(points.size());
  int grip = 0;  // the last
  for (const auto& point : points) {
    const std::string name = namePoint(item, set.size() - first, count);
    const system::UnknownIndex force =
        builder.addScalar(system::Kind::kMultiplier, name + " contact force", name + ": contact");
    set.add(name, nodes, {force}, {point, *laws.restitution}, builder.addHistory(1));
    if (laws.grip) grip = addRigidFriction<Shape>(name, nodes, point, *laws.grip, force, builder);
  }
  builder.attach("contacts", item.name(), {&set, first, count});
  if (!laws.grip) return;
  builder.attach("contacts", item.name() + kFrictionPart,
                 {&builder.elementSet<RigidFrictionSet<Shape>>(), grip - count + 1, count});
}

// The elements of a contact at one or several points, for each the parameters of its shape. The nodes are A and B.
template <class Shape>
void addContact(const system::Item& item, const std::array<system::NodeIndex, 2>& nodes,
                const std::vector<typename Shape::template Parameters<double>>& points,
                const ContactLaws& laws, system::Builder& builder) {
  const math::Frame<double> G = math::relative(builder.frame(nodes[0]), builder.frame(nodes[1]));
  for (const auto& point : points) {
    if (!isShallow(item, Shape::calc(point, G).depth, point.size, builder)) return;
  }
  if (laws.restitution) {
    return addRigidContact<Shape>(item, nodes, points, laws, builder);
  }
  auto& set = builder.elements<NormalContact<Shape>>();
  const int first = set.size(), count = static_cast<int>(points.size());
  for (const auto& point : points) {
    const int history = builder.addHistory(1, Shape::calc(point, G).depth > 0.0 ? 1.0 : 0.0);
    set.add(item.name(), nodes, {}, {point, laws.normal}, history);
  }
  builder.attach("contacts", item.name(), {&set, first, count});
  if (laws.smoothSpeed > 0.0) {
    return addSmoothFriction<Shape>(item, nodes, points, laws, builder);
  }
  if (laws.friction) addFriction<Shape>(item, nodes, points, laws, builder);
}

}  // namespace flexloop::mechanics
