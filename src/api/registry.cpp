#include "api/registry.hpp"

#include <utility>

#include "control/boxes/box_maker.hpp"
#include "control/register.hpp"
#include "fem/parts/part_maker.hpp"
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

std::shared_ptr<const system::Registry> findRegistry(
    const std::shared_ptr<const model::SourceFiles>& files) {
  if (files == nullptr || !files->isStored) return {std::shared_ptr<void>(), &commonRegistry()};
  return std::make_shared<const system::Registry>(useKeptParts(makeRegistry(), files));
}

}  // namespace flexloop::api
