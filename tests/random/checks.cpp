#include "random/checks.hpp"

namespace flexloop::random {

const std::vector<Check>& allChecks() {
  static const std::vector<Check> checks{{"start", checkStart},
                                         {"order", checkOrder},
                                         {"unequal_steps", checkUnequalSteps},
                                         {"energy", checkEnergy},
                                         {"modes", checkModes},
                                         {"formulations", checkFormulations},
                                         {"rotated", checkRotated},
                                         {"reordered", checkReordered},
                                         {"scaled", checkScaled},
                                         {"idle_parts", checkIdleParts},
                                         {"restart", checkRestart}};
  return checks;
}

}  // namespace flexloop::random
