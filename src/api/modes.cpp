#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "analysis/mode_analysis.hpp"
#include "analysis/operating_point.hpp"
#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/mode_options.hpp"
#include "api/study_source.hpp"
#include "io/mode_text.hpp"
#include "io/sensitivity_text.hpp"

namespace flexloop::api {
namespace {

class ModesCommand {
 public:
  ModesCommand(const ModesRequest& request, const Console& console)
      : request_(request),
        console_(console),
        model_(loadModel(request.model)),
        options_(readModeOptions(request, model_)) {}

  Outcome execute() {
    if (!console_.quiet) model_.warnings().print(*console_.errors);
    const analysis::OperatingState point =
        analysis::findOperatingPoint(model_, readOperatingPoint(request_, model_));
    if (!point.ok) {
      tellFailure(console_, point.trouble, point.hint);
      return Outcome::kNumericsFailed;
    }
    const analysis::ModeResult result = analysis::findModes(model_, point.state, options_);
    if (!result.ok) {
      tellFailure(console_, result.trouble, result.hint);
      return Outcome::kNumericsFailed;
    }
    if (!console_.quiet) {
      for (const std::string& note : result.notes) *console_.errors << "warning: " << note << '\n';
    }
    const io::ModeHead head{request_.method, request_.loop, request_.bodies, point.state.time};
    if (!console_.quiet) {
      for (const std::string& line : io::describeModes(model_, result, head)) {
        *console_.text << line << '\n';
      }
    }
    const std::optional<study::SensitivityResult> sensitivities = findSensitivities();
    if (sensitivities && !sensitivities->ok) {
      tellFailure(console_, sensitivities->trouble, sensitivities->hint);
      return Outcome::kNumericsFailed;
    }
    if (!request_.targets.jsonFile.empty()) {
      io::writeModesJson(request_.targets.jsonFile, model_, point.state, result, head,
                         sensitivities ? &*sensitivities : nullptr);
    }
    if (!request_.targets.csvFile.empty()) io::writeModesCsv(request_.targets.csvFile, result);
    return Outcome::kDone;
  }

 private:
  std::optional<study::SensitivityResult> findSensitivities() const {
    if (!request_.sensitivity && request_.of.empty()) return std::nullopt;
    const int most = request_.sensitivity.value_or(10);
    if (most < 1) refuse("--sensitivity must be at least 1", "");
    const study::ModeTask task{options_, readOperatingPoint(request_, model_)};
    study::SensitivityResult result = study::calcSensitivities(
        makeModelMaker(request_.model), findSettings(model_, request_.of), task);
    if (result.ok && !console_.quiet) {
      for (const std::string& line : io::describeSensitivities(result, most)) {
        *console_.text << line << '\n';
      }
    }
    return result;
  }

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
