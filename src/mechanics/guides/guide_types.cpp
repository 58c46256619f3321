// Joint `slide_on_beam`: a node that slides along a beam.
#include <algorithm>
#include <sstream>
#include <variant>

#include "mechanics/guides/guide_curve.hpp"
#include "mechanics/guides/guide_ends.hpp"
#include "mechanics/guides/scalar_coordinate.hpp"
#include "mechanics/joints/joint_makers.hpp"
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

void addOptions(const Item& item, UnknownIndex q, Builder& builder) {
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
  if (!locked && !driven) return;
  const UnknownIndex lambda =
      addMultiplier(builder, item.name(), driven ? "driving force" : "locking force",
                    driven ? "driven position" : "locked position");
  if (driven && !std::holds_alternative<double>(item.at("drive").data)) {
    auto& set = builder.elements<ScalarHold<true>>();
    set.add(item.name(), {}, {q, lambda, builder.signal(item, "drive")}, {0.0});
  } else {
    auto& set = builder.elements<ScalarHold<false>>();
    set.add(item.name(), {}, {q, lambda}, {driven ? item.number("drive") : 0.0});
  }
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
  addOptions(item, q, builder);
}

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
           "The origin of a node stays on a beam and slides along it without friction. Its "
           "coordinate is the "
           "displacement along the beam since the start, towards the second end. A simulation ends "
           "where the node leaves the beam.",
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
                                  "prescribes the displacement along the beam since the start"))},
       .make = makeSlideOnBeam,
       .samples = {sample("elements: 3", "stiffness: 40, damping: 2, rest: 0.1"),
                   sample("elements: 2, inertia: lumped", "damping: 1",
                          ", z: {type: sum, inputs: [d, d.rate, v, v.rate, -a, f.x, f.z, g]}") +
                       kSensors,
                   sample("elements: 2, order: 2", "clamp: true, drive: y"),
                   sample("elements: 1, order: 3", "clamp: true, locked: true")},
       .facts = {.freedoms = 4, .symbol = "slider"}});
}

}  // namespace flexloop::mechanics
