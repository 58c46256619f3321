#include "mechanics/beams/beam_reader.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "mechanics/beams/beam_mass_damping.hpp"
#include "mechanics/sections/section_reader.hpp"
#include "system/builder.hpp"

namespace flexloop::mechanics {
namespace {

using math::Vec3;
using std::numbers::pi;
using system::Builder;
using system::Item;
using system::NodeIndex;

std::string subjectOf(const Item& item) {
  return "beams." + item.name() + ": ";
}

std::optional<std::array<NodeIndex, 2>> readEnds(const Item& item, Builder& builder) {
  const std::array<NodeIndex, 2> ends{builder.findNode(item.text("from")),
                                      builder.findNode(item.text("to"))};
  bool found = true;
  for (const int k : {0, 1}) {
    if (ends[k].value >= 0) continue;
    const char* key = k == 0 ? "from" : "to";
    found = false;
    builder.error(item.placeOf(key),
                  subjectOf(item) + "there is no node named '" + item.text(key) + "' yet",
                  "a beam that starts on another one must come after it in the file");
  }
  if (!found) return std::nullopt;
  return ends;
}

std::optional<BeamLine> readLine(const Item& item, const std::array<NodeIndex, 2>& ends,
                                 Builder& builder) {
  const Vec3<double>& from = builder.frame(ends[0]).x;
  const Vec3<double>& to = builder.frame(ends[1]).x;
  const bool arc = item.has("via");
  const base::Result<BeamLine> line =
      arc ? makeArc(from, item.vector("via"), to) : makeStraightLine(from, to);
  if (line) return line.value();
  builder.error(item.placeOf(arc ? "via" : "to"), subjectOf(item) + line.failure().message,
                line.failure().hint);
  return std::nullopt;
}

std::optional<BeamCurve> readCurve(const Item& item, const BeamLine& line, bool axisymmetric,
                                   Builder& builder) {
  if (!item.has("y_axis") && !axisymmetric) {
    builder.error(item.place(), subjectOf(item) + "'y_axis' is missing",
                  "its section differs between directions, so the direction of the section's y "
                  "axis must be given, in ground axes");
    return std::nullopt;
  }
  const Vec3<double> y =
      item.has("y_axis") ? Vec3<double>(item.vector("y_axis")) : chooseNormal(line);
  std::optional<BeamCurve> curve = makeCurve(line, y, item.number("twist"));
  if (!curve) {
    builder.error(item.placeOf("y_axis"), subjectOf(item) + "'y_axis' is along the beam",
                  "it is the direction of the section's y axis, which is normal to the beam");
  }
  return curve;
}

// The relative rotation of the nodes of an element has a logarithm below half a turn only.
void checkTurn(const Item& item, const BeamPlan& plan, Builder& builder) {
  constexpr double kLargest = 0.9 * pi;
  const double turn = plan.curve.turnOf(1.0 / item.integer("elements"));
  if (turn <= kLargest) return;
  const int needed = static_cast<int>(std::ceil(plan.curve.turnOf(1.0) / (0.25 * pi)));
  builder.error(
      item.placeOf("elements"),
      subjectOf(item) + "each element would turn by " +
          std::to_string(std::lround(turn * 180.0 / pi)) + " degrees",
      "use more elements; " + std::to_string(needed) + " elements turn by 45 degrees each");
}

}  // namespace

bool hasConsistentInertia(const Item& item) {
  if (!item.has("inertia")) return item.integer("order") == 1;
  return item.text("inertia") == "consistent";
}

BeamMesh readMesh(const Item& item, const Builder& builder) {
  return makeBeamMesh(item.integer("elements"), item.integer("order"),
                      builder.pointReferences(item.name()));
}

std::optional<BeamPlan> readBeam(const Item& item, Builder& builder) {
  const std::optional<SectionMatrices> section = readSection(item, builder);
  const auto ends = readEnds(item, builder);
  if (!section || !ends) return std::nullopt;
  const std::optional<BeamLine> line = readLine(item, *ends, builder);
  if (!line) return std::nullopt;
  const auto curve = readCurve(item, *line, isAxisymmetric(*section), builder);
  if (!curve) return std::nullopt;
  BeamPlan plan{*ends,
                *curve,
                readMesh(item, builder),
                *section,
                stiffnessDampingOf(item),
                hasConsistentInertia(item)};
  checkTurn(item, plan, builder);
  return plan;
}

}  // namespace flexloop::mechanics
