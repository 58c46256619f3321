#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/linear/effective_matrices.hpp"
#include "analysis/modes/mode_comparison.hpp"
#include "analysis/modes/mode_description.hpp"
#include "api/analyses.hpp"
#include "api/study_source.hpp"
#include "base/text_format.hpp"
#include "commands/command.hpp"
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

  void execute() {
    if (!console_.quiet) model_.warnings().print(*console_.errors);
    if (searched_ && (request_.every || request_.compare)) {
      reject("--find-stability-limit cannot be combined with --every or --compare",
             "run them separately");
    }
    try {
      request_.every ? follow() : findAtPoint();
    } catch (const api::Failed& failed) {
      throw api::Failed(failed.failure(), model_);
    }
  }

 private:
  void findAtPoint() const {
    const model::OperatingPoint about = readOperatingPoint(request_.at, request_.about, model_);
    const analysis::OperatingState point = api::findState(model_, about);
    console_.warn(point.notes);
    if (!request_.matricesFile.empty()) writeMatrices(point.state);
    request_.compare ? compare(point.state) : find(point.state);
  }

  // Views side by side and modes along a run are tables of their own.
  void checkTogether() const {
    if (request_.every && request_.compare) {
      reject("--every cannot be combined with --compare", "use --at TIME with --compare");
    }
    if (request_.every && (request_.at || !request_.about.empty())) {
      reject("--every covers the whole simulation; it cannot be combined with --at or --about",
             "omit one of them");
    }
    const char* table = request_.every ? "--every" : "--compare";
    const std::pair<bool, const char*> others[] = {{wantsSensitivities(), "sensitivities"},
                                                   {!request_.limitOf.empty(), "a stability limit"},
                                                   {!request_.macFile.empty(), "--mac"},
                                                   {!request_.matricesFile.empty(), "--matrices"}};
    for (const auto& [isWanted, what] : others) {
      if (!isWanted || !(request_.every || request_.compare)) continue;
      reject(std::string(table) + " cannot be combined with " + what, "run them separately");
    }
    if (request_.sensitivity && *request_.sensitivity < 1) {
      reject("--sensitivity must be at least 1, not " + std::to_string(*request_.sensitivity),
             "it is the number of parameters listed for each mode");
    }
  }

  bool wantsSensitivities() const { return request_.sensitivity || !request_.of.empty(); }

  reports::ModeDescriptions describe(const system::State& state,
                                     const analysis::ModeResult& result) const {
    const bool damped = options_.method != ModeMethod::kUndamped;
    return analysis::describeModes(model_, state, result.modes, damped);
  }

  reports::ModeHead headAt(double time) const {
    return {
        .method = request_.method, .loop = request_.loop, .bodies = request_.bodies, .time = time};
  }

  void find(const system::State& state) const {
    const analysis::ModeResult result = api::findModes(model_, state, options_);
    console_.warn(result.notes);
    reports::ModeHead head = headAt(state.time);
    head.about = balanceName(readOperatingPoint(request_.at, request_.about, model_));
    if (!request_.macFile.empty()) {
      head.others =
          reports::compareWithFile(request_.macFile, model_.system(), state, result.modes);
    }
    const bool wantsDescriptions = request_.explain || !request_.targets.jsonFile.empty();
    const reports::ModeDescriptions texts =
        wantsDescriptions ? describe(state, result) : reports::ModeDescriptions{};
    console_.print(reports::describeModes(model_, result, head,
                                          request_.explain ? texts : reports::ModeDescriptions{}));
    const std::optional<study::SensitivityResult> sensitivities = findSensitivities();
    if (searched_) head.limits = findLimits();
    if (!request_.targets.jsonFile.empty()) {
      reports::writeModesJson(request_.targets.jsonFile, model_, state, result, head, texts,
                              sensitivities ? &*sensitivities : nullptr);
    }
    if (!request_.targets.csvFile.empty()) reports::writeModesCsv(request_.targets.csvFile, result);
  }

  std::optional<study::SensitivityResult> findSensitivities() const {
    if (!wantsSensitivities()) return std::nullopt;
    const int most = request_.sensitivity.value_or(10);
    const study::ModeTask task{options_, readOperatingPoint(request_.at, request_.about, model_)};
    study::SensitivityResult result =
        study::calcSensitivities(api::makeModelMaker(request_.model), settings_, task);
    api::throwIfAny(result.failure);
    console_.print(reports::describeSensitivities(result, most));
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

  void compare(const system::State& state) const {
    const analysis::ModeComparison comparison = analysis::compareModes(model_, state, options_);
    api::throwIfAny(comparison.failure);
    console_.print(reports::describeComparison(model_, comparison));
    if (!request_.targets.jsonFile.empty()) {
      reports::writeComparisonJson(request_.targets.jsonFile, comparison);
    }
    if (!request_.targets.csvFile.empty()) {
      reports::writeComparisonCsv(request_.targets.csvFile, comparison);
    }
  }

  // Modes along a run.
  void follow() const {
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
    api::throwIfAny(failure);
    api::throwIfAny(run.failure);
    console_.print(reports::describeInstants(model_, instants));
    if (!request_.targets.jsonFile.empty()) {
      reports::writeInstantsJson(request_.targets.jsonFile, instants, headAt(0.0));
    }
    if (!request_.targets.csvFile.empty()) {
      reports::writeInstantsCsv(request_.targets.csvFile, instants);
    }
  }

  std::vector<double> readTimes() const {
    if (!(*request_.every > 0.0)) {
      reject("--every must be positive, not " + base::numberText(*request_.every),
             "it is the interval between two lists of modes");
    }
    std::vector<double> times{0.0};
    if (!model_.time()) return times;
    const double end = model_.time()->end;
    if (*request_.every > end * (1.0 + 1e-12)) {
      reject("--every: " + base::numberText(*request_.every) +
                 " s is longer than the simulation, which ends at " + base::numberText(end) + " s",
             "use a shorter interval");
    }
    if (end / *request_.every > kMostInstants) {
      reject("--every gives more than 100000 instants", "use a longer interval");
    }
    for (int i = 1; i * *request_.every <= end * (1.0 + 1e-12); ++i) {
      times.push_back(std::min(i * *request_.every, end));
    }
    return times;
  }

  void writeMatrices(const system::State& state) const {
    if (!analysis::findSampledBlocks(model_.system()).elements.empty()) {
      reject("--matrices: a sampled controller has no effective matrices",
             "omit '--matrices'; the modes do not need them");
    }
    const analysis::LinearModel linear = analysis::linearize(model_, state, options_.view);
    const analysis::ControlSide side(model_.system(), linear);
    const analysis::EffectiveMatrices matrices =
        analysis::makeEffectiveMatrices(model_, linear, side);
    api::throwIfAny(matrices.failure);
    reports::writeEffectiveMatrices(request_.matricesFile, model_, linear, matrices);
  }

  const ModesRequest& request_;
  const Console& console_;
  model::Model model_;
  analysis::ModeOptions options_;
  std::optional<study::SweepAxis> searched_;  // for limits of stability
  study::Settings settings_;                  // with which modes move
};

}  // namespace

void declareModes(Call& call) {
  const auto r = std::make_shared<ModesRequest>();
  call.addModelOptions();
  call.add(
      {{"--count", "N", "number of modes (default: 10)", &r->count},
       {"--near", "HZ", "modes nearest to this frequency [Hz]", &r->nearHz},
       {"--loop", "VIEW",
        "closed; open: actuator forces are constant; locked: driven joints are held", &r->loop},
       {"--bodies", "VIEW", "flexible, or rigid as often assumed in controller design", &r->bodies},
       {"--method", "METHOD",
        "full; with PID-like controllers also undamped, 2n or 3n (effective matrices)", &r->method},
       {"--matrices", "FILE", "write the effective matrices of machine and controllers as JSON",
        &r->matricesFile},
       {"--about", "STATE",
        "operating point: initial, equilibrium or steady (default: as in the model)", &r->about},
       {"--at", "TIME", "operating point: the state of a simulation at this time", &r->at},
       {"--every", "TIME", "find the modes repeatedly during a simulation, at this interval [s]",
        &r->every},
       {"--sensitivity",
        "N",
        "sensitivities of the modes to parameters; list the N largest (default: 10)",
        &r->sensitivity,
        {.usual = "10"}},
       {"--of",
        "PATH",
        "include this value of the model, for example springs.k1.stiffness",
        &r->of,
        {.isOneByOne = true}},
       {"--find-stability-limit", "NAME[=from:to]",
        "find where a mode becomes unstable, in this range (default: around the present value)",
        &r->limitOf},
       {"--compare", "", "compare modes with controllers, with rigid bodies and with locked joints",
        &r->compare},
       {"--explain", "", "describe each mode and where its damping comes from", &r->explain},
       {"--mac", "FILE", "compare the shapes with those in the JSON file of another run",
        &r->macFile}});
  call.action = [&call, r](const Console& console) {
    r->model = call.model;
    r->targets = call.targets;
    ModesCommand(*r, console).execute();
  };
}

}  // namespace flexloop::commands
