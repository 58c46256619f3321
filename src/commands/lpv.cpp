// Parameter-dependent models: made from a machine at several values of one of its parameters, evaluated, and described.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <ostream>
#include <set>
#include <sstream>

#include "api/study_source.hpp"
#include "base/text_format.hpp"
#include "base/units.hpp"
#include "commands/linear_request.hpp"
#include "commands/sweep_range.hpp"
#include "control/lpv/lpv_file.hpp"
#include "files/output_file.hpp"
#include "reports/lpv_text.hpp"
#include "reports/response_text.hpp"
#include "reports/state_space_text.hpp"
#include "study/lpv/lpv_fit.hpp"

namespace flexloop::commands {
namespace {

using study::LocalModel;

constexpr int kMostPoints = 257;
constexpr int kFrequencies = 300;

struct LpvRequest : LinearRequest {
  std::optional<int> order;
  std::string file;           // -o
  std::string interpolation;  // empty: spline
  std::string accuracy;       // such as 2%
  std::string range;          // LOW:HIGH [Hz]
  std::string value;          // --at
  std::string matFile;
  bool check = false;
};

// A number, or a percentage as a fraction.
double readShare(const std::string& text) {
  const bool isPercent = text.ends_with('%');
  const base::Result<base::Quantity> number =
      base::parseQuantity(isPercent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? number.value().value * (isPercent ? 0.01 : 1.0) : 0.0;
  if (!(share > 0.0 && share < 1.0)) {
    reject("--accuracy '" + text + "' is not a share between 0 and 1", "as in '--accuracy 2%'");
  }
  return share;
}

study::SweepAxis takeAxis(api::ModelSource& source) {
  std::vector<study::SweepAxis> axes;
  for (std::vector<std::string>* texts : {&source.overrides.parameters, &source.overrides.values}) {
    std::erase_if(*texts, [&](const std::string& text) {
      std::optional<study::SweepAxis> axis = readAxis(text, study::Spacing::kEven);
      if (axis) axes.push_back(std::move(*axis));
      return axis.has_value();
    });
  }
  if (axes.empty()) {
    reject("lpv: no range of a parameter is given",
           "-p NAME=from:to:count, as in -p length=0.3:0.5:9");
  }
  if (axes.size() > 1) {
    reject("lpv: the model depends on one parameter, but " + std::to_string(axes.size()) +
               " ranges are given",
           "give a range to one of them and a value to the others");
  }
  if (std::ssize(axes[0].values) > kMostPoints) {
    reject("lpv: more than " + std::to_string(kMostPoints) + " points", "a few are usually enough");
  }
  std::sort(axes[0].values.begin(), axes[0].values.end());
  return axes[0];
}

// Makes the model, with more points where the accuracy asks for them.
class LpvCommand {
 public:
  LpvCommand(LpvRequest request, const Console& console)
      : request_(std::move(request)), console_(console), axis_(takeAxis(request_.model)) {
    if (request_.from.empty()) reject("no input is given", "add '--from SIGNAL'");
    if (request_.to.empty()) reject("no output is given", "add '--to SIGNAL'");
    if (!request_.order) reject("no order is given", "add '--order N', the number of states");
    if (*request_.order < 1) reject("--order must be at least 1", "it is the number of states");
    if (request_.file.empty()) reject("no file is given", "add '-o FILE.lpv'");
    if (!request_.accuracy.empty()) accuracy_ = readShare(request_.accuracy);
    if (!request_.interpolation.empty()) {
      isCubic_ = choose("--interpolation", request_.interpolation, {"spline", "linear"}) == 0;
    }
  }

  reports::LpvReport make() {
    std::vector<LocalModel> points, between;
    for (const double value : axis_.values) points.push_back(evaluateAt(value));
    for (std::size_t i = 1; i < points.size(); ++i) {
      between.push_back(evaluateAt(0.5 * (points[i - 1].parameter + points[i].parameter)));
    }
    while (true) {
      study::LpvFit fit = fitPoints(points);
      reports::LpvReport report = compare(fit, points, between);
      if (!accuracy_ || reports::largestOf(report.between) <= *accuracy_) {
        warn(fit, report);
        return report;
      }
      if (reports::largestOf(report.points) > *accuracy_) {
        throw api::Failed(base::Failure{
            base::formatText("--accuracy %s cannot be reached with %d states: at the points "
                             "themselves the error is %.2g %%",
                             request_.accuracy.c_str(), *request_.order,
                             100.0 * reports::largestOf(report.points)),
            "give a higher --order, or a smaller --range"});
      }
      refine(report, points, between);
    }
  }

 private:
  LocalModel evaluateAt(double value) {
    LinearRequest request = request_;
    request.model = api::withSettings(request.model, {{axis_.name, value}});
    std::ostringstream warnings;
    const Console own{.text = &warnings, .errors = &warnings, .quiet = console_.quiet};
    LinearCommand command(request, {request.from, request.to, {}}, own);
    command.linearize(false);
    const api::LinearMachine& machine = command.machine();
    base::Result<LocalModel> local =
        study::makeLocalModel(machine.model(), machine.linear(), machine.ports(), value);
    if (!local) throw api::Failed(base::withContext(context(value), local.failure()));
    if (!warnings.str().empty() && printed_.insert(warnings.str()).second) {
      *console_.errors << "at " << axis_.name << " = " << base::numberText(value) << ":\n"
                       << warnings.str();
    }
    return local.value();
  }

  std::string context(double value) const {
    return "at " + axis_.name + " = " + base::numberText(value) + ": ";
  }

  study::LpvFit fitPoints(const std::vector<LocalModel>& points) {
    const base::Result<study::LpvFit> fit =
        study::fitLpv(points, axis_.name, {*request_.order, isCubic_});
    if (!fit) throw api::Failed(fit.failure());
    return fit.value();
  }

  // From a decade below the slowest to the fastest root that is kept, or as asked for.
  std::vector<double> findFrequencies(const study::LpvFit& fit) const {
    double low = 0.1 * fit.slowest / (2.0 * std::numbers::pi);
    double high = fit.fastest / (2.0 * std::numbers::pi);
    if (!request_.range.empty()) {
      const std::size_t colon = request_.range.find(':');
      const auto lowText = base::parseQuantity(request_.range.substr(0, colon));
      const auto highText = colon == std::string::npos
                                ? lowText
                                : base::parseQuantity(request_.range.substr(colon + 1));
      if (!lowText || !highText || !(highText.value().value > lowText.value().value) ||
          !(lowText.value().value > 0.0)) {
        reject("--range '" + request_.range + "' is not LOW:HIGH", "in Hz, as in '--range 1:1000'");
      }
      low = lowText.value().value;
      high = highText.value().value;
    }
    return analysis::makeFrequencies(low, high, kFrequencies, !request_.range.empty());
  }

  reports::LpvReport compare(study::LpvFit& fit, const std::vector<LocalModel>& points,
                             const std::vector<LocalModel>& between) {
    const std::vector<double> frequencies = findFrequencies(fit);
    reports::LpvReport report{fit.model, frequencies.front(), frequencies.back(), {}, {}};
    const auto add = [&](const LocalModel& local, std::vector<study::LpvError>& to) {
      const base::Result<study::LpvError> error =
          study::calcLpvError(local, fit.model, frequencies);
      if (!error) throw api::Failed(base::withContext(context(local.parameter), error.failure()));
      to.push_back(error.value());
    };
    for (const LocalModel& local : points) add(local, report.points);
    for (const LocalModel& local : between) add(local, report.between);
    report.model.error = reports::largestOf(report.between);
    return report;
  }

  // Values between the points whose error is too large become points.
  void refine(const reports::LpvReport& report, std::vector<LocalModel>& points,
              std::vector<LocalModel>& between) {
    std::vector<LocalModel> nextPoints{points.front()}, nextBetween;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (report.between[i].mean.maxCoeff() > *accuracy_) {
        nextBetween.push_back(evaluateAt(0.5 * (points[i].parameter + between[i].parameter)));
        nextPoints.push_back(std::move(between[i]));
        nextBetween.push_back(
            evaluateAt(0.5 * (nextPoints.back().parameter + points[i + 1].parameter)));
      } else {
        nextBetween.push_back(std::move(between[i]));
      }
      nextPoints.push_back(std::move(points[i + 1]));
    }
    points = std::move(nextPoints);
    between = std::move(nextBetween);
    if (std::ssize(points) > kMostPoints) {
      throw api::Failed(base::Failure{
          "--accuracy " + request_.accuracy + " cannot be reached with " +
              std::to_string(kMostPoints) + " points",
          "give a higher --order, a smaller range of the parameter, or a smaller --range"});
    }
  }

  void warn(const study::LpvFit& fit, const reports::LpvReport& report) const {
    console_.warn(fit.notes);
    for (const auto* errors : {&report.points, &report.between}) {
      for (const study::LpvError& error : *errors) {
        if (error.isStable == error.machineIsStable) continue;
        console_.warn(context(error.parameter) + "the interpolated model is " +
                          (error.isStable ? "stable, but the machine is not"
                                          : "unstable, but the machine is not"),
                      "use more points, or '--accuracy 2%'");
        return;
      }
    }
    for (const study::LpvError& error : report.points) {
      if (error.machineIsStable) continue;
      console_.warn(context(error.parameter) + "the machine is unstable",
                    "its growing motions are part of the model");
      return;
    }
  }

  LpvRequest request_;
  const Console& console_;
  study::SweepAxis axis_;
  std::optional<double> accuracy_;
  bool isCubic_ = true;
  std::set<std::string> printed_;
};

double readValue(const std::string& text, const control::LpvModel& model) {
  const base::Result<base::Quantity> number = base::parseQuantity(text);
  if (!number) reject("--at '" + text + "' is not a number", number.failure().hint);
  const double value = number.value().value;
  if (!(value >= model.points.front() && value <= model.points.back())) {
    reject("--at " + text + ": the model covers " + model.parameter + " from " +
               base::numberText(model.points.front()) + " to " +
               base::numberText(model.points.back()),
           "make it for a wider range");
  }
  return value;
}

// A model that is made already has no choice left.
void rejectMaking(const LpvRequest& request) {
  const std::pair<const char*, bool> options[] = {
      {"-p", !request.model.overrides.parameters.empty()},
      {"--set", !request.model.overrides.values.empty()},
      {"--from", !request.from.empty()},
      {"--to", !request.to.empty()},
      {"--order", request.order.has_value()},
      {"-o", !request.file.empty()},
      {"--interpolation", !request.interpolation.empty()},
      {"--accuracy", !request.accuracy.empty()},
      {"--range", !request.range.empty()},
      {"--check", request.check},
      {"--about", !request.about.empty()}};
  for (const auto& [option, isGiven] : options) {
    if (!isGiven) continue;
    reject(std::string(option) + " does not apply to a file.lpv, which is made already",
           "give the model of the machine to make another one, or '--at VALUE' for the matrices");
  }
}

analysis::StateSpace nameStates(const control::LpvModel& model, double value) {
  analysis::StateSpace system{control::evaluate(model, value), {}, model.inputs, model.outputs};
  for (int i = 0; i < system.countStates(); ++i) {
    system.states.push_back("x" + std::to_string(i + 1));
  }
  return system;
}

// What is in a file, or the model at one value.
void show(const LpvRequest& request, const Console& console) {
  rejectMaking(request);
  const base::Result<control::LpvModel> read = control::readLpv(request.model.file);
  if (!read) throw api::Failed(read.failure());
  const control::LpvModel& model = read.value();
  if (!request.matFile.empty()) reports::writeLpvMat(request.matFile, model);
  const Targets& targets = request.targets;
  if (request.value.empty()) {
    if (!targets.jsonFile.empty()) reject("--json needs a value", "add '--at VALUE'");
    if (!targets.csvFile.empty()) reject("--csv needs a value", "add '--at VALUE'");
    return console.print(reports::describeLpv(model));
  }
  const double value = readValue(request.value, model);
  if (!targets.csvFile.empty()) {
    reports::writeStateSpaceCsv(targets.csvFile, nameStates(model, value));
  }
  if (!targets.jsonFile.empty()) {
    files::writeTextFile(targets.jsonFile, reports::makeLpvAtJson(model, value));
  } else if (targets.csvFile.empty()) {
    *console.text << reports::makeLpvAtJson(model, value);
  }
}

void make(const LpvRequest& request, const Console& console) {
  if (!request.value.empty())
    reject("--at applies to a file.lpv only", "'--about STATE' chooses the operating point");
  LpvCommand command(request, console);
  const reports::LpvReport report = command.make();
  api::throwIfAny(control::writeLpv(request.file, report.model));
  console.print(reports::describeLpv(report.model));
  console.print(reports::describeLpvErrors(report, request.check));
  const Targets& targets = request.targets;
  if (!targets.jsonFile.empty()) reports::writeLpvJson(targets.jsonFile, report);
  if (!targets.csvFile.empty()) reports::writeLpvCsv(targets.csvFile, report);
  if (!request.matFile.empty()) reports::writeLpvMat(request.matFile, report.model);
}

}  // namespace

void declareLpv(Call& call) {
  const auto request = std::make_shared<LpvRequest>();
  call.addModelOptions();
  call.add(portOptions(*request));
  call.add({{"--order", "N", "number of states", &request->order},
            {"-o", "FILE.lpv", "keeps the model, for 'type: lpv'", &request->file},
            {"--interpolation", "KIND", "between the points: spline (default) or linear",
             &request->interpolation},
            {"--accuracy", "SHARE", "adds points until responses are as accurate, as in 2%",
             &request->accuracy},
            {"--range", "LOW:HIGH", "frequencies [Hz] of these responses (default: of the motions)",
             &request->range},
            {"--check", "", "lists the errors at values between the points", &request->check},
            {"--about", "STATE",
             "operating point: initial, equilibrium or steady (default: as in the model)",
             &request->about},
            {"--at", "VALUE", "of a FILE.lpv: its matrices at this value of the parameter",
             &request->value},
            {"--mat", "FILE", "MAT-file with the matrices at all points", &request->matFile}});
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->targets = call.targets;
    if (request->model.file.ends_with(".lpv")) return show(*request, console);
    make(*request, console);
  };
}

}  // namespace flexloop::commands
