#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/balance/operating_point.hpp"
#include "analysis/linear/effective_matrices.hpp"
#include "analysis/modes/mode_analysis.hpp"
#include "analysis/modes/mode_comparison.hpp"
#include "analysis/modes/mode_description.hpp"
#include "api/study_source.hpp"
#include "base/text_format.hpp"
#include "commands/commands.hpp"
#include "commands/guard.hpp"
#include "commands/mode_options.hpp"
#include "commands/sweep_range.hpp"
#include "reports/effective_text.hpp"
#include "reports/limit_text.hpp"
#include "reports/mode_text.hpp"
#include "reports/sensitivity_text.hpp"

namespace flexloop::commands {
namespace {

using analysis::ModeMethod;

constexpr double kMostInstants = 1e5;  // of --every

class ModesCommand {
 public:
  ModesCommand(const ModesRequest& request, const Console& console)
      : request_(request),
        console_(console),
        model_(api::loadModel(request.model)),
        options_(readModeOptions(request, model_)) {
    if (!request.limitOf.empty()) searched_ = readSearchRange(request.limitOf, model_);
    checkTogether();
    if (wantsSensitivities()) settings_ = api::findSettings(model_, request.of);
  }

  Outcome execute() {
    if (!console_.quiet) model_.warnings().print(*console_.errors);
    if (searched_ && (request_.every || request_.compare)) {
      refuse("--find-stability-limit cannot be combined with --every or --compare",
             "run them separately");
    }
    if (request_.every) return follow();
    const model::OperatingPoint about = readOperatingPoint(request_.at, request_.about, model_);
    const analysis::OperatingState point = analysis::findOperatingPoint(model_, about);
    if (point.failure) return fail(*point.failure);
    warnOf(point.notes, console_);
    const bool wantsMatrices = !request_.matricesFile.empty();
    if (wantsMatrices && !writeMatrices(point.state)) return Outcome::kBadInput;
    return request_.compare ? compare(point.state) : find(point.state);
  }

 private:
  // Views side by side and modes along a run are tables of their own.
  void checkTogether() const {
    if (request_.every && request_.compare) {
      refuse("--every cannot be combined with --compare", "use --at TIME with --compare");
    }
    if (request_.every && (request_.at || !request_.about.empty())) {
      refuse("--every covers the whole simulation; it cannot be combined with --at or --about",
             "omit one of them");
    }
    const char* table = request_.every ? "--every" : "--compare";
    const std::pair<bool, const char*> others[] = {{wantsSensitivities(), "sensitivities"},
                                                   {!request_.limitOf.empty(), "a stability limit"},
                                                   {!request_.macFile.empty(), "--mac"},
                                                   {!request_.matricesFile.empty(), "--matrices"}};
    for (const auto& [isWanted, what] : others) {
      if (!isWanted || !(request_.every || request_.compare)) continue;
      refuse(std::string(table) + " cannot be combined with " + what, "run them separately");
    }
    if (request_.sensitivity && *request_.sensitivity < 1) {
      refuse("--sensitivity must be at least 1, not " + std::to_string(*request_.sensitivity),
             "it is the number of parameters listed for each mode");
    }
  }

  bool wantsSensitivities() const { return request_.sensitivity || !request_.of.empty(); }

  Outcome fail(const base::Failure& failure) const {
    return reportFailure(console_, model_, failure);
  }

  void tell(const std::vector<std::string>& lines) const {
    if (console_.quiet) return;
    for (const std::string& line : lines) *console_.text << line << '\n';
  }

  reports::ModeDescriptions describe(const system::State& state,
                                     const analysis::ModeResult& result) const {
    const bool damped = options_.method != ModeMethod::kUndamped;
    return analysis::describeModes(model_, state, result.modes, damped);
  }

  reports::ModeHead headAt(double time) const {
    return {
        .method = request_.method, .loop = request_.loop, .bodies = request_.bodies, .time = time};
  }

  Outcome find(const system::State& state) const {
    const analysis::ModeResult result = analysis::findModes(model_, state, options_);
    if (result.failure) return fail(*result.failure);
    for (const std::string& note : result.notes) {
      if (!console_.quiet) *console_.errors << "warning: " << note << '\n';
    }
    reports::ModeHead head = headAt(state.time);
    head.about = balanceName(readOperatingPoint(request_.at, request_.about, model_));
    if (!request_.macFile.empty()) {
      head.others =
          reports::compareWithFile(request_.macFile, model_.system(), state, result.modes);
    }
    const bool wantsDescriptions = request_.explain || !request_.targets.jsonFile.empty();
    const reports::ModeDescriptions texts =
        wantsDescriptions ? describe(state, result) : reports::ModeDescriptions{};
    tell(reports::describeModes(model_, result, head,
                                request_.explain ? texts : reports::ModeDescriptions{}));
    const std::optional<study::SensitivityResult> sensitivities = findSensitivities();
    if (sensitivities && !sensitivities->ok()) return fail(*sensitivities->failure);
    if (searched_) head.limits = findLimits();
    if (!request_.targets.jsonFile.empty()) {
      reports::writeModesJson(request_.targets.jsonFile, model_, state, result, head, texts,
                              sensitivities ? &*sensitivities : nullptr);
    }
    if (!request_.targets.csvFile.empty()) reports::writeModesCsv(request_.targets.csvFile, result);
    return Outcome::kDone;
  }

  std::optional<study::SensitivityResult> findSensitivities() const {
    if (!wantsSensitivities()) return std::nullopt;
    const int most = request_.sensitivity.value_or(10);
    const study::ModeTask task{options_, readOperatingPoint(request_.at, request_.about, model_)};
    study::SensitivityResult result =
        study::calcSensitivities(api::makeModelMaker(request_.model), settings_, task);
    if (result.ok()) tell(reports::describeSensitivities(result, most));
    return result;
  }

  reports::LimitSearch findLimits() const {
    const study::ModelMaker maker = api::makeModelMaker(request_.model);
    const study::ModeTask task{options_, readOperatingPoint(request_.at, request_.about, model_)};
    study::ModeSweep sweep =
        study::sweepModes({*searched_}, maker, task, {.threads = api::readThreads({}, model_)});
    study::StabilityLimits limits = study::findStabilityLimits(sweep, maker, task);
    for (const std::string& line :
         reports::describeLimits(sweep, limits, reports::ModeNumbers::kLeftOut)) {
      *console_.text << line << '\n';
    }
    return {std::move(sweep), std::move(limits)};
  }

  Outcome compare(const system::State& state) const {
    const analysis::ModeComparison comparison = analysis::compareModes(model_, state, options_);
    if (comparison.failure) return fail(*comparison.failure);
    tell(reports::describeComparison(model_, comparison));
    if (!request_.targets.jsonFile.empty()) {
      reports::writeComparisonJson(request_.targets.jsonFile, comparison);
    }
    if (!request_.targets.csvFile.empty()) {
      reports::writeComparisonCsv(request_.targets.csvFile, comparison);
    }
    return Outcome::kDone;
  }

  // Modes along a run.
  Outcome follow() const {
    std::vector<reports::ModesAtTime> instants;
    std::optional<base::Failure> failure;
    const auto visit = [&](const system::State& state) {
      if (failure) return;
      analysis::ModeResult result = analysis::findModes(model_, state, options_);
      if (result.failure) {
        failure = base::withContext("at " + std::to_string(state.time) + " s: ", *result.failure);
        return;
      }
      reports::ModeDescriptions texts = describe(state, result);
      instants.push_back({state.time, std::move(result), std::move(texts)});
    };
    const analysis::OperatingState run = analysis::visitStates(model_, readTimes(), visit);
    if (failure) return fail(*failure);
    if (run.failure) return fail(*run.failure);
    tell(reports::describeInstants(model_, instants));
    if (!request_.targets.jsonFile.empty()) {
      reports::writeInstantsJson(request_.targets.jsonFile, instants, headAt(0.0));
    }
    if (!request_.targets.csvFile.empty()) {
      reports::writeInstantsCsv(request_.targets.csvFile, instants);
    }
    return Outcome::kDone;
  }

  std::vector<double> readTimes() const {
    if (!(*request_.every > 0.0)) {
      refuse("--every must be positive, not " + base::numberText(*request_.every),
             "it is the interval between two lists of modes");
    }
    std::vector<double> times{0.0};
    if (!model_.time()) return times;
    const double end = model_.time()->end;
    if (*request_.every > end * (1.0 + 1e-12)) {
      refuse("--every: " + base::numberText(*request_.every) +
                 " s is longer than the simulation, which ends at " + base::numberText(end) + " s",
             "use a shorter interval");
    }
    if (end / *request_.every > kMostInstants) {
      refuse("--every gives more than 100000 instants", "use a longer interval");
    }
    for (int i = 1; i * *request_.every <= end * (1.0 + 1e-12); ++i) {
      times.push_back(std::min(i * *request_.every, end));
    }
    return times;
  }

  bool writeMatrices(const system::State& state) const {
    if (!analysis::findSampledBlocks(model_.system()).elements.empty()) {
      refuse("--matrices: a sampled controller has no effective matrices",
             "omit '--matrices'; the modes do not need them");
    }
    const analysis::LinearModel linear = analysis::linearize(model_, state, options_.view);
    const analysis::ControlSide side(model_.system(), linear);
    const analysis::EffectiveMatrices matrices =
        analysis::makeEffectiveMatrices(model_, linear, side);
    if (matrices.failure) {
      reportFailure(console_, *matrices.failure);
      return false;
    }
    reports::writeEffectiveMatrices(request_.matricesFile, model_, linear, matrices);
    return true;
  }

  const ModesRequest& request_;
  const Console& console_;
  model::Model model_;
  analysis::ModeOptions options_;
  std::optional<study::SweepAxis> searched_;  // for limits of stability
  study::Settings settings_;                  // with which modes move
};

}  // namespace

Outcome modes(const ModesRequest& request, const Console& console) {
  return guard(console, [&] { return ModesCommand(request, console).execute(); });
}

}  // namespace flexloop::commands
