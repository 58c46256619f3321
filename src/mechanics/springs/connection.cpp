#include "mechanics/springs/connection.hpp"

#include <cmath>
#include <numbers>

namespace flexloop::mechanics {

using math::Frame;
using math::Mat3;
using math::Vec3;
using system::Builder;
using system::Item;
using system::NodeIndex;

namespace {

// Cosine of the angle between directions that are meant to be perpendicular: what is left of
// numbers written with six digits.
constexpr double kPerpendicular = 1e-5;
// Of the coordinates of two points: those nearer to each other are at the same place.
constexpr double kCoincident = 1e-12;

std::string subjectOf(const Item& item) {
  return item.section() + "." + item.name();
}

}  // namespace

std::optional<std::array<NodeIndex, 2>> findEnds(const Item& item, Builder& builder) {
  const std::size_t before = builder.diagnostics().errors().size();
  const std::array<NodeIndex, 2> nodes = builder.nodePair(item, "between");
  if (builder.diagnostics().errors().size() > before) return std::nullopt;
  if (nodes[0] == nodes[1]) {
    builder.error(item.placeOf("between"),
                  subjectOf(item) + ": both ends are the node '" + builder.nodeName(nodes[0]) + "'",
                  "give two different nodes");
    return std::nullopt;
  }
  if (builder.isHeld(nodes[0]) && builder.isHeld(nodes[1])) {
    builder.error(item.placeOf("between"),
                  subjectOf(item) + ": neither '" + builder.nodeName(nodes[0]) + "' nor '" +
                      builder.nodeName(nodes[1]) + "' can move",
                  "at least one of the two nodes must be free");
    return std::nullopt;
  }
  return nodes;
}

Vec3<double> findPlace(const Item& item, const Builder& builder,
                       const std::array<NodeIndex, 2>& nodes) {
  if (item.has("at")) return item.vector("at");
  return builder.frame(nodes[1] == system::kGround ? nodes[0] : nodes[1]).x;
}

std::optional<Vec3<double>> findDirection(const Item& item, std::string_view key,
                                          Builder& builder) {
  const Vec3<double> direction = item.vector(key);
  const double length = direction.stableNorm();
  if (length > 0.0 && std::isfinite(length)) return Vec3<double>(direction / length);
  builder.error(item.placeOf(key),
                subjectOf(item) + ": '" + std::string(key) + "' has no direction",
                "give a vector that is not zero");
  return std::nullopt;
}

Mat3<double> makeAxesAlong(const Vec3<double>& z) {
  int least = 0;
  z.cwiseAbs().minCoeff(&least);
  const Vec3<double> helper = Vec3<double>::Unit(least);
  Mat3<double> R;
  R.col(0) = (helper - helper.dot(z) * z).normalized();
  R.col(1) = math::cross<double>(z, R.col(0));
  R.col(2) = z;
  return R;
}

Connection connect(const std::array<NodeIndex, 2>& nodes, const Frame<double>& J,
                   const Builder& builder) {
  return {nodes,
          {math::relative(builder.frame(nodes[0]), J), math::relative(builder.frame(nodes[1]), J)}};
}

std::optional<Connection> findJointConnection(const Item& item, Builder& builder) {
  const auto nodes = findEnds(item, builder);
  Frame<double> J = Frame<double>::identity();
  if (item.has("axis")) {
    const auto axis = findDirection(item, "axis", builder);
    if (!axis) return std::nullopt;
    J.R = makeAxesAlong(*axis);
  }
  if (item.has("second_axis")) {
    const auto second = findDirection(item, "second_axis", builder);
    if (!second) return std::nullopt;
    const Vec3<double> first = J.R.col(2);
    const double cosine = first.dot(*second);
    if (std::abs(cosine) > kPerpendicular) {
      builder.error(item.placeOf("second_axis"),
                    subjectOf(item) + ": 'axis' and 'second_axis' are not perpendicular",
                    "the two axes of a universal joint cross at a right angle at the start");
      return std::nullopt;
    }
    J.R.col(0) = first;
    J.R.col(1) = (*second - cosine * first).normalized();
    J.R.col(2) = math::cross<double>(J.R.col(0), J.R.col(1));
  }
  if (!nodes) return std::nullopt;
  J.x = findPlace(item, builder, *nodes);
  return connect(*nodes, J, builder);
}

const Item* findMade(const std::string& section, const std::string& name, const Builder& builder) {
  const Item* found = builder.findItem(section, name);
  return builder.findAttachment(section, name) != nullptr ? found : nullptr;
}

double pitchOf(const Item& joint) {
  return joint.number("pitch", 0.0) / (2.0 * std::numbers::pi);
}

std::optional<LineConnection> findLine(const Item& item, Builder& builder) {
  const auto nodes = findEnds(item, builder);
  if (!nodes) return std::nullopt;
  const Frame<double>& first = builder.frame((*nodes)[0]);
  const Frame<double>& second = builder.frame((*nodes)[1]);
  const Vec3<double> from = item.has("at") ? item.vector("at") : first.x;
  const Vec3<double> to = item.has("to") ? item.vector("to") : second.x;
  LineConnection line{*nodes, {}, (to - from).norm()};
  if (line.length <= kCoincident * (from.norm() + to.norm())) {
    builder.error(item.placeOf("between"), subjectOf(item) + ": its two ends coincide at the start",
                  "the direction of the line between them is not defined; move one of the ends, or "
                  "use another type");
    return std::nullopt;
  }
  line.points.p_A = first.R.transpose() * (from - first.x);
  line.points.p_B = second.R.transpose() * (to - second.x);
  return line;
}

std::vector<Builder::Attachment> findParts(const Builder& builder, const std::string& section,
                                           const std::string& name) {
  std::vector<Builder::Attachment> parts;
  const auto add = [&](std::string_view part) {
    const auto* found = builder.findAttachment(section, name + std::string(part));
    if (found != nullptr) parts.push_back(*found);
  };
  for (const std::string_view part : kParts) add(part);
  for (const std::string_view part :
       {"/rotation friction", "/translation friction", "/rotation latch", "/translation latch"}) {
    add(part);
  }
  for (int k = 0; builder.findAttachment(section, name + stopPart(k)) != nullptr; ++k) {
    add(stopPart(k));
  }
  return parts;
}

std::string stopPart(int k) {
  return "/stop " + std::to_string(k);
}

}  // namespace flexloop::mechanics
