#include <ostream>
#include <string>
#include <vector>

#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/identification.hpp"
#include "base/nearest_word.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/mode_options.hpp"
#include "reports/identify_text.hpp"

namespace flexloop::commands {
namespace {

using model::OperatingPoint;

control::GainOrder readOrder(const std::string& order) {
  if (order == "pid") return {.integrals = 1, .derivatives = 1};
  if (order == "integrals") return {.integrals = 3, .derivatives = 1};
  if (order == "derivatives") return {.integrals = 1, .derivatives = 2};
  refuse("--order: there is no '" + order + "'", "known: pid, integrals, derivatives");
}

analysis::BlockPlace readBlock(const std::string& name, const model::Model& model) {
  const analysis::BlockPlace place = analysis::findBlock(model.system(), name);
  if (place.set != nullptr) return place;
  const std::vector<std::string> known = analysis::blockNames(model.system());
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  std::string all;
  for (const std::string& other : known) all += (all.empty() ? "" : ", ") + other;
  refuse("--block: the model has no block '" + name + "'",
         nearest         ? "did you mean '" + *nearest + "'?"
         : known.empty() ? "the model has no blocks"
                         : "known: " + all);
}

Outcome execute(const IdentifyRequest& request, const Console& console) {
  const model::Model model = api::loadModel(request.model);
  if (!(request.delta > 0.0 && request.delta <= 1.0)) {
    refuse("--delta must be above 0 and at most 1", "0.1 is typical");
  }
  const control::GainOrder order = readOrder(request.order);
  const analysis::BlockPlace place = readBlock(request.block, model);
  const OperatingPoint about = readOperatingPoint(request.at, request.about, model);
  if (!place.set->block(place.element).canGoBack()) {
    refuse("black box '" + request.block +
               "' cannot be perturbed: it has no block_save and "
               "block_restore",
           "export both from the library");
  }
  if (!console.quiet) model.warnings().print(*console.errors);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, about);
  if (point.failure) return reportFailure(console, *point.failure);
  warnOf(point.notes, console);
  const analysis::Identification found =
      analysis::identify(model, place, point.state, {.delta = request.delta, .order = order});
  if (found.failure) return reportFailure(console, *found.failure);
  const reports::IdentifyHead head{request.block, point.state.time, request.delta, order};
  if (!console.quiet) {
    for (const std::string& line : reports::describeGains(found, head))
      *console.text << line << '\n';
  }
  if (!request.targets.jsonFile.empty())
    reports::writeGainsJson(request.targets.jsonFile, found, head);
  if (!request.targets.csvFile.empty())
    reports::writeGainsCsv(request.targets.csvFile, found, head);
  return Outcome::kDone;
}

}  // namespace

Outcome identify(const IdentifyRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::commands
