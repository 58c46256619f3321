#include "api/registry.hpp"

#include <utility>

#include "control/boxes/box_maker.hpp"
#include "control/register.hpp"
#include "fem/parts/part_maker.hpp"
#include "fem/parts/part_types.hpp"
#include "mechanics/register.hpp"
#include "model/analysis_types.hpp"

namespace flexloop::api {

system::Registry makeRegistry() {
  system::Registry registry;
  mechanics::registerMechanics(registry);
  fem::registerParts(registry);
  control::registerControl(registry);
  model::registerAnalyses(registry);
  return registry;
}

system::Registry makeRegistryWithoutBoxes(BoxFiles files) {
  const system::Registry whole = makeRegistry();
  system::Registry registry;
  for (system::TypeEntry entry : whole.entries()) {
    if (entry.facts.isBox) {
      entry.make =
          files == BoxFiles::kChecked ? control::makeCheckedBoxStandIn : control::makeBoxStandIn;
    }
    registry.add(std::move(entry));
  }
  return registry;
}

system::Registry useKeptParts(system::Registry registry,
                              std::shared_ptr<const model::SourceFiles> files) {
  if (files == nullptr || !files->isStored) return registry;
  system::Registry changed;
  for (system::TypeEntry entry : registry.entries()) {
    if (entry.section == "parts") {
      entry.make = [files](const system::Item& item, system::Builder& builder) {
        const model::SourceFile* kept = files->findName(fem::keptPartName(item.name()));
        fem::makePart(item, builder, kept != nullptr ? &kept->text : nullptr);
      };
    }
    changed.add(std::move(entry));
  }
  return changed;
}

}  // namespace flexloop::api
