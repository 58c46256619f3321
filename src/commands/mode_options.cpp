#include "commands/mode_options.hpp"

#include <cmath>

#include "base/diagnostics.hpp"
#include "base/text_format.hpp"
#include "model/analysis_types.hpp"

namespace flexloop::commands {

using analysis::BodyView;
using analysis::LoopView;
using model::OperatingPoint;

analysis::ModeOptions readModeOptions(const ModesRequest& request, const model::Model& model) {
  analysis::ModeOptions options;
  options.count = request.count.value_or(model.modes().count);
  if (options.count < 1) {
    reject("--count must be at least 1, not " + std::to_string(options.count),
           "if the model has fewer modes than requested, all are listed");
  }
  options.nearHz = request.nearHz.value_or(0.0);
  if (!(options.nearHz >= 0.0) || !std::isfinite(options.nearHz)) {
    reject("--near must be a frequency of 0 Hz or more, not " + base::numberText(options.nearHz),
           "a pair of roots is listed once, by its positive frequency");
  }
  options.view.loop =
      static_cast<LoopView>(choose("--loop", request.loop, {"closed", "open", "locked"}));
  options.view.bodies =
      static_cast<BodyView>(choose("--bodies", request.bodies, {"flexible", "rigid"}));
  options.method = static_cast<analysis::ModeMethod>(
      choose("--method", request.method, {"full", "undamped", "2n", "3n"}));
  return options;
}

namespace {

base::Place placeOfModes(const model::Model& model) {
  const system::Item* item = model::findAnalysis(model.description(), model::kModeAnalysis);
  return item != nullptr ? item->place() : base::Place{};
}

// Beyond its end a simulation is not what the model describes: tables end, and events are not planned.
void checkTime(const base::Place& place, const std::string& who, double time,
               const model::Model& model) {
  const auto complain = [&](const std::string& what, const std::string& hint) {
    throw base::InputError(place, who + ": " + what, hint);
  };
  const std::string text = base::numberText(time) + " s";
  if (!(time >= 0.0)) complain("a simulation has no state at " + text, "it starts at 0 s");
  if (!model.time() || time <= model.time()->end * (1.0 + 1e-12)) return;
  complain(
      text + " is after the end of the simulation, " + base::numberText(model.time()->end) + " s",
      "'--set analysis.time.end=" + base::numberText(time) + "' makes it longer");
}

}  // namespace

OperatingPoint readOperatingPoint(const std::optional<double>& at, const std::string& about,
                                  const model::Model& model) {
  if (at && !about.empty()) {
    reject("--at cannot be combined with --about", "give only one of them");
  }
  if (at) {
    checkTime({}, "--at", *at, model);
    return {OperatingPoint::Kind::kTime, *at};
  }
  if (about.empty()) {
    const OperatingPoint& point = model.modes().about;
    if (point.kind == OperatingPoint::Kind::kTime) {
      checkTime(placeOfModes(model), "analysis.modes.about", point.time, model);
    }
    return point;
  }
  return {static_cast<OperatingPoint::Kind>(
              choose("--about", about, {"initial", "equilibrium", "steady"})),
          0.0};
}

std::string balanceName(const OperatingPoint& point) {
  if (point.kind == OperatingPoint::Kind::kEquilibrium) return "equilibrium";
  return point.kind == OperatingPoint::Kind::kSteady ? "steady" : "";
}

}  // namespace flexloop::commands
