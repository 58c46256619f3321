// Type `tyre` of section `contacts` (docs/theory/40_tyres.md).
#include <cmath>

#include "base/text_format.hpp"
#include "mechanics/contacts/contact_maker.hpp"
#include "mechanics/sample_models.hpp"
#include "mechanics/springs/connection.hpp"
#include "mechanics/tyres/tyre_maker.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;
using system::Parameter;

namespace {

constexpr base::Dimension kSpeed{.length = 1, .time = -1};
constexpr double kUsualLeastSpeed = 0.1;  // m/s
// Slip that simple models are limited to while a wheel spins or is dragged sideways at standstill.
constexpr double kMostSlip = 1.5, kMostTangent = 14.0;

void fail(const Item& item, std::string_view key, const std::string& message,
          const std::string& hint, Builder& builder) {
  builder.error(item.has(key) ? item.placeOf(key) : item.place(),
                "contacts." + item.name() + ": " + message, hint);
}

constexpr std::array kSimpleKeys{"radius",
                                 "stiffness",
                                 "damping",
                                 "friction",
                                 "slip_stiffness",
                                 "cornering_stiffness",
                                 "rolling_resistance",
                                 "rolling_radius",
                                 "contact_length"};

// Nothing is reported and the list stays empty for a plane road.
bool readRoadSignals(const Item& item, TyreItem& tyre, Builder& builder) {
  const Item road = item.child("road");
  if (road.has("height") != road.has("slope")) {
    builder.error(road.place(),
                  "contacts." + item.name() + ": an uneven road needs both 'height' and 'slope'",
                  "the slope is the derivative of the height along the rolling direction");
    return false;
  }
  if (!road.has("height")) return true;
  for (const char* key : {"height", "slope"}) {
    if (std::holds_alternative<double>(road.at(key).data)) {
      builder.error(road.placeOf(key), "contacts." + item.name() + ": '" + key + "' is a number",
                    "name a signal; a constant height belongs into 'at'");
      return false;
    }
    tyre.roadSignals.push_back(builder.signal(road, key));
  }
  return true;
}

bool readRelaxing(const Item& item, TyreItem& tyre, Builder& builder) {
  const bool relaxes = item.boolean("relaxation", true);
  tyre.isSteady = item.text("initial_slip") == "steady";
  tyre.grip.mirror = 1.0;
  tyre.grip.lowSpeed = item.number("low_speed");
  tyre.grip.lag = relaxes ? 1.0 : 0.0;
  tyre.grip.delay = relaxes ? item.number("carcass_damping") : 0.0;
  tyre.grip.leastSpeed = relaxes ? 0.0 : item.number("least_speed", kUsualLeastSpeed);
  if (!relaxes && item.number("carcass_damping") > 0.0) {
    fail(item, "carcass_damping", "'carcass_damping' needs 'relaxation: true'",
         "without relaxation the tyre is not deflected", builder);
    return false;
  }
  if (relaxes && item.has("least_speed")) {
    fail(item, "least_speed", "'least_speed' belongs to 'relaxation: false'",
         "with relaxation slip is defined at standstill, too", builder);
    return false;
  }
  return true;
}

std::optional<TyreItem> readCommon(const Item& item, Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  TyreItem tyre;
  tyre.item = &item;
  const system::NodeIndex node = builder.node(item, "node");
  const auto road = findPlane(item, builder, "road");
  const auto axis = findDirection(item, "axis", builder);
  if (!road || !axis || builder.diagnostics().errors().size() > before) return std::nullopt;
  tyre.nodes = {road->node, node};
  if (!areApart(item, "node", tyre.nodes, builder)) return std::nullopt;
  if (!readRoadSignals(item, tyre, builder) || !readRelaxing(item, tyre, builder)) {
    return std::nullopt;
  }
  tyre.wheel.road = road->plane;
  tyre.wheel.centre = findCentre(item, node, builder);
  tyre.wheel.axis = inNodeAxes(*axis, node, builder);
  tyre.wheel.spins = item.boolean("free_rolling", false) ? 0.0 : 1.0;
  return tyre;
}

// The wheel is drawn on the road, not below it.
bool isShallowTyre(const TyreItem& tyre, Builder& builder) {
  const auto place = calcPlace<double, double>(
      tyre.wheel, math::relative(builder.frame(tyre.nodes[0]), builder.frame(tyre.nodes[1])));
  if (place.cosine < kLeastCosine) {
    fail(*tyre.item, "axis", "the axis of the wheel is perpendicular to the road",
         "give the axis about which the wheel rolls", builder);
    return false;
  }
  if (place.depth < 0.5 * tyre.wheel.radius) return true;
  builder.error(tyre.item->place(),
                "contacts." + tyre.item->name() + ": the wheel is " +
                    base::formatText("%.3g", place.depth) +
                    " m deep in the road at the start, more than half of its radius",
                "check the position of the wheel, the radius and the normal of the road, which "
                "points upwards; a tyre starts above the road or somewhat deflected");
  return false;
}

bool setLoadCurve(const Item& item, const std::vector<std::pair<double, double>>& curve,
                  ContactLaw<double>& law, Builder& builder) {
  std::vector<double> depth, force;
  for (const auto& [deflection, load] : curve) {
    depth.push_back(deflection);
    force.push_back(load);
  }
  const auto lines = makeLines(item, "file", depth, force, builder);
  if (!lines) return false;
  law = *lines;
  law.exponent = 1.0;
  return true;
}

void makePac2002(TyreItem& tyre, Builder& builder) {
  using namespace pac2002;
  const Item& item = *tyre.item;
  for (const char* key : kSimpleKeys) {
    if (!item.has(key)) continue;
    return fail(item, key, std::string("'") + key + "' does not belong to the model pac2002",
                "its numbers are in the tyre file; override them under 'coefficients', such as "
                "VERTICAL_STIFFNESS",
                builder);
  }
  const auto numbers = readPac2002(item, builder);
  if (!numbers) return;
  const auto& c = numbers->c;
  const bool isRight = item.has("side") ? item.text("side") == "right" : numbers->isRight;
  tyre.grip.mirror = isRight == numbers->isRight ? 1.0 : -1.0;
  tyre.grip.mostDriven = c[KPUMAX];
  tyre.grip.mostBraked = -c[KPUMIN];
  tyre.grip.mostTangent = std::tan(std::min(c[ALPMAX], -c[ALPMIN]));
  WheelOnRoad<double>& wheel = tyre.wheel;
  wheel.radius = c[UNLOADED_RADIUS];
  wheel.law.exponent = 1.0;
  wheel.law.stiffness = c[VERTICAL_STIFFNESS];
  wheel.damping = c[VERTICAL_DAMPING];
  wheel.rollRadius = wheel.radius;
  wheel.rollB = c[BREFF];
  wheel.rollD = c[DREFF];
  wheel.rollF = c[FREFF];
  wheel.rollDepth = c[FNOMIN] * c[LFZO] / c[VERTICAL_STIFFNESS];
  if (!numbers->loadCurve.empty() && !setLoadCurve(item, numbers->loadCurve, wheel.law, builder)) {
    return;
  }
  const bool hasLengths = item.has("relaxation_length");
  for (const int name : {PTX1, PTY1, PTY2}) {
    if (tyre.grip.lag == 0.0 || hasLengths || c[name] > 0.0) continue;
    return fail(item, "file",
                "the tyre has no relaxation length: " + std::string(kNames[name]) +
                    " is not greater than zero",
                "give 'relaxation_length', or 'relaxation: false'", builder);
  }
  if (!isShallowTyre(tyre, builder)) return;
  tyre.history = builder.addHistory(1);
  addPac2002Tyre(tyre, *numbers, builder);
}

void makeSimple(TyreItem& tyre, Builder& builder) {
  const Item& item = *tyre.item;
  const bool isBrush = item.text("model") == "brush";
  for (const char* key : {"file", "coefficients", "side"}) {
    if (!item.has(key)) continue;
    return fail(item, key, std::string("'") + key + "' belongs to the model pac2002",
                "leave it out, or write 'model: pac2002'", builder);
  }
  std::vector<const char*> needed{"radius", "stiffness", "friction", "slip_stiffness",
                                  "cornering_stiffness"};
  if (tyre.grip.lag > 0.0) needed.push_back("relaxation_length");
  for (const char* key : needed) {
    if (item.has(key)) continue;
    return fail(item, key, std::string("'") + key + "' is missing",
                "the model " + item.text("model") + " needs it", builder);
  }
  if (!isBrush && item.has("contact_length")) {
    return fail(item, "contact_length", "'contact_length' belongs to the model brush",
                "the model tanh has no aligning torque", builder);
  }
  WheelOnRoad<double>& wheel = tyre.wheel;
  wheel.radius = item.number("radius");
  wheel.law.exponent = 1.0;
  wheel.law.stiffness = item.number("stiffness");
  wheel.damping = item.number("damping", 0.0);
  wheel.rollRadius = wheel.rollDepth = wheel.radius;
  wheel.rollF = 1.0 / 3.0;
  if (item.has("rolling_radius")) {
    wheel.rollF = 0.0;
    wheel.rollRadius = item.number("rolling_radius");
  }
  tyre.grip.mostDriven = tyre.grip.mostBraked = kMostSlip;
  tyre.grip.mostTangent = kMostTangent;
  if (!isShallowTyre(tyre, builder)) return;
  const auto [along, across] = readRelaxation(item);
  const SimpleParameters<double> p{item.number("slip_stiffness"),
                                   item.number("cornering_stiffness"),
                                   item.number("friction"),
                                   along > 0.0 ? along : wheel.radius,
                                   across > 0.0 ? across : wheel.radius,
                                   item.number("rolling_resistance", 0.0),
                                   wheel.radius,
                                   item.number("contact_length", 0.0)};
  tyre.history = builder.addHistory(1);
  if (isBrush) return addBrushTyre(tyre, p, builder);
  addTanhTyre(tyre, p, builder);
}

void makeTyre(const Item& item, Builder& builder) {
  auto tyre = readCommon(item, builder);
  if (!tyre) return;
  if (item.text("model") == "pac2002") return makePac2002(*tyre, builder);
  makeSimple(*tyre, builder);
}

std::vector<Parameter> tyreParameters() {
  using namespace system;
  const Parameter axis =
      groundDirection(vector("axis", base::kDimensionless,
                             "axis about which the wheel rolls, to the left of its forward "
                             "direction, in ground axes at the start"));
  std::vector<Parameter> road = planeParameter("road").fields;
  road.push_back(
      withNote(signal("height", base::kLength,
                      "height of the road below the wheel above the plane, for an uneven road"),
               "the plane"));
  road.push_back(withNote(
      signal("slope", base::kDimensionless, "derivative of the height along the rolling direction"),
      "the plane"));
  return {
      required(node("node", "the node of the wheel")),
      withNote(groundPoint(
                   vector("at", base::kLength, "centre of the wheel, in ground axes at the start")),
               "the node"),
      required(nonZero(axis)),
      required(map("road", road, "the road")),
      withDefault(choice("model", {"pac2002", "brush", "tanh"}, "how forces follow from slip"),
                  "pac2002"),
      text("file", "tyre file (.tir) of the format PAC2002, relative to this file"),
      byName("coefficients",
             anyUnit(number("value", base::kDimensionless, "its value in SI units")),
             "coefficients of pac2002 by the names of tyre files, in addition to those of `file` "
             "or instead of them"),
      withNote(
          choice(
              "side", {"left", "right"},
              "side of the vehicle; on the other side than the measured one the tyre is mirrored"),
          "the side that the file states, or left"),
      withDefault(boolean("free_rolling",
                          "the node carries the wheel and does not turn with it; the wheel rolls "
                          "without longitudinal slip"),
                  "false"),
      withDefault(boolean("relaxation",
                          "slip builds up over a length that the wheel rolls, so that it is "
                          "defined at standstill, too"),
                  "true"),
      withDefault(
          choice("initial_slip", {"steady", "none"},
                 "whether slip is that of a steady motion at the start, or still has to build up"),
          "steady"),
      withNote(positive(numbers("relaxation_length", base::kLength,
                                "length over which slip builds up, at the nominal load; one for "
                                "both directions, or [along, across]")),
               "from PTX and PTY of pac2002"),
      withDefault(notNegative(number("carcass_damping", base::kTime,
                                     "damping of the deflection over its stiffness")),
                  "0"),
      withDefault(positive(number("low_speed", kSpeed,
                                  "speed below which the aligning torque, rolling resistance and "
                                  "the shifts of pac2002 fade out")),
                  "1 m/s"),
      withNote(positive(number(
                   "least_speed", kSpeed,
                   "without relaxation: speed below which slip velocities are divided by it")),
               "0.1 m/s"),
      positive(number("radius", base::kLength, "brush, tanh: radius without load")),
      positive(number("stiffness", base::kStiffness, "brush, tanh: vertical stiffness")),
      withNote(notNegative(number("damping", base::kDamping, "brush, tanh: vertical damping")),
               "0"),
      positive(number("friction", base::kDimensionless, "brush, tanh: coefficient of friction")),
      positive(
          number("slip_stiffness", base::kForce, "brush, tanh: longitudinal force per slip ratio")),
      positive(
          number("cornering_stiffness", base::kForce, "brush, tanh: lateral force per radian")),
      withNote(positive(number("rolling_radius", base::kLength,
                               "brush, tanh: effective rolling radius")),
               "the radius less a third of the deflection"),
      withNote(notNegative(number("rolling_resistance", base::kDimensionless,
                                  "brush, tanh: resistance over load")),
               "0"),
      withNote(notNegative(number("contact_length", base::kLength,
                                  "brush: length of the contact, for the aligning torque")),
               "0")};
}

constexpr const char* kNumbers =
    "FNOMIN: 40, LFZO: 0.9, UNLOADED_RADIUS: 1.2, VERTICAL_STIFFNESS: 50, VERTICAL_DAMPING: 0.4, "
    "BREFF: 4, DREFF: 0.2, FREFF: 0.1, LONGVL: 3, PCX1: 1.6, PDX1: 1.1, PDX2: -0.16, PEX1: 0.4, "
    "PEX2: 0.2, PEX4: 0.1, PKX1: 9, PKX2: 0.4, PKX3: 0.2, PHX1: 0.01, PVX1: 0.01, PCY1: 1.3, "
    "PDY1: 1, PDY2: -0.1, PDY3: -0.3, PEY1: -0.1, PEY3: 0.3, PKY1: -8, PKY2: 2, PKY3: 0.1, "
    "PHY1: 0.01, PHY3: 0.03, PVY1: 0.03, PVY3: -0.3, QBZ1: 3, QBZ2: -0.5, QBZ5: 0.1, QBZ9: 4, "
    "QCZ1: 1.2, QDZ1: 0.09, QDZ3: -0.05, QDZ6: -0.006, QDZ8: -0.1, QEZ1: -0.5, QEZ4: 0.2, "
    "QHZ1: 0.004, RBX1: 3, RBX2: -2, RCX1: 1.2, REX1: 0.6, RHX1: 0.01, RBY1: 2, RBY2: 1.5, "
    "RBY3: -0.02, RCY1: 1.07, REY1: -0.2, RVY1: -0.02, RVY3: -0.2, RVY4: 2, RVY5: 1.9, RVY6: -2, "
    "SSZ1: 0.01, SSZ2: 0.02, SSZ3: 0.3, QSX1: 0.01, QSX2: 0.3, QSX3: 0.02, QSY1: 0.01, QSY2: 0.1, "
    "QSY3: 0.01, QSY4: 0.001, PTX1: 2, PTX2: 1, PTX3: 0.5, PTY1: 2, PTY2: 2";

std::string tyreSample(const std::string& tyres) {
  return twoBodies() + R"(  wheel: {node: A, mass: 0.1}
contacts:
)" + tyres;
}

std::vector<std::string> tyreSamples() {
  const std::string place =
      "type: tyre, node: A, axis: [0.2, 1, 0.1], at: [0.3, -0.1, 0.5], road: {node: B, at: [0.2, "
      "0, -0.3], normal: [0.2, 0.3, 1]}, low_speed: 0.5 m/s, ";
  const std::string simple =
      "radius: 1.2, stiffness: 50, damping: 0.3, friction: 0.8, slip_stiffness: 30, "
      "cornering_stiffness: 40, rolling_resistance: 0.02, ";
  const std::string uneven =
      "type: tyre, node: A, axis: [0.2, 1, 0.1], road: {node: B, at: [0.2, 0, -0.3], normal: [0.2, "
      "0.3, 1], height: bump, slope: rise}, ";
  const std::string numbers = std::string("coefficients: {") + kNumbers + "}";
  return {
      tyreSample("  formula: {" + place + "side: right, carcass_damping: 0.1, " + numbers + "}\n" +
                 "  brush: {" + place + "model: brush, " + simple +
                 "relaxation_length: [0.4, 0.5], contact_length: 0.3, rolling_radius: 1.1}\n" +
                 "  tanh: {" + place + "model: tanh, " + simple +
                 "relaxation: false, free_rolling: true}\n"),
      tyreSample(
          "  formula: {" + uneven + numbers + "}\n" + "  brush: {" + uneven + "model: brush, " +
          simple + "relaxation_length: 0.4, contact_length: 0.3}\n" + "  tanh: {" + uneven +
          "model: tanh, " + simple + "relaxation: false}\n" +
          "blocks:\n  bump: {type: constant, value: 0.2}\n  rise: {type: constant, value: 0.3}\n")};
}

}  // namespace

std::array<double, 2> readRelaxation(const Item& item) {
  if (!item.has("relaxation_length")) return {0.0, 0.0};
  const std::vector<double> lengths = item.numbers("relaxation_length");
  return {lengths.front(), lengths.back()};
}

void registerTyres(system::Registry& registry) {
  registry.add(
      {.section = "contacts",
       .type = "tyre",
       .doc = "A tyre on a road: load, forces along and across, and moments, from how the wheel "
              "slips.",
       .parameters = tyreParameters(),
       .make = makeTyre,
       .samples = tyreSamples(),
       .facts = {},
       .changesEnergy = true});
}

}  // namespace flexloop::mechanics
