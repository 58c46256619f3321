#include <ostream>

#include "analysis/model_check.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/load.hpp"
#include "api/registry.hpp"
#include "io/check_text.hpp"
#include "model/build.hpp"

namespace flexloop::api {

Outcome check(const ModelSource& source, const Targets& targets, const Console& console) {
  return guard(console, [&] {
    // Nothing of a model is run before somebody wants it computed.
    const system::Registry registry = makeRegistryWithoutBoxes(BoxFiles::kChecked);
    const model::Model model = model::buildModel(readDescription(source, registry), registry);
    const analysis::CheckReport report = analysis::checkModel(model);
    model.warnings().print(*console.errors);
    if (!console.quiet) {
      for (const std::string& line : io::describeCheck(model, report))
        *console.text << line << '\n';
    }
    if (!targets.jsonFile.empty()) io::writeCheckJson(targets.jsonFile, report);
    return Outcome::kDone;
  });
}

}  // namespace flexloop::api
