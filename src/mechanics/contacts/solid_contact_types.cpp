// Types of section `contacts` between a sphere and a solid.
#include <algorithm>

#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/contacts/shape_couple.hpp"
#include "mechanics/contacts/solid_shapes.hpp"
#include "mechanics/sample_models.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;
using system::Parameter;

namespace {

void makeSphereBox(const Item& item, Builder& builder) {
  const double radius = item.child("sphere").number("radius");
  const auto c = readCouple(item, "box", "sphere", radius, builder);
  if (!c) return;
  const Vec3<double> half = 0.5 * c->first.item.vector("size");
  if (!(half.minCoeff() > 0.0)) {
    return builder.error(c->first.item.placeOf("size"),
                         "contacts." + item.name() + ": an edge of the box has no length",
                         "give three lengths that are greater than zero");
  }
  addContact<BallOnBox>(
      item, c->nodes,
      {{c->first.centre, half, c->second.centre, radius, std::min(radius, half.minCoeff())}},
      c->laws, builder);
}

void makeSphereCylinder(const Item& item, Builder& builder) {
  const double radius = item.child("sphere").number("radius");
  const double outer = item.child("cylinder").number("radius");
  const auto c = readCouple(item, "cylinder", "sphere", 0.0, builder);
  if (!c) return;
  const auto axis = readAxis(c->first, builder);
  if (!axis) return;
  const double half = 0.5 * c->first.item.number("length");
  addContact<BallOnCylinder>(item, c->nodes,
                             {{c->first.centre, *axis, outer, half, c->second.centre, radius,
                               std::min({radius, outer, half})}},
                             c->laws, builder);
}

Parameter sphere() {
  return required(map("sphere",
                      joined(shapeOnNode("the node that carries it",
                                         "its centre, in ground axes at the start", "the node"),
                             {lengthOfShape("radius", "radius of the sphere")}),
                      "the sphere"));
}

}  // namespace

void registerSolidContacts(system::Registry& registry) {
  using namespace system;
  const auto add = [&](const char* type, const char* doc, std::vector<Parameter> shapes,
                       bool hasHertz, void (*make)(const Item&, Builder&),
                       const std::vector<std::string>& samples) {
    registry.add(
        {"contacts",
         type,
         doc,
         joined(joined(std::move(shapes), {restitutionParameter(), regularizationParameter()}),
                forceParameters(hasHertz)),
         make,
         samples,
         {}});
  };
  const char* atItsNode = "the node";
  add("sphere_box", "A sphere on a box: on its faces, edges and corners.",
      {required(map(
           "box",
           joined(shapeOnNode("the node that carries it", "its middle, in ground axes at the start",
                              atItsNode),
                  {required(ownAxes(vector("size", base::kLength,
                                           "lengths of its edges along the axes of the node")))}),
           "the box")),
       sphere()},
      true, makeSphereBox,
      withRigid(
          "type: sphere_box, box: {node: A, size: [0.5, 0.4, 0.3]}, sphere: {node: B, radius: %s}",
          {"0.65", "0.05"}));
  add("sphere_cylinder", "A sphere on a cylinder: on its side, its flat ends and their rims.",
      {required(
           map("cylinder",
               joined(shapeOnNode("the node that carries it",
                                  "its middle, in ground axes at the start", atItsNode),
                      {lengthOfShape("radius", "its radius"), lengthOfShape("length", "its length"),
                       axisOfShape("its axis, in ground axes at the start")}),
               "the cylinder")),
       sphere()},
      false, makeSphereCylinder,
      withRigid("type: sphere_cylinder, cylinder: {node: A, radius: 0.2, length: 0.4, axis: [1, "
                "0.2, -0.4]}, "
                "sphere: {node: B, radius: %s}",
                {"0.75", "0.05"}));
}

}  // namespace flexloop::mechanics
