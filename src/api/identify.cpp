#include <ostream>
#include <string>
#include <vector>

#include "analysis/identification.hpp"
#include "analysis/operating_point.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "base/nearest_word.hpp"
#include "io/identify_text.hpp"

namespace flexloop::api {
namespace {

using model::OperatingPoint;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw base::InputError({}, what, hint);
}

control::GainOrder readOrder(const std::string& order) {
  if (order == "pid") return {.integrals = 1, .derivatives = 1};
  if (order == "integrals") return {.integrals = 3, .derivatives = 1};
  if (order == "derivatives") return {.integrals = 1, .derivatives = 2};
  refuse("--order: there is no '" + order + "'", "known: pid, integrals, derivatives");
}

OperatingPoint readPoint(const IdentifyRequest& request, const model::Model& model) {
  if (request.at && !request.about.empty()) {
    refuse("--at and --about both say in which state the block is perturbed", "give one of them");
  }
  if (request.at) return {OperatingPoint::Kind::kTime, *request.at};
  if (request.about.empty()) return model.modes().about;
  if (request.about == "initial") return {OperatingPoint::Kind::kInitial, 0.0};
  if (request.about == "equilibrium") return {OperatingPoint::Kind::kEquilibrium, 0.0};
  refuse("--about: there is no '" + request.about + "'", "known: initial, equilibrium");
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
         : known.empty() ? "it has no blocks at all"
                         : "known: " + all);
}

Outcome fail(const Console& console, const std::string& trouble, const std::string& hint) {
  *console.errors << "error: " << trouble << '\n';
  if (!hint.empty()) *console.errors << "  hint: " << hint << '\n';
  return Outcome::kNumericsFailed;
}

Outcome execute(const IdentifyRequest& request, const Console& console) {
  const model::Model model = loadModel(request.model);
  if (!(request.delta > 0.0 && request.delta <= 1.0)) {
    refuse("--delta must be above 0 and not above 1", "0.1 is usual");
  }
  const control::GainOrder order = readOrder(request.order);
  const analysis::BlockPlace place = readBlock(request.block, model);
  const OperatingPoint about = readPoint(request, model);
  if (!place.set->block(place.element).canGoBack()) {
    refuse("black box '" + request.block +
               "' cannot be perturbed: it has no block_save and "
               "block_restore",
           "export both from the library");
  }
  if (!console.quiet) model.warnings().print(*console.errors);
  const analysis::OperatingState point = analysis::findOperatingPoint(model, about);
  if (!point.ok) return fail(console, point.trouble, point.hint);
  const analysis::Identification found =
      analysis::identify(model, place, point.state, {.delta = request.delta, .order = order});
  if (!found.trouble.empty()) return fail(console, found.trouble, found.hint);
  const io::IdentifyHead head{request.block, point.state.time, request.delta, order};
  if (!console.quiet) {
    for (const std::string& line : io::describeGains(found, head)) *console.text << line << '\n';
  }
  if (!request.targets.jsonFile.empty()) io::writeGainsJson(request.targets.jsonFile, found, head);
  if (!request.targets.csvFile.empty()) io::writeGainsCsv(request.targets.csvFile, found, head);
  return Outcome::kDone;
}

}  // namespace

Outcome identify(const IdentifyRequest& request, const Console& console) {
  return guard(console, [&] { return execute(request, console); });
}

}  // namespace flexloop::api
