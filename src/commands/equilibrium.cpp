#include <memory>
#include <ostream>

#include "analysis/balance/equilibrium_stability.hpp"
#include "api/analyses.hpp"
#include "commands/command.hpp"
#include "reports/equilibrium_text.hpp"
#include "reports/mode_text.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  bool isSteady = false;
  std::string find;  // which equilibrium; empty: as the model says
};

// A search may end where the machine would not stay.
solve::Stability findStability(const model::Model& model, const analysis::EquilibriumResult& found,
                               const Console& console) {
  const analysis::ModeResult modes = analysis::findDecidingModes(model, found.state);
  const std::vector<std::string> lines = reports::describeGrowth(modes.modes);
  const bool hasNegative = found.report.stability == solve::Stability::kUnstable;
  if (!lines.empty() || hasNegative) {
    const std::string kind = found.isSteady ? "steady motion" : "equilibrium";
    console.warn(
        "the machine would not remain in this " + kind + ": " +
            (lines.empty() ? "its stiffness is negative" : lines.front()),
        std::string("'flexloop modes --about ") + (found.isSteady ? "steady" : "equilibrium") +
            " --explain' shows which motion grows; " +
            (found.isSteady
                 ? "another start may lead to another steady motion"
                 : "'--find stable' searches for the stable equilibrium to which it would move"));
    return solve::Stability::kUnstable;
  }
  const bool decides = found.report.stability == solve::Stability::kStable || modes.isComplete;
  return decides ? solve::Stability::kStable : solve::Stability::kUnknown;
}

void equilibrium(const api::ModelSource& source, bool isSteady, const Targets& targets,
                 const Console& console) {
  const model::Model model = api::loadModel(source);
  if (!console.quiet) model.warnings().print(*console.errors);
  analysis::EquilibriumResult result =
      api::findEquilibrium(model, isSteady ? api::Balance::kSteady : api::Balance::kAtRest);
  console.warn(result.notes);
  if (!console.quiet) {
    result.report.stability = findStability(model, result, console);
    console.print(reports::describeEquilibrium(model, result));
  }
  const std::vector<std::string>& names = model.outputs().names();
  if (!targets.csvFile.empty()) reports::writeEquilibriumCsv(targets.csvFile, names, result);
  if (!targets.jsonFile.empty()) reports::writeEquilibriumJson(targets.jsonFile, model, result);
}

}  // namespace

void declareEquilibrium(Call& call) {
  const auto request = std::make_shared<Request>();
  call.addModelOptions();
  call.add({{"--steady", "", "find the steady motion that begins with the initial velocities",
             &request->isSteady},
            {"--find", "WHICH",
             "which one: loaded (reached by slowly growing loads), first or stable (default: as in "
             "'analysis: equilibrium')",
             &request->find}});
  call.action = [&call, request](const Console& console) {
    if (!request->find.empty()) {
      call.model.overrides.values.push_back("analysis.equilibrium.find=" + request->find);
    }
    equilibrium(call.model, request->isSteady, call.targets, console);
  };
}

}  // namespace flexloop::commands
