#include "mechanics/register.hpp"

#include "mechanics/beams/beam_types.hpp"
#include "mechanics/bodies/body_types.hpp"
#include "mechanics/bodies/node_types.hpp"
#include "mechanics/joints/joint_types.hpp"
#include "mechanics/loads/load_types.hpp"
#include "mechanics/sections/section_types.hpp"
#include "mechanics/sensors/measure_types.hpp"
#include "mechanics/springs/spring_types.hpp"

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
