#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/mode_analysis.hpp"
#include "analysis/operating_point.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "base/nearest_word.hpp"
#include "io/mode_text.hpp"

namespace flexloop::api {
namespace {

using analysis::BodyView;
using analysis::LoopView;
using model::OperatingPoint;

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw base::InputError({}, what, hint);
}

// The index of the word among those that are known.
int choose(const char* option, const std::string& word, const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  refuse(std::string(option) + ": there is no '" + word + "'", "known: " + all);
}

analysis::ModeOptions readOptions(const ModesRequest& request, const model::Model& model) {
  analysis::ModeOptions options;
  options.count = request.count.value_or(model.modes().count);
  if (options.count < 1) refuse("--count must be at least 1", "");
  options.nearHz = request.nearHz.value_or(0.0);
  if (options.nearHz < 0.0) refuse("--near must not be negative", "");
  options.view.loop =
      static_cast<LoopView>(choose("--loop", request.loop, {"closed", "open", "locked"}));
  options.view.bodies =
      static_cast<BodyView>(choose("--bodies", request.bodies, {"flexible", "rigid"}));
  return options;
}

OperatingPoint readPoint(const ModesRequest& request, const model::Model& model) {
  if (request.at) return {OperatingPoint::Kind::kTime, *request.at};
  if (request.about.empty()) return model.modes().about;
  return {static_cast<OperatingPoint::Kind>(
              choose("--about", request.about, {"initial", "equilibrium"})),
          0.0};
}

void tellFailure(const Console& console, const std::string& trouble, const std::string& hint) {
  *console.errors << "error: " << trouble << '\n';
  if (!hint.empty()) *console.errors << "  hint: " << hint << '\n';
}

class ModesCommand {
 public:
  ModesCommand(const ModesRequest& request, const Console& console)
      : request_(request),
        console_(console),
        model_(loadModel(request.model)),
        options_(readOptions(request, model_)) {}

  Outcome execute() {
    if (!console_.quiet) model_.warnings().print(*console_.errors);
    const analysis::OperatingState point =
        analysis::findOperatingPoint(model_, readPoint(request_, model_));
    if (!point.ok) {
      tellFailure(console_, point.trouble, point.hint);
      return Outcome::kNumericsFailed;
    }
    const analysis::ModeResult result = analysis::findModes(model_, point.state, options_);
    for (const std::string& warning : result.warnings) {
      if (!console_.quiet) *console_.errors << "warning: " << warning << '\n';
    }
    if (!result.ok) {
      tellFailure(console_, result.trouble, result.hint);
      return Outcome::kNumericsFailed;
    }
    const io::ModeHead head{request_.method, request_.loop, request_.bodies, point.state.time};
    if (!console_.quiet) {
      for (const std::string& line : io::describeModes(model_, result, head)) {
        *console_.text << line << '\n';
      }
    }
    if (!request_.targets.jsonFile.empty()) {
      io::writeModesJson(request_.targets.jsonFile, model_, point.state, result, head);
    }
    if (!request_.targets.csvFile.empty()) io::writeModesCsv(request_.targets.csvFile, result);
    return Outcome::kDone;
  }

 private:
  const ModesRequest& request_;
  const Console& console_;
  model::Model model_;
  analysis::ModeOptions options_;
};

}  // namespace

Outcome modes(const ModesRequest& request, const Console& console) {
  return guard(console, [&] { return ModesCommand(request, console).execute(); });
}

}  // namespace flexloop::api
