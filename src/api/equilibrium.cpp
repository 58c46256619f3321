#include <algorithm>
#include <ostream>

#include "analysis/equilibrium_analysis.hpp"
#include "analysis/mode_analysis.hpp"
#include "analysis/steady_motion.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/mode_options.hpp"
#include "io/equilibrium_text.hpp"
#include "io/mode_text.hpp"

namespace flexloop::api {
namespace {

constexpr int kFewUnknowns = 240;  // up to these all roots are looked at, above the slowest

// A search may end where the machine would not stay.
void warnIfUnstable(const model::Model& model, const analysis::EquilibriumResult& found,
                    const Console& console) {
  analysis::ModeOptions options;
  const int unknowns = model.system().unknowns();
  if (unknowns <= kFewUnknowns) options.count = std::max(2 * unknowns, 1);
  const analysis::ModeResult result = analysis::findModes(model, found.state, options);
  const std::vector<std::string> lines = io::describeGrowth(result.modes);
  if (lines.empty()) return;
  const char* kind = found.isSteady ? "steady motion" : "equilibrium";
  *console.errors << "warning: the machine would not stay in this " << kind << ": " << lines.front()
                  << "\n  hint: 'flexloop modes --about "
                  << (found.isSteady ? "steady" : "equilibrium")
                  << " --explain' tells which motion grows; another start may lead to another "
                  << kind << "\n";
}

}  // namespace

Outcome equilibrium(const ModelSource& source, bool isSteady, const Targets& targets,
                    const Console& console) {
  return guard(console, [&] {
    const model::Model model = loadModel(source);
    if (!console.quiet) model.warnings().print(*console.errors);
    const analysis::EquilibriumResult result =
        isSteady ? analysis::findSteadyMotion(model) : analysis::findEquilibrium(model);
    if (!result.report.ok) {
      *console.errors << "error: " << result.report.trouble << '\n';
      if (!result.report.hint.empty()) *console.errors << "  hint: " << result.report.hint << '\n';
      return Outcome::kNumericsFailed;
    }
    warnOf(result.notes, console);
    if (!console.quiet) {
      warnIfUnstable(model, result, console);
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
