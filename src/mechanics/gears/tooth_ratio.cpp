#include "mechanics/gears/tooth_ratio.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::mechanics {

using math::Vec3;
using system::Builder;
using system::Item;

namespace {

// Of sines, and of distances of the joints: axes as they are drawn with some digits.
constexpr double kParallel = 1e-6, kMeet = 1e-6;

struct Axis {
  Vec3<double> place, direction;  // ground, at the start
};

Axis findAxis(const Connection& c, const Builder& builder) {
  const math::Frame<double> joint = math::compose<double>(builder.frame(c.nodes[0]), c.frames.D_A);
  return {joint.x, joint.R.col(2)};
}

// Two axes, and the line between their nearest points.
class AxisPair {
 public:
  AxisPair(const std::array<CoupledJoint, 2>& joints, const Builder& builder)
      : first_(findAxis(joints[0].connection, builder)),
        second_(findAxis(joints[1].connection, builder)),
        normal_(math::cross<double>(first_.direction, second_.direction)),
        between_(second_.place - first_.place) {}

  bool areParallel() const { return normal_.norm() <= kParallel; }
  bool areSameWay() const { return first_.direction.dot(second_.direction) > 0.0; }
  // From the first axis to the second along their common normal, which is not that of parallel axes.
  double calcOffset() const { return between_.dot(normal_) / normal_.norm(); }
  bool doMeet() const { return std::abs(calcOffset()) <= kMeet * between_.norm(); }
  const Vec3<double>& normal() const { return normal_; }

  // Along each axis, from the nearest point of the other to the place of its joint.
  std::array<double, 2> calcReaches() const {
    const double c = first_.direction.dot(second_.direction), square = normal_.squaredNorm();
    const double along1 = between_.dot(first_.direction), along2 = between_.dot(second_.direction);
    return {-(along1 - c * along2) / square, (along2 - c * along1) / square};
  }
  double size() const { return between_.norm(); }

 private:
  Axis first_, second_;
  Vec3<double> normal_, between_;
};

std::nullopt_t fail(const Item& item, const char* key, const std::string& message,
                    const std::string& hint, Builder& builder) {
  builder.error(item.placeOf(key), "joints." + item.name() + ": " + message, hint);
  return std::nullopt;
}

}  // namespace

std::optional<double> findToothRatio(const Item& item, const std::array<CoupledJoint, 2>& joints,
                                     Builder& builder) {
  const std::vector<double> teeth = item.numbers("teeth");
  const double magnitude = teeth[0] / teeth[1];
  const bool isInner = item.boolean("inner", false);
  const AxisPair axes(joints, builder);
  if (axes.areParallel()) return axes.areSameWay() == isInner ? magnitude : -magnitude;
  if (!axes.doMeet()) {
    return fail(item, "teeth",
                "the axes of '" + joints[0].item->name() + "' and '" + joints[1].item->name() +
                    "' are neither parallel nor meet",
                "give the 'ratio' with its sign, or use the type 'worm'", builder);
  }
  if (isInner) {
    return fail(item, "inner", "'inner' is for parallel axes",
                "give the 'ratio' with its sign instead of 'teeth'", builder);
  }
  // (41.5)
  const auto [reach1, reach2] = axes.calcReaches();
  if (std::min(std::abs(reach1), std::abs(reach2)) <= kMeet * axes.size()) {
    return fail(
        item, "teeth", "on which side of the common point of the axes the wheels are is unknown",
        "place the joints at their wheels by 'at', or give the 'ratio' with its sign", builder);
  }
  return reach1 * reach2 > 0.0 ? -magnitude : magnitude;
}

std::optional<double> findWormRatio(const Item& item, const std::array<CoupledJoint, 2>& joints,
                                    Builder& builder) {
  const double magnitude = item.number("starts") / item.number("teeth");
  const AxisPair axes(joints, builder);
  if (axes.areParallel() || axes.doMeet()) {
    return fail(item, "between", "the axis of the worm does not pass beside that of the wheel",
                "give the joints places by 'at': the axes of a worm and its wheel cross at the "
                "centre distance",
                builder);
  }
  // (41.6)
  const double side = axes.calcOffset() > 0.0 ? 1.0 : -1.0;
  const double hand = item.text("hand") == "left" ? -1.0 : 1.0;
  return hand * side * magnitude;
}

}  // namespace flexloop::mechanics
