// Joint `slide_on_beam`: a node that slides along a beam.
#include <algorithm>
#include <sstream>
#include <variant>

#include "mechanics/friction/friction.hpp"
#include "mechanics/guides/guide_curve.hpp"
#include "mechanics/guides/guide_ends.hpp"
#include "mechanics/guides/guide_place.hpp"
#include "mechanics/guides/scalar_coordinate.hpp"
#include "mechanics/joints/joint_makers.hpp"
#include "mechanics/latches/latch_maker.hpp"
#include "system/elements.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::mechanics {
namespace {

using math::Frame;
using math::Vec3;
using system::Builder;
using system::Item;
using system::number;
using system::UnknownIndex;

// Of the length of the beam: what is left of numbers written with some digits. The start closes it.
constexpr double kOnBeam = 1e-5;

// The beam with its nodes as they are drawn.
struct DrawnBeam {
  BeamLayout layout;
  GuideCurve curve;
};

std::optional<DrawnBeam> findBeam(const Item& item, const Builder& builder) {
  const std::vector<BeamLayout> beams = findBeams(builder.system());
  const auto beam = std::find_if(beams.begin(), beams.end(), [&](const BeamLayout& layout) {
    return layout.name == item.text("beam");
  });
  if (beam == beams.end()) return std::nullopt;
  std::vector<Frame<double>> frames;
  for (const system::NodeIndex node : beam->nodes) frames.push_back(builder.frame(node));
  return DrawnBeam{*beam, GuideCurve(*beam, std::move(frames))};
}

bool isOn(const Item& item, const DrawnBeam& beam, system::NodeIndex node, const GuidePoint& at,
          Builder& builder) {
  const auto fail = [&](const std::string& message, const std::string& hint) {
    builder.error(item.placeOf("node"), "joints." + item.name() + ": " + message, hint);
    return false;
  };
  const std::string& name = builder.nodeName(node);
  if (std::find(beam.layout.nodes.begin(), beam.layout.nodes.end(), node) !=
      beam.layout.nodes.end()) {
    return fail("'" + name + "' is a node of the beam itself",
                "give a node of its own that is placed on the beam");
  }
  if (at.distance <= kOnBeam * beam.layout.length) return true;
  const Vec3<double> place = beam.curve.calcPlace(at.piece, at.xi);
  std::ostringstream hint;
  hint << "the nearest point of the beam is [" << place[0] << ", " << place[1] << ", " << place[2]
       << "], at " << at.position / beam.layout.length << " of its length; place the node there";
  std::ostringstream message;
  message << "the node '" << name << "' is " << at.distance << " m away from beam '"
          << beam.layout.name << "'";
  return fail(message.str(), hint.str());
}

// The section's y and z at the start, in the axes of the node.
std::array<Vec3<double>, 2> findSectionAxes(const DrawnBeam& beam, const GuidePoint& at,
                                            const Frame<double>& C) {
  const Vec3<double> x = beam.curve.calcTangent(at.piece, at.xi);
  const Vec3<double> z = beam.curve.calcSectionZ(at.piece, at.xi);
  const Vec3<double> across = (z - z.dot(x) * x).normalized();
  return {C.R.transpose() * math::cross<double>(across, x), C.R.transpose() * across};
}

template <bool kClamp>
UnknownIndex addPieces(const Item& item, const DrawnBeam& beam, system::NodeIndex node,
                       const GuidePoint& at, Builder& builder) {
  using Guide = BeamGuide<kClamp>;
  std::array<UnknownIndex, Guide::kScalars> scalars;
  const auto addThree = [&](int first, const char* force, const char* equation) {
    constexpr std::array<const char*, 3> kAxes{" x", " y", " z"};
    for (int i = 0; i < 3; ++i) {
      scalars[first + i] = addMultiplier(builder, item.name(), std::string(force) + kAxes[i],
                                         std::string(equation) + kAxes[i]);
    }
  };
  addThree(0, "force", "position");
  if (kClamp) addThree(3, "torque", "rotation");
  const UnknownIndex q = builder.addScalar(system::Kind::kMotion, item.name() + " position",
                                           item.name() + ": force along the beam");
  scalars[Guide::kPosition] = q;
  const auto axes = findSectionAxes(beam, at, builder.frame(node));
  auto& set = builder.elements<Guide>();
  const int first = set.size(), count = static_cast<int>(beam.curve.pieces().size());
  for (int i = 0; i < count; ++i) {
    GuidePiece<double> piece = beam.curve.pieces()[i];
    // q counts from where the node is at the start.
    for (double* place : {&piece.begin, &piece.lower, &piece.upper}) *place -= at.position;
    const std::array nodes{node, beam.layout.nodes[i], beam.layout.nodes[i + 1],
                           beam.layout.nodes.front()};
    set.add(item.name(), nodes, scalars, {piece, axes[0], axes[1]});
  }
  builder.attach("joints", item.name(), {&set, first, count});
  return q;
}

// `inertia` and `rotor`: I_0 + N² J.
double readInertia(const Item& item) {
  double inertia = item.number("inertia");
  if (item.has("rotor")) {
    const Item rotor = item.child("rotor");
    inertia += rotor.number("ratio") * rotor.number("ratio") * rotor.number("inertia");
  }
  return inertia;
}

void addLock(const Item& item, UnknownIndex q, double target, Builder& builder) {
  const bool isLocked = !item.has("drive");
  const UnknownIndex lambda =
      addMultiplier(builder, item.name(), isLocked ? "locking force" : "driving force",
                    isLocked ? "locked position" : "driven position");
  auto& set = builder.elements<ScalarHold<false>>();
  const int element = set.add(item.name(), {}, {q, lambda}, {target});
  builder.attach("joints", item.name() + "/position constraint", {&set, element});
}

void addOptions(const Item& item, const PlaceInMachine<AlongGuide>& at, Builder& builder) {
  const UnknownIndex q = at.own[0];
  const bool locked = item.boolean("locked", false), driven = item.has("drive");
  if (locked && driven) {
    return builder.error(item.placeOf("drive"),
                         "joints." + item.name() + ": 'locked' cannot be combined with 'drive'",
                         "remove one of them");
  }
  if (item.number("stiffness") != 0.0 || item.number("damping") != 0.0) {
    auto& set = builder.elements<ScalarSpring>();
    const int element =
        set.add(item.name(), {}, {q},
                {item.number("stiffness"), item.number("damping"), item.number("rest")});
    builder.attach("joints", item.name() + "/position spring", {&set, element});
  }
  if (const double inertia = readInertia(item); inertia != 0.0) {
    auto& set = builder.elements<ScalarInertia>();
    const int element = set.add(item.name(), {}, {q}, {inertia});
    builder.attach("joints", item.name() + "/position inertia", {&set, element});
  }
  if (item.has("friction")) addGuideFriction(item, at, builder);
  if (item.has("latch")) addLatch<AlongGuide>(item, item, at, builder);
  if (locked) return addLock(item, q, item.number("start", 0.0), builder);
  if (!driven) return;
  if (std::holds_alternative<double>(item.at("drive").data)) {
    return addLock(item, q, item.number("drive"), builder);
  }
  addGuideDrive(item, at, builder.signal(item, "drive"), builder);
}

void makeSlideOnBeam(const Item& item, Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  const system::NodeIndex node = builder.node(item, "node");
  const auto beam = findBeam(item, builder);
  if (!beam || builder.diagnostics().errors().size() > before) return;
  const GuidePoint at = beam->curve.findNearest(builder.frame(node).x);
  if (!isOn(item, *beam, node, at, builder)) return;
  const UnknownIndex q = item.boolean("clamp", false)
                             ? addPieces<true>(item, *beam, node, at, builder)
                             : addPieces<false>(item, *beam, node, at, builder);
  builder.elementSet<GuideEnds>().add({item.name(), builder.nodeName(node), beam->layout.name, q,
                                       -at.position, beam->layout.length - at.position});
  addOptions(item, {{node}, {q}, {}}, builder);
}

}  // namespace

std::optional<PlaceInMachine<AlongGuide>> findGuidePlace(const Item& joint,
                                                         const Builder& builder) {
  if (!joint.has("beam")) return std::nullopt;
  const Builder::Attachment* part = builder.findAttachment("joints", joint.name());
  if (part == nullptr || part->set == nullptr) return std::nullopt;
  const int e = part->element, last = part->set->scalars(e) - 1;
  return PlaceInMachine<AlongGuide>{{part->set->node(e, 0)}, {part->set->scalar(e, last)}, {}};
}

void addGuideActuator(const std::string& name, const PlaceInMachine<AlongGuide>& at,
                      UnknownIndex signal, Builder& builder) {
  builder.elements<ScalarActuator>().add(name, {}, {at.own[0], signal}, {1.0});
}

void addGuideDrive(const Item& joint, const PlaceInMachine<AlongGuide>& at, UnknownIndex signal,
                   Builder& builder) {
  for (const char* part : {"/translation friction", "/position latch"}) {
    if (builder.findAttachment("joints", joint.name() + part) == nullptr) continue;
    const std::string other = std::string(part).substr(std::string(part).find(' ') + 1);
    return builder.error(
        joint.place(),
        "joints." + joint.name() + ": '" + other + "' acts on a coordinate that is driven",
        "a prescribed motion leaves nothing to it: remove one of them");
  }
  const UnknownIndex lambda =
      addMultiplier(builder, joint.name(), "driving force", "driven position");
  auto& set = builder.elements<ScalarHold<true>>();
  const int element = set.add(joint.name(), {}, {at.own[0], lambda, signal}, {0.0});
  builder.attach("joints", joint.name() + "/position constraint", {&set, element});
}

namespace {

std::string sample(const std::string& beam, const std::string& joint,
                   const std::string& blocks = {}) {
  return R"(flexloop: 1
gravity: [0.4, -1.1, -9.7]
materials: {plastic: {E: 3 GPa, nu: 0.4, rho: 1200}}
sections: {strip: {type: rectangle, width: 30 mm, height: 20 mm}}
nodes:
  A: {position: [0, 0, 0], rotation: {axis: [1, 2, -0.5], angle: 40 deg}}
  B: {position: [1, 0.5, 0.25], rotation: {axis: [-0.4, 1, 0.8], angle: 65 deg}}
  C: {position: [0.4, 0.2, 0.1], rotation: {axis: [0.2, -1, 0.8], angle: 35 deg}}
bodies:
  a: {node: A, mass: 1.3, inertia: [0.12, 0.1, 0.07]}
  b: {node: B, mass: 0.8, inertia: [0.05, 0.08, 0.06]}
  c: {node: C, mass: 0.5, inertia: [0.03, 0.02, 0.04]}
blocks: {y: {type: sine, amplitude: 0.1, frequency: 0.8 Hz})" +
         blocks + R"(}
beams: {link: {from: A, to: B, section: strip, material: plastic, y_axis: [0, 0, 1], )" +
         beam + "}}\njoints: {run: {type: slide_on_beam, beam: link, node: C, " + joint + "}}\n";
}

constexpr const char* kPushed = R"(
sensors: {f: {measure: friction, joint: run}, s: {measure: sticks, joint: run}}
actuators: {ram: {type: force, joint: run, input: push}}
contacts:
  end: {type: limit, joint: run, lower: -0.1, restitution: 0.3}
  rubber: {type: limit, joint: run, upper: 0.05, stiffness: 1e3}
)";

constexpr const char* kSensors = R"(
sensors:
  d: {measure: displacement, joint: run}
  v: {measure: rate, joint: run}
  a: {measure: acceleration, joint: run}
  f: {measure: force, joint: run, frame: A}
  g: {measure: force, joint: run, direction: [1, 2, 0]}
actuators: {push: {type: force, node: C, direction: [1, 0, 0], input: z}}
)";

}  // namespace

void registerGuides(system::Registry& registry) {
  using namespace system;
  registry.add(
      {.section = "joints",
       .type = "slide_on_beam",
       .doc =
           "The origin of a node stays on a beam and slides along it. Its coordinate is the "
           "displacement along the beam since the start, towards the second end. A simulation ends "
           "where the node leaves the beam. A node that is held, with `clamp` and `drive`, draws "
           "the beam through a fixed guide.",
       .parameters =
           {required(thing("beam", "beams", "the beam")),
            required(node("node", "the node that slides; at the start it is placed on the beam")),
            boolean("clamp", "hold the orientation of the node to the section of the beam too"),
            boolean("locked", "hold the node where it is at the start"),
            withDefault(notNegative(number("stiffness", base::kStiffness,
                                           "stiffness of a spring along the beam")),
                        "0"),
            changingEnergy(withDefault(
                notNegative(number("damping", base::kDamping, "viscous damping along the beam")),
                "0")),
            withDefault(
                number("rest", base::kLength, "displacement at which the spring is relaxed"), "0"),
            changingEnergy(signal("drive", base::kLength,
                                  "prescribes the displacement along the beam since the start")),
            withNote(number("start", base::kLength,
                            "displacement along the beam at the start; everything attached to the "
                            "node moves with it"),
                     "as the node is placed"),
            withNote(number("start_rate", base::kVelocity,
                            "its rate at the start; everything attached to the node moves with "
                            "it"),
                     "as given by the nodes"),
            withDefault(notNegative(number("inertia", base::kMass,
                                           "inertia of a drive that moves with the displacement")),
                        "0"),
            withNote(map("rotor",
                         {required(notNegative(
                              number("inertia", base::kInertia, "inertia J of the rotor"))),
                          required(number("ratio", {.length = -1, .angle = 1},
                                          "N: how far the rotor turns for the displacement"))},
                         "the rotor of a drive, which adds N² J to the inertia of the "
                         "displacement"),
                     "none"),
            frictionParameter(false), latchParameter()},
       .make = makeSlideOnBeam,
       .samples = {sample("elements: 3", "stiffness: 40, damping: 2, rest: 0.1"),
                   sample("elements: 2, inertia: lumped", "damping: 1",
                          ", z: {type: sum, inputs: [d, d.rate, v, v.rate, -a, f.x, f.z, g]}") +
                       kSensors,
                   sample("elements: 2, order: 2", "clamp: true, drive: y"),
                   sample("elements: 1, order: 3", "clamp: true, locked: true"),
                   sample("elements: 2", "inertia: 0.3, friction: {coefficient: 0.2}",
                          ", push: {type: gain, input: y, gain: 3}") +
                       kPushed,
                   sample("elements: 2",
                          "clamp: true, friction: {coefficient: 0.3, "
                          "static_coefficient: 0.4, stribeck: {speed: 0.1, exponent: 1}}, rotor: "
                          "{inertia: 1e-4, ratio: 40 rad/m}"),
                   sample("elements: 1",
                          "friction: {force: 2, lugre: {stiffness: 100, damping: "
                          "3}}")},
       .facts = {.freedoms = 4, .symbol = "slider"}});
}

}  // namespace flexloop::mechanics
