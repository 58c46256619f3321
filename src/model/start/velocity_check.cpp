#include "model/start/velocity_check.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace flexloop::model {
namespace {

using math::Vec3;
using math::Vec6;
using system::Item;
using system::State;

// Of the velocity itself, and of the fastest node, beside which it is round-off.
constexpr double kSame = 1e-6, kRounding = 1e-10;

class VelocityCheck {
 public:
  VelocityCheck(const std::vector<StartCoordinate>& coordinates, const system::System& system,
                const State& start, base::Diagnostics& diagnostics)
      : coordinates_(coordinates), system_(system), start_(start), diagnostics_(diagnostics) {
    for (std::size_t n = 0; n < system.nodes().size(); ++n) {
      const Vec6<double> twist = calcTwist(n, start);
      fastest_ = std::max(fastest_, twist.head<3>().norm());
      fastestTurn_ = std::max(fastestTurn_, twist.tail<3>().norm());
    }
  }

  void check(const Item& item, std::size_t n) const {
    const State& drawn = system_.start();
    const Vec6<double> before = calcTwist(n, drawn), after = calcTwist(n, start_);
    const math::Mat3<double>&R0 = drawn.frames[n].R, &R1 = start_.frames[n].R;
    if (!before.head<3>().isZero(0.0) && differ(before.head<3>(), after.head<3>(), fastest_)) {
      warn(item, n, "velocity", R0 * before.head<3>(), R1 * after.head<3>(), "m/s");
    }
    if (!before.tail<3>().isZero(0.0) && differ(before.tail<3>(), after.tail<3>(), fastestTurn_)) {
      warn(item, n, "angular_velocity", R0 * before.tail<3>(), R1 * after.tail<3>(), "rad/s");
    }
  }

 private:
  // In the axes of the node.
  Vec6<double> calcTwist(std::size_t n, const State& at) const {
    const system::Node& node = system_.nodes()[n];
    if (node.count == 0) return Vec6<double>::Zero();
    return system::calcMap(node, at.frames[n]).leftCols(node.count) *
           at.rate.segment(node.firstUnknown, node.count);
  }

  static bool differ(const Vec3<double>& a, const Vec3<double>& b, double fastest) {
    return (a - b).norm() > kSame * (a.norm() + b.norm()) + kRounding * fastest;
  }

  // The joint that moves the node, or one in a loop with it.
  const StartCoordinate* findCause(std::size_t n) const {
    const auto cause = [&](auto moves) {
      const auto found = std::find_if(coordinates_.begin(), coordinates_.end(), moves);
      return found != coordinates_.end() ? &*found : nullptr;
    };
    const StartCoordinate* above = cause(
        [&](const StartCoordinate& c) { return c.hasRate && !c.moved.empty() && c.moved[n]; });
    if (above != nullptr) return above;
    return cause([](const StartCoordinate& c) { return c.hasRate && c.moved.empty(); });
  }

  void warn(const Item& item, std::size_t n, const char* key, const Vec3<double>& given,
            const Vec3<double>& found, const char* unit) const {
    const StartCoordinate* cause = findCause(n);
    char text[200];
    std::snprintf(text, sizeof text, "[%.6g, %.6g, %.6g] %s, not [%.6g, %.6g, %.6g]", found[0],
                  found[1], found[2], unit, given[0], given[1], given[2]);
    const std::string reason =
        cause == nullptr ? std::string()
                         : ": " + nameOf(*cause) + " gives its motion to all that hangs on it";
    diagnostics_.addWarning(
        item.placeOf(key),
        "nodes." + item.name() + ": " + key + " is " + text + ", at the start" + reason,
        "velocities of nodes that hang on a joint with 'drive' or 'start_rate' "
        "add to its motion: give the joint next to the node a 'start_rate' "
        "instead, or give all nodes from there on velocities that include it");
  }

  const std::vector<StartCoordinate>& coordinates_;
  const system::System& system_;
  const State& start_;
  base::Diagnostics& diagnostics_;
  double fastest_ = 0.0, fastestTurn_ = 0.0;
};

}  // namespace

void checkNodeVelocities(const Description& description,
                         const std::vector<StartCoordinate>& coordinates,
                         const system::System& system, const State& start,
                         base::Diagnostics& diagnostics) {
  const VelocityCheck velocities(coordinates, system, start, diagnostics);
  for (const Item& item : description.items) {
    if (item.section() != "nodes") continue;
    const auto node =
        std::find_if(system.nodes().begin(), system.nodes().end(),
                     [&](const system::Node& known) { return known.name == item.name(); });
    if (node == system.nodes().end()) continue;
    velocities.check(item, static_cast<std::size_t>(node - system.nodes().begin()));
  }
}

}  // namespace flexloop::model
