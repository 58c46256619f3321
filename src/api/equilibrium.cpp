#include <ostream>

#include "analysis/equilibrium_analysis.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "io/equilibrium_text.hpp"

namespace flexloop::api {

Outcome equilibrium(const ModelSource& source, const Targets& targets, const Console& console) {
  return guard(console, [&] {
    const model::Model model = loadModel(source);
    if (!console.quiet) model.warnings().print(*console.errors);
    const analysis::EquilibriumResult result = analysis::findEquilibrium(model);
    if (!result.report.ok) {
      *console.errors << "error: " << result.report.trouble << '\n';
      if (!result.report.hint.empty()) *console.errors << "  hint: " << result.report.hint << '\n';
      return Outcome::kNumericsFailed;
    }
    if (!console.quiet) {
      for (const std::string& line : io::describeEquilibrium(model, result)) {
        *console.text << line << '\n';
      }
    }
    const std::vector<std::string>& names = model.outputs().names();
    if (!targets.csvFile.empty()) io::writeEquilibriumCsv(targets.csvFile, names, result);
    if (!targets.jsonFile.empty()) io::writeEquilibriumJson(targets.jsonFile, names, result);
    return Outcome::kDone;
  });
}

}  // namespace flexloop::api
