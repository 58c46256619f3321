#include "analysis/linear/turning_note.hpp"

#include <cmath>

namespace flexloop::analysis {
namespace {

constexpr double kFastTurn = 0.3;  // of the slowest root

double findSlowest(const std::vector<Mode>& modes) {
  double slowest = 0.0;
  for (const Mode& mode : modes) {
    const double size = std::abs(mode.eigenvalue);
    if (size > 0.0 && (slowest == 0.0 || size < slowest)) slowest = size;
  }
  return slowest;
}

}  // namespace

std::string describeTurning(const Turning& turning, const std::vector<Mode>& modes,
                            const std::string& what) {
  const double slowest = findSlowest(modes);
  if (slowest == 0.0 || turning.speed <= kFastTurn * slowest) return "";
  if (!turning.isSteady) {
    return "bodies rotate about as fast as the modes oscillate, so the equations change during an "
           "oscillation: these are " +
           what +
           " at this instant\n  hint: `flexloop run` and `flexloop spectrum` show what the machine "
           "does";
  }
  if (turning.isMixed) {
    return "these are " + what +
           " in the axes of the bodies for some parts and in those of the ground for others, in "
           "which their equations are constant";
  }
  if (turning.isInGround) {
    return "these are " + what + " in ground axes, in which the equations are constant";
  }
  if (!turning.isInBoth) return "";
  return "these are " + what +
         " in the axes of the bodies; an observer on the ground sees whirl frequencies shifted by "
         "the rotation speed";
}

}  // namespace flexloop::analysis
