#include "mechanics/register.hpp"

#include "mechanics/beam_types.hpp"
#include "mechanics/body_types.hpp"
#include "mechanics/joint_types.hpp"
#include "mechanics/load_types.hpp"
#include "mechanics/measure_types.hpp"
#include "mechanics/node_types.hpp"
#include "mechanics/section_types.hpp"
#include "mechanics/spring_types.hpp"

namespace flexloop::mechanics {

void registerMechanics(system::Registry& registry) {
  registerSections(registry);
  registerNodes(registry);
  registerBodies(registry);
  registerBeams(registry);
  registerJoints(registry);
  registerSprings(registry);
  registerLoads(registry);
  registerMeasures(registry);
}

}  // namespace flexloop::mechanics
