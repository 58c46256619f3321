// Springs of type `cable`.
#include <cmath>
#include <numbers>

#include "mechanics/sample_models.hpp"
#include "mechanics/springs/connection.hpp"
#include "mechanics/springs/pulley_cable.hpp"
#include "system/builder.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;
using system::NodeIndex;

namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;
constexpr double kAlmostRound =
    0.95;  // of a turn: a cable that seems to lie on so much of a pulley passes beside it

struct Laid {
  std::array<NodeIndex, 3> nodes;
  PulleyCable<false>::Parameters<double> p;
  std::array<CableEnd<double>, 2> ends;
  std::array<double, 2> angles;  // φ_A, φ_B, of which the difference is what lies on the pulley
  double wrap = 0.0;
};

template <class E>
typename E::template View<double> viewOf(const Laid& laid, const Builder& builder) {
  typename E::template View<double> u;
  for (int k = 0; k < 3; ++k) {
    u.frame[k] = builder.frame(laid.nodes[k]);
    u.twist[k].setZero();
    u.twistRate[k].setZero();
  }
  u.history = laid.angles;
  return u;
}

bool isAllAlike(const std::array<NodeIndex, 3>& nodes) {
  return nodes[0] == nodes[1] && nodes[1] == nodes[2];
}

std::optional<Laid> layCable(const Item& item, Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  const auto fail = [&](const std::string& key, const std::string& message,
                        const std::string& hint) {
    builder.error(item.placeOf(key), "springs." + item.name() + ": " + message, hint);
    return std::nullopt;
  };
  const auto ends = builder.nodePair(item, "between");
  const Item pulley = item.child("pulley");
  Laid laid{{ends[0], builder.node(pulley, "node"), ends[1]}, {}, {}, {}, 0.0};
  const auto axis = findDirection(pulley, "axis", builder);
  if (!axis || builder.diagnostics().errors().size() > before) return std::nullopt;
  if (isAllAlike(laid.nodes)) {
    return fail("between", "both ends and the pulley belong to the same node",
                "a cable acts between parts that move relative to each other");
  }
  const auto own = [&](NodeIndex node, const Vec3<double>& point) -> Vec3<double> {
    return builder.frame(node).R.transpose() * (point - builder.frame(node).x);
  };
  const auto placeOf = [&](const Item& from, const char* key, NodeIndex node) {
    return from.has(key) ? own(node, from.vector(key)) : Vec3<double>(Vec3<double>::Zero());
  };
  auto& p = laid.p;
  p.p_A = placeOf(item, "at", laid.nodes[0]);
  p.p_B = placeOf(item, "to", laid.nodes[2]);
  p.centre = placeOf(pulley, "at", laid.nodes[1]);
  p.axes = builder.frame(laid.nodes[1]).R.transpose() * makeAxesAlong(*axis);
  p.radius = pulley.number("radius");
  p.sense = pulley.text("sense") == "positive" ? 1.0 : -1.0;
  laid.ends =
      PulleyCable<false>::calcEnds<double, double>(p, viewOf<PulleyCable<false>>(laid, builder));
  for (int k = 0; k < 2; ++k) {
    laid.angles[k] = laid.ends[k].angle;
    if (std::hypot(laid.ends[k].place[0], laid.ends[k].place[1]) > p.radius) continue;
    return fail(k == 0 ? "at" : "to", "an end of the cable is inside of the pulley",
                "give a place outside of it, or a smaller radius");
  }
  // What lies on the pulley: between nothing and a turn, and whole turns.
  const auto arc = [&](const CableEnd<double>& end) {
    return std::acos(p.radius / std::hypot(end.place[0], end.place[1]));
  };
  laid.wrap = p.sense * (laid.angles[1] - laid.angles[0]) - arc(laid.ends[0]) - arc(laid.ends[1]);
  const double turns = pulley.number("turns", 0.0) - std::floor(laid.wrap / kTwoPi);
  laid.wrap += turns * kTwoPi;
  laid.angles[1] += p.sense * turns * kTwoPi;
  if (laid.wrap > kAlmostRound * kTwoPi && pulley.number("turns") == 0.0) {
    return fail("pulley", "the cable passes beside the pulley",
                "it runs round the axis in the 'sense' from the first end to the second: give the "
                "other one, or move the pulley");
  }
  laid.ends =
      PulleyCable<false>::calcEnds<double, double>(p, viewOf<PulleyCable<false>>(laid, builder));
  return laid;
}

template <bool kHolds>
void addCable(const Item& item, const Laid& laid, Builder& builder) {
  using E = PulleyCable<kHolds>;
  typename E::template Parameters<double> p{
      laid.p.p_A, laid.p.p_B, laid.p.centre, laid.p.axes, laid.p.radius, laid.p.sense, {}, {},
      {},         0.0};
  const double EA = item.number("EA"), damping = item.number("damping", 0.0);
  const double onPulley = p.radius * laid.wrap;
  const double whole = laid.ends[0].length + laid.ends[1].length;
  const auto spanOf = [&](int k) {
    const Vec3<double>& x = laid.ends[k].place;
    return std::sqrt(x.squaredNorm() - p.radius * p.radius);
  };
  p.preload = item.number("preload", 0.0);
  if constexpr (kHolds) {
    for (int k = 0; k < 2; ++k) {
      p.stiffness[k] = EA / (spanOf(k) + 0.5 * onPulley);
      p.damping[k] = damping;
      p.length[k] = laid.ends[k].length;
    }
  } else {
    const double length = item.number("length", whole);
    p.stiffness = {EA / length, 0.0};
    p.damping = {damping, 0.0};
    p.length = {length, 0.0};
  }
  auto& set = builder.elements<E>();
  const int history = builder.addHistory(2);
  for (int k = 0; k < 2; ++k) builder.setHistory(history + k, laid.angles[k]);
  builder.attach("springs", item.name(), {&set, set.add(item.name(), laid.nodes, {}, p, history)});
}

void makeCable(const Item& item, Builder& builder) {
  const auto laid = layCable(item, builder);
  if (!laid) return;
  if (!item.child("pulley").boolean("holds", false)) return addCable<false>(item, *laid, builder);
  if (item.has("length")) {
    return builder.error(item.placeOf("length"),
                         "springs." + item.name() +
                             ": 'length' has no meaning where the pulley "
                             "holds the cable",
                         "give the 'preload', which both sides have at the start");
  }
  addCable<true>(item, *laid, builder);
}

}  // namespace

void registerCables(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "springs",
       .type = "cable",
       .doc = "An elastic cable or rope from a point over a pulley to another point. It pulls and "
              "does not push.",
       .parameters =
           {required(nodePair("between", "the nodes of its ends [first, second]")),
            withNote(groundPoint(vector("at", base::kLength,
                                        "its end on the first node, in ground axes at the start")),
                     "the node itself"),
            withNote(groundPoint(vector("to", base::kLength,
                                        "its end on the second node, in ground axes at the start")),
                     "the node itself"),
            required(map(
                "pulley",
                {required(node("node", "the node that carries the pulley; it turns with it")),
                 withNote(groundPoint(vector("at", base::kLength,
                                             "its centre, in ground axes at the start")),
                          "the node"),
                 required(nonZero(groundDirection(vector(
                     "axis", base::kDimensionless, "its axis, in ground axes at the start")))),
                 required(positive(
                     number("radius", base::kLength, "its radius, up to the middle of the cable"))),
                 withDefault(choice("sense", {"positive", "negative"},
                                    "how the cable runs round the axis from its first end to the "
                                    "second, right-handed or left-handed"),
                             "positive"),
                 boolean("holds",
                         "the cable does not slip and turns the pulley with its node; otherwise it "
                         "slides without friction, and both sides have the same tension"),
                 withDefault(notNegative(number("turns", base::kDimensionless,
                                                "whole turns of cable on the pulley besides what "
                                                "follows from the places of its ends")),
                             "0")},
                "the pulley")),
            required(positive(number("EA", base::kForce,
                                     "tension by strain: modulus times section of the cable"))),
            changingEnergy(withDefault(notNegative(number("damping", base::kDamping,
                                                          "viscous damping along the cable, of "
                                                          "each side where the pulley holds it")),
                                       "0")),
            withNote(positive(number("length", base::kLength,
                                     "length of the whole cable where its tension is `preload`")),
                     "that at the start"),
            withDefault(number("preload", base::kForce, "tension at that length"), "0")},
       .make = makeCable,
       .samples = {twoBodies() + R"(
springs:
  c1: {type: cable, between: [A, B], at: [0.9, -0.4, 0.2], pulley: {node: ground, at: [0.5, 0.3, 0.9], axis: [0.2, -0.3, 1], radius: 0.05, sense: negative},
       EA: 300, damping: 0.5, preload: 20}
sensors: {stored: {measure: energy, spring: c1, component: potential}}
)" + readByBlock("stored, stored.rate"),
                   twoBodies() + R"(
springs:
  c1: {type: cable, between: [ground, B], at: [1.5, -1, 0.4], pulley: {node: A, at: [0.2, 0.1, 0.6], axis: [0.2, -0.3, 1], radius: 0.05, sense: negative, holds: true},
       EA: 300, damping: 0.5, preload: 20}
)"},
       .facts = {.isAlongLine = true}});
}

}  // namespace flexloop::mechanics
