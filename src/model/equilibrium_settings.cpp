#include "model/equilibrium_settings.hpp"

#include "model/analysis_types.hpp"

namespace flexloop::model {

EquilibriumSettings readEquilibriumSettings(const Description& description) {
  const system::Item* item = findAnalysis(description, kEquilibriumAnalysis);
  const std::string find = item != nullptr ? item->text("find") : "";
  if (find == "first") return {solve::Wanted::kFirst};
  if (find == "stable") return {solve::Wanted::kStable};
  return {};
}

}  // namespace flexloop::model
