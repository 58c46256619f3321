#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "api/failed.hpp"
#include "api/study_source.hpp"
#include "commands/command.hpp"
#include "commands/linear_request.hpp"
#include "commands/linear_sweep.hpp"
#include "commands/mode_options.hpp"
#include "commands/sweep_range.hpp"
#include "reports/limit_text.hpp"
#include "reports/sweep_text.hpp"

namespace flexloop::commands {
namespace {

using study::SweepAxis;

// Ranges become axes; plain values stay with the model.
std::vector<SweepAxis> takeAxes(api::ModelSource& source, study::Spacing spacing) {
  std::vector<SweepAxis> axes;
  for (std::vector<std::string>* texts : {&source.overrides.parameters, &source.overrides.values}) {
    std::erase_if(*texts, [&](const std::string& text) {
      const bool isText = texts == &source.overrides.values && text.find('[') != std::string::npos;
      std::optional<SweepAxis> axis = isText ? std::nullopt : readAxis(text, spacing);
      if (axis) axes.push_back(std::move(*axis));
      return axis.has_value();
    });
  }
  if (axes.empty()) reject("sweep: no range is given", kRangeHint);
  double points = 1.0;
  for (const SweepAxis& axis : axes) points *= static_cast<double>(axis.values.size());
  if (points > kMostSweepPoints) reject("sweep: more than a million points", "use smaller counts");
  return axes;
}

class SweepCommand {
 public:
  SweepCommand(const SweepRequest& request, const Console& console)
      : request_(request),
        console_(console),
        source_(request.modes.model),
        axes_(takeAxes(source_,
                       request.logarithmic ? study::Spacing::kLogarithmic : study::Spacing::kEven)),
        maker_(api::makeModelMaker(source_)) {}

  void execute() {
    const model::Model model = api::loadModel(source_);
    for (const SweepAxis& axis : axes_) (void)api::findSetting(model, axis.name, "-p");
    checkLimitOption();
    const auto kind = static_cast<Kind>(
        choose("--do", request_.analysis, {"modes", "equilibrium", "run", "frf", "linearize"}));
    if (kind != Kind::kModes && !request_.modes.limitOf.empty()) {
      reject("--find-stability-limit applies to modes only", "use --do modes");
    }
    if (kind == Kind::kFrf) return sweepResponses(model);
    if (kind == Kind::kLinearize) return sweepStateSpaces(model);
    rejectLinearOptions(request_);
    if (!console_.quiet) model.warnings().print(*console_.errors);
    if (kind == Kind::kModes) return sweepModes(model);
    return sweepOutputs(model, kind == Kind::kEquilibrium ? study::OutputAnalysis::kEquilibrium
                                                          : study::OutputAnalysis::kRun);
  }

 private:
  enum class Kind { kModes, kEquilibrium, kRun, kFrf, kLinearize };  // as in --do

  void checkLimitOption() const {
    if (request_.modes.limitOf.empty()) return;
    if (axes_.size() == 1 && axes_.front().name == request_.modes.limitOf) return;
    reject(
        "--find-stability-limit " + request_.modes.limitOf +
            ": it needs a range of this parameter and of no other",
        "-p " + request_.modes.limitOf + "=from:to:count, with single values for other parameters");
  }

  reports::SweepFigure readFigure() const {
    return static_cast<reports::SweepFigure>(
        choose("--figure", request_.figure, {"campbell", "locus", "damping"}));
  }

  study::Pace makePace(const model::Model& model) const {
    const auto proceed = [this](int done, int total) {
      if (console_.isTerminal && !console_.quiet) {
        *console_.errors << '\r' << "point " << done << " of " << total
                         << (done == total ? "\n" : "") << std::flush;
      }
      return !console_.isStopRequested();
    };
    return {proceed, api::readThreads(request_.jobs, model)};
  }

  void sweepModes(const model::Model& model) {
    const bool isMap = axes_.size() == 2 && request_.figure.empty();
    const reports::SweepFigure figure =
        request_.figure.empty() ? reports::SweepFigure::kCampbell : readFigure();
    const study::ModeTask task{readModeOptions(request_.modes, model),
                               readOperatingPoint(request_.modes.at, request_.modes.about, model)};
    const study::ModeSweep sweep = study::sweepModes(axes_, maker_, task, makePace(model));
    std::optional<study::StabilityLimits> limits;
    if (!request_.modes.limitOf.empty()) limits = study::findStabilityLimits(sweep, maker_, task);
    console_.print(reports::describeModeSweep(sweep));
    if (limits) print(reports::describeLimits(sweep, *limits, reports::ModeNumbers::kTold));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) reports::writeModeSweepJson(targets.jsonFile, sweep, limits);
    if (!targets.csvFile.empty()) reports::writeModeSweepCsv(targets.csvFile, sweep);
    if (!targets.figureFile.empty() && isMap)
      reports::writeStabilityMapSvg(targets.figureFile, sweep);
    if (!targets.figureFile.empty() && !isMap) {
      reports::writeModeSweepSvg(targets.figureFile, sweep, figure);
    }
    judge(sweep.points, sweep.isComplete);
  }

  void sweepOutputs(const model::Model& model, study::OutputAnalysis analysis) {
    const study::OutputSweep sweep = study::sweepOutputs(axes_, maker_, analysis, makePace(model));
    console_.print(reports::describeOutputSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) reports::writeOutputSweepJson(targets.jsonFile, sweep);
    if (!targets.csvFile.empty()) reports::writeOutputSweepCsv(targets.csvFile, sweep);
    if (!targets.figureFile.empty()) reports::writeOutputSweepSvg(targets.figureFile, sweep);
    judge(sweep.points, sweep.isComplete);
  }

  void sweepResponses(const model::Model& model) {
    const reports::ResponseSweep sweep =
        commands::sweepResponses(request_, source_, axes_, makePace(model), console_);
    console_.print(reports::describeResponseSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) reports::writeResponseSweepJson(targets.jsonFile, sweep);
    if (!targets.csvFile.empty()) reports::writeResponseSweepCsv(targets.csvFile, sweep);
    if (!targets.figureFile.empty()) reports::writeResponseSweepSvg(targets.figureFile, sweep);
    judge(sweep.points, sweep.isComplete);
  }

  void sweepStateSpaces(const model::Model& model) {
    const reports::StateSpaceSweep sweep =
        commands::sweepStateSpaces(request_, source_, axes_, makePace(model), console_);
    console_.print(reports::describeStateSpaceSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) reports::writeStateSpaceSweepJson(targets.jsonFile, sweep);
    judge(sweep.points, sweep.isComplete);
  }

  void print(const std::vector<std::string>& lines) const {
    for (const std::string& line : lines) *console_.text << line << '\n';
  }

  // Some points may fail; if all do, the sweep has.
  template <class Points>
  static void judge(const Points& points, bool isComplete) {
    const bool any =
        std::any_of(points.begin(), points.end(), [](const auto& p) { return p.ok(); });
    if (!any) {
      throw api::Failed(base::numericalFailure("all points failed; the first: " +
                                               points.front().failure->message));
    }
    // The table says where it was stopped.
    if (!isComplete) throw api::Failed({"", "", base::FailureKind::kOther});
  }

  const SweepRequest& request_;
  const Console& console_;
  api::ModelSource source_;
  std::vector<SweepAxis> axes_;
  study::ModelMaker maker_;
};

}  // namespace

void declareSweep(Call& call) {
  const auto request = std::make_shared<SweepRequest>();
  ModesRequest& modes = request->modes;
  call.stopsGently = true;
  call.addModelOptions();
  call.add(
      {{"--do", "ANALYSIS", "modes (default), equilibrium, run, frf or linearize",
        &request->analysis},
       {"--jobs", "N",
        "points computed at once (default: number of cores; 1 with black boxes that are called "
        "directly)",
        &request->jobs},
       {"--log", "", "logarithmic spacing", &request->logarithmic},
       {"--find-stability-limit", "NAME",
        "find where a mode becomes unstable, within the range of this parameter", &modes.limitOf},
       {"--count", "N", "number of modes (default: 10)", &modes.count},
       {"--near", "HZ", "modes nearest to this frequency [Hz]", &modes.nearHz},
       {"--loop", "VIEW", "closed, open or locked", &modes.loop},
       {"--bodies", "VIEW", "flexible or rigid", &modes.bodies},
       {"--about", "STATE",
        "operating point: initial, equilibrium or steady (default: as in the model)", &modes.about},
       {"--at", "TIME", "operating point: the state of a simulation at this time", &modes.at}});
  call.add(portOptions(request->response));
  call.add(frequencyOptions(request->response));
  call.add({{"--minimal", "", "state equations: omit uncontrollable and unobservable states",
             &request->minimal}});
  call.addFigureOption("--svg", "figure; - for standard output");
  call.add({{"--figure", "KIND",
             "campbell (default), locus or damping; with two parameters, a stability map",
             &request->figure}});
  call.action = [&call, request](const Console& console) {
    request->modes.model = call.model;
    request->modes.targets = call.targets;
    SweepCommand(*request, console).execute();
  };
}

}  // namespace flexloop::commands
