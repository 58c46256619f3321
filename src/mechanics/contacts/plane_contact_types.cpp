// Types of section `contacts` with a plane.
#include "mechanics/contacts/contact_maker.hpp"
#include "mechanics/contacts/contact_types.hpp"
#include "mechanics/contacts/plane_shapes.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Mat3;
using math::Vec3;
using system::Builder;
using system::Item;
using system::NodeIndex;
using system::Parameter;

namespace {

using Points = std::vector<EllipsoidOnPlane::Parameters<double>>;

// What a shape on a plane is made of: nodes A of the plane and B of the shape, and the centre of the shape in axes of B.
struct OnPlane {
  std::array<NodeIndex, 2> nodes;
  Plane<double> plane;
  Vec3<double> centre;
  ContactLaws laws;
};

std::optional<OnPlane> readOnPlane(const Item& item, Builder& builder, double radius = 0.0) {
  const std::size_t before = builder.diagnostics().errors().size();
  const NodeIndex node = builder.node(item, "node");
  const auto plane = findPlane(item, builder);
  const auto laws = readLaws(item, builder, radius);
  if (!plane || !laws || builder.diagnostics().errors().size() > before) return std::nullopt;
  const std::array<NodeIndex, 2> nodes{plane->node, node};
  if (!areApart(item, "plane", nodes, builder)) return std::nullopt;
  return OnPlane{nodes, plane->plane, findCentre(item, node, builder), *laws};
}

Mat3<double> squaresOfBall(double radius) {
  return radius * radius * Mat3<double>::Identity();
}

// The unit vector `axis` in axes of node B.
std::optional<Vec3<double>> readAxis(const Item& item, const OnPlane& on, Builder& builder) {
  const auto axis = findDirection(item, "axis", builder);
  if (!axis) return std::nullopt;
  return inNodeAxes(*axis, on.nodes[1], builder);
}

void makeSphere(const Item& item, Builder& builder) {
  const double radius = item.number("radius");
  const auto on = readOnPlane(item, builder, radius);
  if (!on) return;
  addContact<EllipsoidOnPlane>(item, on->nodes,
                               Points{{on->plane, on->centre, squaresOfBall(radius), radius}},
                               on->laws, builder);
}

// A ball at each end.
void makeCapsule(const Item& item, Builder& builder) {
  const double radius = item.number("radius");
  const auto on = readOnPlane(item, builder, radius);
  if (!on) return;
  const auto axis = readAxis(item, *on, builder);
  if (!axis) return;
  const Vec3<double> half = 0.5 * item.number("length") * *axis;
  const Mat3<double> squares = squaresOfBall(radius);
  addContact<EllipsoidOnPlane>(item, on->nodes,
                               Points{{on->plane, on->centre - half, squares, radius},
                                      {on->plane, on->centre + half, squares, radius}},
                               on->laws, builder);
}

void makeBox(const Item& item, Builder& builder) {
  const auto on = readOnPlane(item, builder);
  if (!on) return;
  const Vec3<double> half = 0.5 * item.vector("size");
  if (!(half.minCoeff() > 0.0)) {
    return builder.error(item.placeOf("size"),
                         "contacts." + item.name() + ": an edge of the box has no length",
                         "give three lengths that are greater than zero");
  }
  Points corners;
  for (int k = 0; k < 8; ++k) {
    const Vec3<double> sign((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0,
                            (k & 4) != 0 ? 1.0 : -1.0);
    corners.push_back(
        {on->plane, on->centre + half.cwiseProduct(sign), Mat3<double>::Zero(), half.minCoeff()});
  }
  addContact<EllipsoidOnPlane>(item, on->nodes, corners, on->laws, builder);
}

void makeEllipsoid(const Item& item, Builder& builder) {
  const auto on = readOnPlane(item, builder);
  if (!on) return;
  const Vec3<double> axes = item.vector("semi_axes");
  if (!(axes.minCoeff() > 0.0)) {
    return builder.error(item.placeOf("semi_axes"),
                         "contacts." + item.name() + ": a semi-axis of the ellipsoid has no length",
                         "give three lengths that are greater than zero");
  }
  const Mat3<double> squares = axes.cwiseProduct(axes).asDiagonal();
  addContact<EllipsoidOnPlane>(item, on->nodes,
                               Points{{on->plane, on->centre, squares, axes.minCoeff()}}, on->laws,
                               builder);
}

// The ellipsoid of a disc: Q = ρ²(I − a aᵀ) + η² a aᵀ.
EllipsoidOnPlane::Parameters<double> makeRim(const Item& item, const OnPlane& on,
                                             const Vec3<double>& centre, const Vec3<double>& axis) {
  const double radius = item.number("radius");
  const double edge = item.number("edge", kUsualEdge * radius);
  const Mat3<double> along = axis * axis.transpose();
  const Mat3<double> squares =
      radius * radius * (Mat3<double>::Identity() - along) + edge * edge * along;
  return {on.plane, centre, squares, radius};
}

void makeDisc(const Item& item, Builder& builder) {
  const auto on = readOnPlane(item, builder);
  if (!on) return;
  const auto axis = readAxis(item, *on, builder);
  if (!axis) return;
  addContact<EllipsoidOnPlane>(item, on->nodes, Points{makeRim(item, *on, on->centre, *axis)},
                               on->laws, builder);
}

// A rim at each end.
void makeCylinder(const Item& item, Builder& builder) {
  const auto on = readOnPlane(item, builder);
  if (!on) return;
  const auto axis = readAxis(item, *on, builder);
  if (!axis) return;
  const Vec3<double> half = 0.5 * item.number("length") * *axis;
  addContact<EllipsoidOnPlane>(item, on->nodes,
                               Points{makeRim(item, *on, on->centre - half, *axis),
                                      makeRim(item, *on, on->centre + half, *axis)},
                               on->laws, builder);
}

Parameter lengthOfShape(const char* name, const char* doc) {
  return required(positive(system::number(name, base::kLength, doc)));
}

Parameter axisParameter(const char* doc) {
  return required(
      nonZero(system::groundDirection(system::vector("axis", base::kDimensionless, doc))));
}

std::vector<Parameter> shapeOnPlane(std::vector<Parameter> shape, bool hasHertz = false) {
  using namespace system;
  std::vector<Parameter> parameters =
      joined({required(node("node", "the node that carries the shape"))}, shape);
  parameters = joined(
      parameters, {restitutionParameter(), regularizationParameter(),
                   withNote(groundPoint(vector("at", base::kLength,
                                               "centre of the shape, in ground axes at the start")),
                            "the node"),
                   planeParameter()});
  return joined(parameters, forceParameters(hasHertz));
}

}  // namespace

void registerPlaneContacts(system::Registry& registry) {
  using namespace system;
  const auto add = [&](const char* type, const char* doc, std::vector<Parameter> parameters,
                       void (*make)(const Item&, Builder&),
                       const std::vector<std::string>& samples) {
    registry.add({"contacts", type, doc, std::move(parameters), make, samples, {}});
  };
  const Parameter edge =
      withNote(positive(number("edge", base::kLength, "half of the thickness of the rounded rim")),
               "a millionth of the radius");
  add("sphere_plane", "A sphere on a plane.",
      shapeOnPlane({lengthOfShape("radius", "radius")}, true), makeSphere,
      withRigid("type: sphere_plane, node: A, radius: %s, plane: {node: B, at: [0.2, 0, -0.3], "
                "normal: [0.2, 0.3, 1]}",
                {"1.4", "0.3"}));
  add("capsule_plane", "A capsule, a cylinder with round ends, on a plane.",
      shapeOnPlane({lengthOfShape("radius", "radius of the cylinder and its ends"),
                    lengthOfShape("length", "length of the cylinder, without the ends"),
                    axisParameter("direction of its axis, in ground axes at the start")},
                   true),
      makeCapsule,
      withRigid("type: capsule_plane, node: A, radius: %s, length: 0.4, axis: [1, 0.4, 0.3], "
                "plane: {node: B, at: [0.2, 0, -0.3], normal: [0.2, 0.3, 1]}",
                {"1.5", "0.3"}));
  add("box_plane", "A box on a plane, which its eight corners touch.",
      shapeOnPlane({required(ownAxes(
          vector("size", base::kLength, "lengths of its edges along the axes of the node")))}),
      makeBox,
      withRigid("type: box_plane, node: A, size: %s, plane: {node: B, at: [0.2, 0, -0.3], "
                "normal: [0.2, 0.3, 1]}",
                {"[1.5, 1.6, 1.8]", "[0.3, 0.2, 0.4]"}));
  add("ellipsoid_plane", "An ellipsoid on a plane.",
      shapeOnPlane({required(ownAxes(
          vector("semi_axes", base::kLength, "half of its lengths along the axes of the node")))}),
      makeEllipsoid,
      withRigid("type: ellipsoid_plane, node: A, semi_axes: %s, plane: {node: B, at: [0.2, 0, "
                "-0.3], normal: [0.2, 0.3, 1]}",
                {"[1.5, 1.8, 1.2]", "[0.3, 0.2, 0.4]"}));
  add("disc_plane", "A thin disc that rolls with its rim on a plane.",
      shapeOnPlane({lengthOfShape("radius", "radius"),
                    axisParameter("its axis, in ground axes at the start"), edge}),
      makeDisc,
      withRigid("type: disc_plane, node: A, radius: %s, axis: [1, 0.4, 0.3], edge: 0.2, plane: "
                "{node: B, at: [0.2, 0, -0.3], normal: [0.2, 0.3, 1]}",
                {"1.6", "0.3"}));
  add("cylinder_plane", "A cylinder on a plane, which the rims of its two ends touch.",
      shapeOnPlane({lengthOfShape("radius", "radius"), lengthOfShape("length", "length"),
                    axisParameter("its axis, in ground axes at the start"), edge}),
      makeCylinder,
      withRigid("type: cylinder_plane, node: A, radius: %s, length: 0.4, axis: [1, 0.4, 0.3], "
                "edge: 0.2, plane: {node: B, at: [0.2, 0, -0.3], normal: [0.2, 0.3, 1]}",
                {"1.6", "0.3"}));
}

}  // namespace flexloop::mechanics
