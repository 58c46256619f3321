#include "api/registry.hpp"

#include "control/actuators/actuator_types.hpp"
#include "control/blocks/block_types.hpp"
#include "fem/parts/part_types.hpp"
#include "mechanics/register.hpp"
#include "model/analysis_types.hpp"

namespace flexloop::api {

system::Registry makeRegistry() {
  system::Registry registry;
  mechanics::registerMechanics(registry);
  fem::registerParts(registry);
  control::registerBlocks(registry);
  control::registerActuators(registry);
  model::registerAnalyses(registry);
  return registry;
}

system::Registry makeRegistryWithoutBoxes(BoxFiles files) {
  const system::Registry whole = makeRegistry();
  system::Registry registry;
  for (system::TypeEntry entry : whole.entries()) {
    if (entry.section == "blocks" && control::isBoxType(entry.type)) {
      entry.make =
          files == BoxFiles::kChecked ? control::makeCheckedBoxStandIn : control::makeBoxStandIn;
    }
    registry.add(std::move(entry));
  }
  return registry;
}

}  // namespace flexloop::api
