#include "model/equilibrium_settings.hpp"

namespace flexloop::model {

EquilibriumSettings readEquilibriumSettings(const Description& description) {
  for (const system::Item& item : description.items) {
    if (item.section() != "analysis" || item.type() != "equilibrium") continue;
    const std::string find = item.text("find");
    if (find == "first") return {solve::Wanted::kFirst};
    if (find == "stable") return {solve::Wanted::kStable};
  }
  return {};
}

}  // namespace flexloop::model
