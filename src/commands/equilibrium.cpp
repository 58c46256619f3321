#include <ostream>

#include "analysis/balance/equilibrium_analysis.hpp"
#include "analysis/balance/equilibrium_stability.hpp"
#include "analysis/balance/steady_motion.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/mode_options.hpp"
#include "reports/equilibrium_text.hpp"
#include "reports/mode_text.hpp"

namespace flexloop::commands {
namespace {

// A search may end where the machine would not stay.
solve::Stability findStability(const model::Model& model, const analysis::EquilibriumResult& found,
                               const Console& console) {
  const analysis::ModeResult modes = analysis::findDecidingModes(model, found.state);
  const std::vector<std::string> lines = reports::describeGrowth(modes.modes);
  const bool hasNegative = found.report.stability == solve::Stability::kUnstable;
  if (!lines.empty() || hasNegative) {
    const std::string kind = found.isSteady ? "steady motion" : "equilibrium";
    *console.errors
        << "warning: the machine would not remain in this " << kind << ": "
        << (lines.empty() ? "its stiffness is negative" : lines.front())
        << "\n  hint: 'flexloop modes --about " << (found.isSteady ? "steady" : "equilibrium")
        << " --explain' shows which motion grows; "
        << (found.isSteady
                ? "another start may lead to another steady motion"
                : "'--find stable' searches for the stable equilibrium to which it would move")
        << '\n';
    return solve::Stability::kUnstable;
  }
  const bool decides = found.report.stability == solve::Stability::kStable || modes.isComplete;
  return decides ? solve::Stability::kStable : solve::Stability::kUnknown;
}

}  // namespace

Outcome equilibrium(const api::ModelSource& source, bool isSteady, const Targets& targets,
                    const Console& console) {
  return guard(console, [&] {
    const model::Model model = api::loadModel(source);
    if (!console.quiet) model.warnings().print(*console.errors);
    analysis::EquilibriumResult result =
        isSteady ? analysis::findSteadyMotion(model) : analysis::findEquilibrium(model);
    if (result.report.failure) return reportFailure(console, *result.report.failure);
    warnOf(result.notes, console);
    if (!console.quiet) {
      result.report.stability = findStability(model, result, console);
      for (const std::string& line : reports::describeEquilibrium(model, result)) {
        *console.text << line << '\n';
      }
    }
    const std::vector<std::string>& names = model.outputs().names();
    if (!targets.csvFile.empty()) reports::writeEquilibriumCsv(targets.csvFile, names, result);
    if (!targets.jsonFile.empty()) reports::writeEquilibriumJson(targets.jsonFile, names, result);
    return Outcome::kDone;
  });
}

}  // namespace flexloop::commands
