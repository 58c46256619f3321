#include "mechanics/register.hpp"

// The families of types, each registered by a function in its own room. A new one is one line.
#define FLEXLOOP_FAMILIES(FAMILY)  \
  FAMILY(registerSections)         \
  FAMILY(registerNodes)            \
  FAMILY(registerBodies)           \
  FAMILY(registerBeams)            \
  FAMILY(registerJoints)           \
  FAMILY(registerGears)            \
  FAMILY(registerGearPair)         \
  FAMILY(registerCams)             \
  FAMILY(registerGuides)           \
  FAMILY(registerLatches)          \
  FAMILY(registerSprings)          \
  FAMILY(registerBearings)         \
  FAMILY(registerCables)           \
  FAMILY(registerLimits)           \
  FAMILY(registerLoads)            \
  FAMILY(registerContacts)         \
  FAMILY(registerSolidContacts)    \
  FAMILY(registerBoreContacts)     \
  FAMILY(registerTyres)            \
  FAMILY(registerMeasures)         \
  FAMILY(registerTyreMeasures)     \
  FAMILY(registerFrictionMeasures) \
  FAMILY(registerTransmittedMeasure)

namespace flexloop::mechanics {

#define FLEXLOOP_DECLARE(family) void family(system::Registry& registry);
FLEXLOOP_FAMILIES(FLEXLOOP_DECLARE)

void registerMechanics(system::Registry& registry) {
#define FLEXLOOP_CALL(family) family(registry);
  FLEXLOOP_FAMILIES(FLEXLOOP_CALL)
}

}  // namespace flexloop::mechanics
