#include "mechanics/contacts/contact_maker.hpp"

#include <cmath>

#include "base/text_format.hpp"
#include "mechanics/springs/connection.hpp"
#include "system/parameter_makers.hpp"
#include "system/stated_unit.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;
using system::NodeIndex;
using system::Parameter;

namespace {

constexpr base::Dimension kInverseSpeed{.length = -1, .time = 1};
constexpr base::Dimension kSpeed{.length = 1, .time = -1};
constexpr double kUsualPoisson = 0.3, kLargestPoisson = 0.5;

std::string subjectOf(const Item& item) {
  return "contacts." + item.name() + ": ";
}

//     (34.21)  1/E* = (1 − ν_A²)/E_A + (1 − ν_B²)/E_B,   k = 4/3 E* √R
double hertzStiffness(const Item& hertz, double radius) {
  const double E = hertz.number("E"), nu = hertz.number("nu", kUsualPoisson);
  const double otherE = hertz.number("other_E", E), otherNu = hertz.number("other_nu", nu);
  const double compliance = (1.0 - nu * nu) / E + (1.0 - otherNu * otherNu) / otherE;
  return 4.0 / 3.0 / compliance * std::sqrt(radius);
}

std::optional<ContactLaw<double>> readTable(const Item& item, const ContactLaw<double>& p,
                                            Builder& builder) {
  const Item table = item.child("table");
  auto lines = makeLines(item, "table", table.numbers("depth"), table.numbers("force"), builder);
  if (!lines) return std::nullopt;
  lines->exponent = p.exponent;
  lines->damping = p.damping;
  return lines;
}

// N/mⁿ; of an n that is no whole number, no unit can be written.
bool isStiffnessInItsUnit(const Item& item, double exponent, Builder& builder) {
  if (!item.has("stiffness") || !item.has(system::unitKeyOf("stiffness"))) return true;
  const int whole = static_cast<int>(std::lround(exponent));
  const bool isWhole = whole == exponent;
  const auto wrong = isWhole
                         ? system::describeWrongUnit(
                               item, "stiffness", base::kForce * base::power(base::kLength, -whole))
                         : std::optional<std::string>(
                               "a stiffness for an exponent that is no whole number has no unit");
  if (!wrong) return true;
  builder.error(item.placeOf("stiffness"), subjectOf(item) + *wrong,
                isWhole ? "the exponent of the contact is " + std::to_string(whole)
                        : "the exponent of the contact is " + base::numberText(exponent) +
                              ": give the force in N at a depth of 1 m, as a number without unit, "
                              "or 'exponent: 1'");
  return false;
}

std::optional<ContactLaw<double>> readNormal(const Item& item, Builder& builder, double radius) {
  const int stated = static_cast<int>(item.has("stiffness")) + static_cast<int>(item.has("hertz")) +
                     static_cast<int>(item.has("table"));
  if (stated != 1) {
    builder.error(item.place(),
                  subjectOf(item) + (stated == 0 ? "the stiffness of the contact is missing"
                                                 : "the stiffness is given more than once"),
                  radius > 0.0 ? "give one of 'stiffness', 'hertz' and 'table'"
                               : "give either 'stiffness' or 'table'");
    return std::nullopt;
  }
  ContactLaw<double> p{};
  p.exponent = item.number("exponent", 1.5);
  p.damping = item.number("damping", 0.0);
  if (item.has("table")) return readTable(item, p, builder);
  if (p.exponent < 1.0) {
    builder.error(item.placeOf("exponent"), subjectOf(item) + "the exponent is less than 1",
                  "a contact has the exponent 1 (a spring) or more; between spheres it is 1.5");
    return std::nullopt;
  }
  if (item.has("stiffness")) {
    if (!isStiffnessInItsUnit(item, p.exponent, builder)) return std::nullopt;
    p.stiffness = item.number("stiffness");
    return p;
  }
  if (item.has("exponent") && p.exponent != 1.5) {
    builder.error(item.placeOf("exponent"),
                  subjectOf(item) + "'hertz' has the exponent 1.5 and no other",
                  "leave out 'exponent', or give 'stiffness' in place of 'hertz'");
    return std::nullopt;
  }
  const Item hertz = item.child("hertz");
  for (const char* key : {"nu", "other_nu"}) {
    if (hertz.number(key, kUsualPoisson) <= kLargestPoisson) continue;
    builder.error(hertz.placeOf(key), subjectOf(item) + "Poisson's ratio is more than 0.5",
                  "materials have less; steel has 0.3, and rubber nearly 0.5");
    return std::nullopt;
  }
  p.stiffness = hertzStiffness(hertz, radius);
  return p;
}

std::optional<FrictionLaw<double>> readFriction(const Item& item, double damping,
                                                Builder& builder) {
  FrictionLaw<double> f{};
  f.sliding = item.number("friction", 0.0);
  f.sticking = item.number("static", f.sliding);
  if (f.sticking < f.sliding) {
    builder.error(item.placeOf("static"), subjectOf(item) + "'static' is less than 'friction'",
                  "what rests holds at least as much as what slides");
  }
  f.viscous = item.number("viscous", 0.0);
  if (f.sticking == 0.0 && f.viscous == 0.0) return std::nullopt;
  if (item.has("stribeck")) f.inverseStribeck = 1.0 / item.number("stribeck");
  const double nu =
      item.has("hertz") ? item.child("hertz").number("nu", kUsualPoisson) : kUsualPoisson;
  f.ratio = 2.0 * (1.0 - nu) / (2.0 - nu);
  f.stiffness = item.number("tangential_stiffness", 0.0);
  if (item.has("tangential_damping")) {
    f.damping = item.number("tangential_damping");
  } else {
    f.dampingShare = f.ratio * damping;
  }
  return f;
}

// Friction that grows smoothly with the speed has neither a level at rest nor a bristle.
double readSmoothSpeed(const Item& item, Builder& builder) {
  if (!item.has("regularization")) return 0.0;
  for (const char* key :
       {"static", "stribeck", "viscous", "tangential_stiffness", "tangential_damping"}) {
    if (item.number(key, 0.0) == 0.0) continue;
    builder.error(item.placeOf(key),
                  subjectOf(item) + "'" + key + "' has no meaning beside 'regularization'",
                  "remove it, or remove 'regularization', so that friction sticks");
  }
  if (item.number("friction", 0.0) > 0.0) return item.number("regularization");
  builder.error(item.placeOf("regularization"),
                subjectOf(item) + "'regularization' needs a 'friction' above zero",
                "give the coefficient of friction");
  return 0.0;
}

// Without penalty there is nothing that could be soft or damped. Friction sticks and slides without a bristle.
std::optional<ContactLaws> readRigid(const Item& item, Builder& builder) {
  const auto fail = [&](const char* key, const std::string& message) {
    builder.error(item.placeOf(key), subjectOf(item) + message,
                  "remove it, or give a 'stiffness' in place of 'restitution'");
    return std::nullopt;
  };
  for (const char* key : {"stiffness", "hertz", "table"}) {
    if (item.has(key)) {
      return fail(key, "'restitution' and '" + std::string(key) + "' exclude each other");
    }
  }
  for (const char* key : {"damping", "regularization", "viscous", "stribeck",
                          "tangential_stiffness", "tangential_damping"}) {
    if (item.number(key, 0.0) == 0.0) continue;
    return fail(key, "'" + std::string(key) + "' has no meaning beside 'restitution'");
  }
  ContactLaws laws{};
  laws.restitution = item.number("restitution");
  const double sliding = item.number("friction", 0.0);
  const double sticking = item.number("static", sliding);
  if (sticking < sliding) {
    builder.error(item.placeOf("static"), subjectOf(item) + "'static' is less than 'friction'",
                  "what rests holds at least as much as what slides");
    return std::nullopt;
  }
  if (sticking > 0.0) laws.grip = RigidGrip{sliding, sticking};
  return laws;
}

}  // namespace

Parameter regularizationParameter() {
  using namespace system;
  return withNote(positive(number("regularization", kSpeed,
                                  "speed ε of the smooth friction μ N v/√(v² + ε²), which creeps")),
                  "friction sticks");
}

Parameter restitutionParameter() {
  Parameter parameter = system::changingEnergy(system::notNegative(system::number(
      "restitution", base::kDimensionless,
      "makes the contact rigid, instead of `stiffness`: speed along the normal after an impact by "
      "the speed before it; besides, only `friction` and `static` have a meaning")));
  parameter.upper = 1.0;
  return parameter;
}

std::optional<ContactLaw<double>> makeLines(const Item& item, std::string_view key,
                                            const std::vector<double>& depth,
                                            const std::vector<double>& force, Builder& builder) {
  ContactLaw<double> p{};
  const auto fail = [&](const std::string& message, const std::string& hint) {
    builder.error(item.placeOf(key), subjectOf(item) + message, hint);
    return std::nullopt;
  };
  if (depth.size() != force.size() || depth.size() < 2) {
    return fail("the table has " + std::to_string(depth.size()) + " depths and " +
                    std::to_string(force.size()) + " forces",
                "give as many forces as depths, and at least two");
  }
  if (depth.size() > kMostTableLines + 1) {
    return fail("the table has more than " + std::to_string(kMostTableLines + 1) + " points",
                "leave out points that lie near the line between their neighbours");
  }
  if (depth[0] != 0.0 || force[0] != 0.0) {
    return fail("the table does not begin with the force 0 at the depth 0",
                "add 0 as the first depth and the first force");
  }
  p.lines = static_cast<double>(depth.size() - 1);
  for (std::size_t i = 0; i < kMostTableLines; ++i) {
    const bool isUsed = i + 1 < depth.size();
    const bool isLast = i + 2 == depth.size();
    p.begin[i] = isUsed ? depth[i] : 0.0;
    p.end[i] = isUsed ? (isLast ? HUGE_VAL : depth[i + 1]) : 0.0;
    p.slope[i] = isUsed ? (force[i + 1] - force[i]) / (depth[i + 1] - depth[i]) : 0.0;
    if (isUsed && !(depth[i + 1] > depth[i] && p.slope[i] >= 0.0)) {
      return fail("depths and forces of the table must increase",
                  "a contact does not become softer than free where it is pressed harder");
    }
  }
  if (!(force[1] > 0.0)) {
    return fail("the first line of the table has no force",
                "let the first depth after 0 be one at which the contact carries a force");
  }
  return p;
}

std::vector<Parameter> forceParameters(bool hasHertz) {
  using namespace system;
  const auto depths = notNegative(numbers("depth", base::kLength, "depths, from 0 on"));
  const auto forces = notNegative(numbers("force", base::kForce, "force at each of them"));
  std::vector<Parameter> parameters{
      positive(numberOf(
          "stiffness",
          {base::kStiffness, base::kPressure, base::kForce * base::power(base::kLength, -3)},
          "k of the force k δⁿ at the depth δ [N/mⁿ]")),
      map("table", {required(depths), required(forces)},
          "force against depth, instead of `stiffness`; straight lines between the points"),
      withDefault(number("exponent", base::kDimensionless, "n, at least 1"), "1.5"),
      changingEnergy(withDefault(
          notNegative(number("damping", kInverseSpeed, "d: the force is k δⁿ (1 + d δ')")), "0")),
      changingEnergy(withDefault(
          notNegative(number("friction", base::kDimensionless, "coefficient μ of dry friction")),
          "0")),
      withNote(changingEnergy(notNegative(number("static", base::kDimensionless,
                                                 "coefficient until it slides, at least μ"))),
               "the same as `friction`"),
      positive(number("stribeck", kSpeed,
                      "speed v_s over which friction falls from `static` to `friction`, as "
                      "e^(−(v/v_s)²)")),
      changingEnergy(withDefault(
          notNegative(number("viscous", kInverseSpeed, "growth of μ with the sliding speed")),
          "0")),
      withNote(positive(number("tangential_stiffness", base::kStiffness,
                               "stiffness of the contact across the normal")),
               "0.82 of the normal stiffness at the greatest depth since the contact began "
               "(2(1−ν)/(2−ν) of it for ν = 0.3, or that of `hertz`)"),
      withNote(notNegative(number("tangential_damping", base::kDamping,
                                  "damping of the contact across the normal")),
               "in the same ratio to that along the normal")};
  if (!hasHertz) return parameters;
  const auto modulus = [](const char* name, const char* doc) {
    return positive(number(name, base::kPressure, doc));
  };
  parameters.push_back(
      map("hertz",
          {required(modulus("E", "Young's modulus")),
           withDefault(notNegative(number("nu", base::kDimensionless, "Poisson's ratio")), "0.3"),
           withNote(modulus("other_E", "Young's modulus of the other shape"), "the same"),
           withNote(notNegative(number("other_nu", base::kDimensionless,
                                       "Poisson's ratio of the other shape")),
                    "the same")},
          "k by Hertz from the materials and radii, instead of `stiffness`"));
  return parameters;
}

std::optional<ContactLaws> readLaws(const Item& item, Builder& builder, double radius) {
  if (item.has("restitution")) return readRigid(item, builder);
  const std::size_t before = builder.diagnostics().errors().size();
  const auto normal = readNormal(item, builder, radius);
  const auto friction = readFriction(item, item.number("damping", 0.0), builder);
  const double smoothSpeed = readSmoothSpeed(item, builder);
  if (!normal || builder.diagnostics().errors().size() > before) return std::nullopt;
  return ContactLaws{*normal, friction, smoothSpeed, {}, {}};
}

bool areApart(const Item& item, std::string_view key, const std::array<NodeIndex, 2>& nodes,
              Builder& builder) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    builder.error(item.placeOf(key), subjectOf(item) + message, hint);
    return false;
  };
  if (nodes[0] == nodes[1]) {
    return fail("both shapes belong to the node '" + builder.nodeName(nodes[0]) + "'",
                "shapes of one node do not move relative to each other; give another node");
  }
  if (builder.isHeld(nodes[0]) && builder.isHeld(nodes[1])) {
    return fail("neither '" + builder.nodeName(nodes[0]) + "' nor '" + builder.nodeName(nodes[1]) +
                    "' can move",
                "at least one of the two nodes must be free");
  }
  return true;
}

std::vector<Parameter> planeFields() {
  using namespace system;
  return {
      withDefault(node("node", "the node that carries the plane"), "ground"),
      withDefault(
          groundPoint(vector("at", base::kLength, "a point of it, in ground axes at the start")),
          "[0, 0, 0]"),
      required(nonZero(
          groundDirection(vector("normal", base::kDimensionless,
                                 "its normal to the free side, in ground axes at the start"))))};
}

Parameter planeParameter(const char* key) {
  return system::required(system::map(key, planeFields(), "the plane"));
}

std::optional<PlaneOnNode> findPlane(const Item& item, Builder& builder, std::string_view key) {
  return readPlane(item.child(key), builder);
}

std::optional<PlaneOnNode> readPlane(const Item& plane, Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  const NodeIndex node = builder.node(plane, "node");
  const auto normal = findDirection(plane, "normal", builder);
  if (!normal || builder.diagnostics().errors().size() > before) return std::nullopt;
  const math::Frame<double>& frame = builder.frame(node);
  return PlaneOnNode{node,
                     {Vec3<double>(frame.R.transpose() * (plane.vector("at") - frame.x)),
                      Vec3<double>(frame.R.transpose() * *normal)}};
}

Vec3<double> findCentre(const Item& item, NodeIndex node, const Builder& builder) {
  if (!item.has("at")) return Vec3<double>::Zero();
  return inNodeAxes(item.vector("at") - builder.frame(node).x, node, builder);
}

Vec3<double> inNodeAxes(const Vec3<double>& direction, NodeIndex node, const Builder& builder) {
  return builder.frame(node).R.transpose() * direction;
}

bool isShallow(const Item& item, double depth, double size, Builder& builder) {
  if (!(depth >= size)) return true;
  builder.error(item.place(),
                subjectOf(item) + "the shapes overlap by " + base::formatText("%.3g", depth) +
                    " m at the start, by more than the size of one of them",
                "check the position and the normal, which points to the free side; a contact "
                "starts apart or slightly overlapping");
  return false;
}

}  // namespace flexloop::mechanics
