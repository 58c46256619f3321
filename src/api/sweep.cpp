#include <algorithm>
#include <optional>
#include <ostream>

#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/linear_sweep.hpp"
#include "api/mode_options.hpp"
#include "api/study_source.hpp"
#include "api/sweep_range.hpp"
#include "io/limit_text.hpp"
#include "io/sweep_text.hpp"

namespace flexloop::api {
namespace {

using study::SweepAxis;

// Ranges become axes; plain values stay with the model.
std::vector<SweepAxis> takeAxes(ModelSource& source, study::Spacing spacing) {
  std::vector<SweepAxis> axes;
  for (std::vector<std::string>* texts : {&source.overrides.parameters, &source.overrides.values}) {
    std::erase_if(*texts, [&](const std::string& text) {
      const bool isText = texts == &source.overrides.values && text.find('[') != std::string::npos;
      std::optional<SweepAxis> axis = isText ? std::nullopt : readAxis(text, spacing);
      if (axis) axes.push_back(std::move(*axis));
      return axis.has_value();
    });
  }
  if (axes.empty()) refuse("sweep: there is no range to go through", kRangeHint);
  double points = 1.0;
  for (const SweepAxis& axis : axes) points *= static_cast<double>(axis.values.size());
  if (points > kMostSweepPoints) refuse("sweep: more than a million points", "use smaller counts");
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
        maker_(makeModelMaker(source_)) {}

  Outcome execute() {
    const model::Model model = loadModel(source_);
    for (const SweepAxis& axis : axes_) (void)findSetting(model, axis.name, "-p");
    checkLimitOption();
    const auto kind = static_cast<Kind>(
        choose("--do", request_.analysis, {"modes", "equilibrium", "run", "frf", "linearize"}));
    if (kind != Kind::kModes && !request_.modes.limitOf.empty()) {
      refuse("--find-stability-limit: only modes have one", "use --do modes");
    }
    if (kind == Kind::kFrf) return sweepResponses(model);
    if (kind == Kind::kLinearize) return sweepStateSpaces(model);
    refuseLinearOptions(request_);
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
    refuse("--find-stability-limit " + request_.modes.limitOf +
               ": it needs a range of this number alone",
           "-p " + request_.modes.limitOf + "=from:to:count, and other parameters as plain values");
  }

  io::SweepFigure readFigure() const {
    return static_cast<io::SweepFigure>(
        choose("--figure", request_.figure, {"campbell", "locus", "damping"}));
  }

  study::Pace makePace(const model::Model& model) const {
    const auto proceed = [this](int done, int total) {
      if (console_.isTerminal && !console_.quiet) {
        *console_.errors << '\r' << "point " << done << " of " << total
                         << (done == total ? "\n" : "") << std::flush;
      }
      return console_.stopRequest == nullptr || *console_.stopRequest == 0;
    };
    return {proceed, readThreads(request_.jobs, model)};
  }

  Outcome sweepModes(const model::Model& model) {
    const bool isMap = axes_.size() == 2 && request_.figure.empty();
    const io::SweepFigure figure =
        request_.figure.empty() ? io::SweepFigure::kCampbell : readFigure();
    const study::ModeTask task{readModeOptions(request_.modes, model),
                               readOperatingPoint(request_.modes.at, request_.modes.about, model)};
    const study::ModeSweep sweep = study::sweepModes(axes_, maker_, task, makePace(model));
    std::optional<study::StabilityLimits> limits;
    if (!request_.modes.limitOf.empty()) limits = study::findStabilityLimits(sweep, maker_, task);
    if (!console_.quiet) print(io::describeModeSweep(sweep));
    if (limits) print(io::describeLimits(sweep, *limits, io::ModeNumbers::kTold));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) io::writeModeSweepJson(targets.jsonFile, sweep, limits);
    if (!targets.csvFile.empty()) io::writeModeSweepCsv(targets.csvFile, sweep);
    if (!request_.svgFile.empty() && isMap) io::writeStabilityMapSvg(request_.svgFile, sweep);
    if (!request_.svgFile.empty() && !isMap) {
      io::writeModeSweepSvg(request_.svgFile, sweep, figure);
    }
    return judge(sweep.points, sweep.isComplete);
  }

  Outcome sweepOutputs(const model::Model& model, study::OutputAnalysis analysis) {
    const study::OutputSweep sweep = study::sweepOutputs(axes_, maker_, analysis, makePace(model));
    if (!console_.quiet) print(io::describeOutputSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) io::writeOutputSweepJson(targets.jsonFile, sweep);
    if (!targets.csvFile.empty()) io::writeOutputSweepCsv(targets.csvFile, sweep);
    if (!request_.svgFile.empty()) io::writeOutputSweepSvg(request_.svgFile, sweep);
    return judge(sweep.points, sweep.isComplete);
  }

  Outcome sweepResponses(const model::Model& model) {
    const io::ResponseSweep sweep =
        api::sweepResponses(request_, source_, axes_, makePace(model), console_);
    if (!console_.quiet) print(io::describeResponseSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) io::writeResponseSweepJson(targets.jsonFile, sweep);
    if (!targets.csvFile.empty()) io::writeResponseSweepCsv(targets.csvFile, sweep);
    if (!request_.svgFile.empty()) io::writeResponseSweepSvg(request_.svgFile, sweep);
    return judge(sweep.points, sweep.isComplete);
  }

  Outcome sweepStateSpaces(const model::Model& model) {
    const io::StateSpaceSweep sweep =
        api::sweepStateSpaces(request_, source_, axes_, makePace(model), console_);
    if (!console_.quiet) print(io::describeStateSpaceSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) io::writeStateSpaceSweepJson(targets.jsonFile, sweep);
    return judge(sweep.points, sweep.isComplete);
  }

  void print(const std::vector<std::string>& lines) const {
    for (const std::string& line : lines) *console_.text << line << '\n';
  }

  // Some points may fail; if all do, the sweep has.
  template <class Points>
  Outcome judge(const Points& points, bool isComplete) const {
    const bool any = std::any_of(points.begin(), points.end(), [](const auto& p) { return p.ok; });
    if (!any) {
      tellFailure(console_, "all points failed; the first: " + points.front().trouble, "");
      return Outcome::kNumericsFailed;
    }
    return isComplete ? Outcome::kDone : Outcome::kOtherTrouble;
  }

  const SweepRequest& request_;
  const Console& console_;
  ModelSource source_;
  std::vector<SweepAxis> axes_;
  study::ModelMaker maker_;
};

}  // namespace

Outcome sweep(const SweepRequest& request, const Console& console) {
  return guard(console, [&] { return SweepCommand(request, console).execute(); });
}

}  // namespace flexloop::api
