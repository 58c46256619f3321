#include "control/register.hpp"

// The families of types, each registered by a function in its own room. A new one is one line.
#define FLEXLOOP_FAMILIES(FAMILY) \
  FAMILY(registerSources)         \
  FAMILY(registerAlgebra)         \
  FAMILY(registerDynamics)        \
  FAMILY(registerEquations)       \
  FAMILY(registerDiscontinuities) \
  FAMILY(registerLpv)             \
  FAMILY(registerSampled)         \
  FAMILY(registerBoxes)           \
  FAMILY(registerFmus)            \
  FAMILY(registerDiscon)          \
  FAMILY(registerActuators)

namespace flexloop::control {

#define FLEXLOOP_DECLARE(family) void family(system::Registry& registry);
FLEXLOOP_FAMILIES(FLEXLOOP_DECLARE)

void registerControl(system::Registry& registry) {
#define FLEXLOOP_CALL(family) family(registry);
  FLEXLOOP_FAMILIES(FLEXLOOP_CALL)
}

}  // namespace flexloop::control
