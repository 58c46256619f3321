#include <memory>
#include <ostream>

#include "api/analyses.hpp"
#include "base/nearest_word.hpp"
#include "commands/command.hpp"
#include "commands/mode_options.hpp"
#include "reports/identify_text.hpp"

namespace flexloop::commands {
namespace {

struct Request {
  std::string block;
  std::optional<double> at;   // [s] of the state in which the block is perturbed
  std::string about;          // initial, equilibrium or steady; empty: as `analysis: modes` says
  double delta = 0.1;         // share of the time step
  std::string order = "pid";  // integrals, derivatives
};

control::GainOrder readOrder(const std::string& order) {
  constexpr control::GainOrder kOrders[] = {{.integrals = 1, .derivatives = 1},
                                            {.integrals = 3, .derivatives = 1},
                                            {.integrals = 1, .derivatives = 2}};
  return kOrders[choose("--order", order, {"pid", "integrals", "derivatives"})];
}

analysis::BlockPlace readBlock(const std::string& name, const model::Model& model) {
  const analysis::BlockPlace place = analysis::findBlock(model.system(), name);
  if (place.set != nullptr) return place;
  const std::vector<std::string> known = analysis::blockNames(model.system());
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  std::string all;
  for (const std::string& other : known) all += (all.empty() ? "" : ", ") + other;
  reject("--block: the model has no block '" + name + "'",
         nearest         ? "did you mean '" + *nearest + "'?"
         : known.empty() ? "the model has no blocks"
                         : "known: " + all);
}

void identify(const Request& request, const api::ModelSource& source, const Targets& targets,
              const Console& console) {
  const model::Model model = api::loadModel(source);
  if (!(request.delta > 0.0 && request.delta <= 1.0)) {
    reject("--delta must be above 0 and at most 1", "0.1 is typical");
  }
  const control::GainOrder order = readOrder(request.order);
  const analysis::BlockPlace place = readBlock(request.block, model);
  const model::OperatingPoint about = readOperatingPoint(request.at, request.about, model);
  if (!place.set->block(place.element).canGoBack()) {
    reject("black box '" + request.block +
               "' cannot be perturbed: it has no block_save and block_restore",
           "export both from the library");
  }
  if (!console.quiet) model.warnings().print(*console.errors);
  const analysis::OperatingState point = api::findState(model, about);
  console.warn(point.notes);
  const analysis::Identification found =
      api::identify(model, place, point.state, {.delta = request.delta, .order = order});
  const reports::IdentifyHead head{request.block, point.state.time, request.delta, order};
  console.print(reports::describeGains(found, head));
  if (!targets.jsonFile.empty()) reports::writeGainsJson(targets.jsonFile, found, head);
  if (!targets.csvFile.empty()) reports::writeGainsCsv(targets.csvFile, found, head);
}

}  // namespace

void declareIdentify(Call& call) {
  const auto request = std::make_shared<Request>();
  call.addModelOptions();
  call.add(
      {{"--block", "NAME", "name of the block", &request->block, {.isRequired = true}},
       {"--about", "STATE",
        "operating point: initial, equilibrium or steady (default: as for modes)", &request->about},
       {"--at", "TIME", "operating point: the state of a simulation at this time", &request->at},
       {"--delta", "NUMBER", "time perturbation, as a fraction of the step (default: 0.1)",
        &request->delta},
       {"--order", "GAINS", "pid, integrals (up to three) or derivatives (up to two)",
        &request->order}});
  call.action = [&call, request](const Console& console) {
    identify(*request, call.model, call.targets, console);
  };
}

}  // namespace flexloop::commands
