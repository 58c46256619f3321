#include "mechanics/guides/guide_ends.hpp"

namespace flexloop::mechanics {
namespace {

// Of the length of the beam: a node that is held at an end is beside it by round-off.
constexpr double kRounding = 1e-6;

}  // namespace

std::optional<base::Failure> GuideEnds::findFault(const system::State& state) const {
  for (const Guide& guide : guides_) {
    const double q = state.value[guide.position.value];
    const double slack = kRounding * (guide.upper - guide.lower);
    if (q >= guide.lower - slack && q <= guide.upper + slack) continue;
    return base::numericalFailure(
        "joints." + guide.name + ": the node '" + guide.node + "' has left beam '" + guide.beam +
            "' at its " + (q < guide.lower ? "first" : "second") + " end",
        "make the beam longer, end the simulation before that, or hold the node back by "
        "'stiffness', 'drive' or 'locked'");
  }
  return std::nullopt;
}

}  // namespace flexloop::mechanics
