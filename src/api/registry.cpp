#include "api/registry.hpp"

#include "control/boxes/box_maker.hpp"
#include "control/register.hpp"
#include "fem/parts/part_types.hpp"
#include "mechanics/register.hpp"
#include "model/analysis_types.hpp"
#include "model/instance_types.hpp"

namespace flexloop::api {

system::Registry makeRegistry() {
  system::Registry registry;
  mechanics::registerMechanics(registry);
  fem::registerParts(registry);
  control::registerControl(registry);
  model::registerInstances(registry);
  model::registerAnalyses(registry);
  return registry;
}

const system::Registry& commonRegistry() {
  static const system::Registry registry = makeRegistry();
  return registry;
}

system::Registry makeRegistryWithoutBoxes(BoxFiles files) {
  system::Registry registry;
  for (system::TypeEntry entry : commonRegistry().entries()) {
    if (entry.facts.isBox) {
      entry.make = control::findStandIn(entry.type, files == BoxFiles::kChecked);
    }
    registry.add(std::move(entry));
  }
  return registry;
}

}  // namespace flexloop::api
