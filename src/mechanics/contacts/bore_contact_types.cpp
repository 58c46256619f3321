// The contact of a pin in a bore.
#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/contacts/shape_couple.hpp"
#include "mechanics/contacts/solid_shapes.hpp"
#include "mechanics/sample_models.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;

namespace {

// The pin touches with its middle, or with both ends if it has a length.
void makePinInBore(const Item& item, Builder& builder) {
  const double radius = item.child("pin").number("radius");
  const double bore = item.child("bore").number("radius");
  const auto c = readCouple(item, "bore", "pin", 0.0, builder);
  if (!c) return;
  if (!(bore > radius)) {
    return builder.error(
        c->first.item.placeOf("radius"),
        "contacts." + item.name() + ": the pin does not fit into the bore",
        "the radius of the bore is that of the pin and the clearance; without clearance use a "
        "hinge or a spring of type 'bearing'");
  }
  const auto axis = readAxis(c->first, builder);
  if (!axis) return;
  const double length = c->second.item.number("length", 0.0);
  const Vec3<double> along =
      builder.frame(c->first.node).R * *axis;  // where pin and bore are aligned at the start
  const Vec3<double> half = inNodeAxes(0.5 * length * along, c->second.node, builder);
  std::vector<PinInBore::Parameters<double>> points;
  for (const double side : {-1.0, 1.0}) {
    if (length == 0.0 && side > 0.0) continue;
    points.push_back(
        {c->first.centre, *axis, bore, c->second.centre + side * half, radius, radius});
  }
  addContact<PinInBore>(item, c->nodes, points, c->laws, builder);
}

}  // namespace

void registerBoreContacts(system::Registry& registry) {
  using namespace system;
  const char* atItsNode = "the node";
  registry.add(
      {"contacts",
       "pin_in_bore",
       "A bearing with clearance: a pin, or a shaft, that moves in a bore until it touches it. "
       "It may slide along the bore.",
       joined(
           joined(
               std::vector<Parameter>{
                   required(map(
                       "bore",
                       joined(shapeOnNode("the node that carries it",
                                          "a point of its axis, in ground axes at the start",
                                          atItsNode),
                              {lengthOfShape("radius", "its radius, larger than that of the pin"),
                               axisOfShape("its axis, in ground axes at the start")}),
                       "the bore")),
                   required(map(
                       "pin",
                       joined(
                           shapeOnNode("the node that carries it",
                                       "its middle, in ground axes at the start", atItsNode),
                           {lengthOfShape("radius", "its radius"),
                            withNote(positive(number("length", base::kLength,
                                                     "its length along the axis of the bore at the "
                                                     "start: both ends touch; a pin that is "
                                                     "tilted has to fit")),
                                     "it touches in its middle and may tilt")}),
                       "the pin"))},
               {restitutionParameter(), regularizationParameter()}),
           forceParameters(false)),
       makePinInBore,
       withRigid("type: pin_in_bore, bore: {node: A, radius: %s, axis: [0.3, 0.2, 1]}, pin: {node: "
                 "B, radius: "
                 "0.2, length: 0.3}",
                 {"0.95", "3"}),
       {}});
}

}  // namespace flexloop::mechanics
