#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <ostream>

#include "api/commands.hpp"
#include "api/guard.hpp"
#include "api/mode_options.hpp"
#include "api/study_source.hpp"
#include "base/units.hpp"
#include "io/sweep_text.hpp"

namespace flexloop::api {
namespace {

using study::SweepAxis;

constexpr int kMostPoints = 1'000'000;
constexpr const char* kRangeHint = "NAME=from:to:count, for example -p ki=0:320:41";

double readNumber(const std::string& text, const std::string& whole) {
  const base::Result<base::Quantity> quantity = base::parseQuantity(text);
  if (!quantity) refuse("-p " + whole + ": '" + text + "' is not a number", kRangeHint);
  return quantity.value().value;
}

int readCount(const std::string& text, const std::string& whole) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || rest != end || count < 2 || count > kMostPoints) {
    refuse("-p " + whole + ": the count '" + text + "' is not a whole number from 2 on",
           kRangeHint);
  }
  return count;
}

// `NAME=from:to:count`; nothing for a plain value.
std::optional<SweepAxis> readAxis(const std::string& text, study::Spacing spacing) {
  const std::size_t sign = text.find('='), first = text.find(':');
  if (sign == std::string::npos || sign == 0 || first == std::string::npos) return std::nullopt;
  const std::size_t second = text.find(':', first + 1);
  if (second == std::string::npos) {
    refuse("-p " + text + ": a range needs a count", kRangeHint);
  }
  const double from = readNumber(text.substr(sign + 1, first - sign - 1), text);
  const double to = readNumber(text.substr(first + 1, second - first - 1), text);
  const int count = readCount(text.substr(second + 1), text);
  if (from == to) refuse("-p " + text + ": the range is empty", kRangeHint);
  if (spacing == study::Spacing::kLogarithmic && !(from * to > 0.0)) {
    refuse("-p " + text + ": logarithmic steps need ends of one sign, not zero", "leave out --log");
  }
  return study::makeAxis(text.substr(0, sign), from, to, count, spacing);
}

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
  if (points > kMostPoints) refuse("sweep: more than a million points", "use smaller counts");
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
    if (!console_.quiet) model.warnings().print(*console_.errors);
    for (const SweepAxis& axis : axes_) (void)findSetting(model, axis.name, "-p");
    checkLimitOption();
    const int kind = choose("--do", request_.analysis, {"modes", "equilibrium", "run"});
    if (kind == 0) return sweepModes(model);
    if (!request_.limitOf.empty()) {
      refuse("--find-stability-limit: only modes have one", "use --do modes");
    }
    return sweepOutputs(kind == 1 ? study::OutputAnalysis::kEquilibrium
                                  : study::OutputAnalysis::kRun);
  }

 private:
  void checkLimitOption() const {
    if (request_.limitOf.empty()) return;
    if (axes_.size() == 1 && axes_.front().name == request_.limitOf) return;
    refuse("--find-stability-limit " + request_.limitOf + ": it needs a range of this number alone",
           "-p " + request_.limitOf + "=from:to:count, and other parameters as plain values");
  }

  io::SweepFigure readFigure() const {
    return static_cast<io::SweepFigure>(
        choose("--figure", request_.figure, {"campbell", "locus", "damping"}));
  }

  study::Proceed makeProceed() const {
    return [this](int done, int total) {
      if (console_.isTerminal && !console_.quiet) {
        *console_.errors << "\rpoint " << done << " of " << total << (done == total ? "\n" : "")
                         << std::flush;
      }
      return console_.stopRequest == nullptr || *console_.stopRequest == 0;
    };
  }

  Outcome sweepModes(const model::Model& model) {
    const bool isMap = axes_.size() == 2 && request_.figure.empty();
    const io::SweepFigure figure =
        request_.figure.empty() ? io::SweepFigure::kCampbell : readFigure();
    const study::ModeTask task{readModeOptions(request_.modes, model),
                               readOperatingPoint(request_.modes.at, request_.modes.about, model)};
    const study::ModeSweep sweep = study::sweepModes(axes_, maker_, task, makeProceed());
    std::optional<study::StabilityLimits> limits;
    if (!request_.limitOf.empty()) limits = study::findStabilityLimits(sweep, maker_, task);
    if (!console_.quiet) print(io::describeModeSweep(sweep));
    if (limits) print(io::describeLimits(sweep, *limits));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) io::writeModeSweepJson(targets.jsonFile, sweep, limits);
    if (!targets.csvFile.empty()) io::writeModeSweepCsv(targets.csvFile, sweep);
    if (!request_.svgFile.empty() && isMap) io::writeStabilityMapSvg(request_.svgFile, sweep);
    if (!request_.svgFile.empty() && !isMap) {
      io::writeModeSweepSvg(request_.svgFile, sweep, figure);
    }
    return judge(sweep.points, sweep.isComplete);
  }

  Outcome sweepOutputs(study::OutputAnalysis analysis) {
    const study::OutputSweep sweep = study::sweepOutputs(axes_, maker_, analysis, makeProceed());
    if (!console_.quiet) print(io::describeOutputSweep(sweep));
    const Targets& targets = request_.modes.targets;
    if (!targets.jsonFile.empty()) io::writeOutputSweepJson(targets.jsonFile, sweep);
    if (!targets.csvFile.empty()) io::writeOutputSweepCsv(targets.csvFile, sweep);
    if (!request_.svgFile.empty()) io::writeOutputSweepSvg(request_.svgFile, sweep);
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
