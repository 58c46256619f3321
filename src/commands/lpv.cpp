// Parameter-dependent models: made from a machine at several values of its parameters, evaluated, and described.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <ostream>
#include <sstream>

#include "base/text_format.hpp"
#include "base/units.hpp"
#include "commands/controller_files.hpp"
#include "commands/linear_points.hpp"
#include "control/lpv/lpv_file.hpp"
#include "files/output_file.hpp"
#include "reports/lpv_text.hpp"
#include "reports/response_text.hpp"
#include "reports/schedule_text.hpp"
#include "reports/state_space_text.hpp"
#include "study/lpv/controller_schedule.hpp"
#include "study/lpv/lpv_fit.hpp"

namespace flexloop::commands {
namespace {

using study::LocalModel;

constexpr int kFrequencies = 300;

struct LpvRequest : LinearRequest {
  std::optional<int> order;
  std::string file;           // -o
  std::string interpolation;  // empty: spline
  std::string accuracy;       // such as 2%
  std::string range;          // LOW:HIGH [Hz]
  std::string value;          // --at
  std::string matFile;
  std::vector<std::string> controllers;  // files after the first
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

bool readsCubic(const std::string& interpolation) {
  return interpolation.empty() ||
         choose("--interpolation", interpolation, {"spline", "linear"}) == 0;
}

// Makes the model, with more points where the accuracy asks for them.
class LpvCommand {
 public:
  LpvCommand(LpvRequest request, const Console& console)
      : request_(std::move(request)),
        console_(console),
        grid_(takeAxes(request_.model, "lpv", control::LpvModel::kMostParameters)),
        machines_(request_, grid_.axes(), console) {
    if (request_.from.empty()) reject("no input is given", "add '--from SIGNAL'");
    if (request_.to.empty()) reject("no output is given", "add '--to SIGNAL'");
    if (!request_.order) reject("no order is given", "add '--order N', the number of states");
    if (*request_.order < 1) reject("--order must be at least 1", "it is the number of states");
    if (request_.file.empty()) reject("no file is given", "add '-o FILE.lpv'");
    if (!request_.accuracy.empty()) accuracy_ = readShare(request_.accuracy);
    if (accuracy_ && grid_.axes().size() > 1) {
      reject("--accuracy adds points to the range of one parameter only",
             "leave it out, and give more points to the parameter that needs them");
    }
    isCubic_ = readsCubic(request_.interpolation);
  }

  reports::LpvReport make() {
    std::vector<LocalModel> points, between;
    for (int i = 0; i < grid_.size(); ++i) points.push_back(evaluateAt(grid_.point(i)));
    for (int i = 0; i < grid_.countCells(); ++i) between.push_back(evaluateAt(grid_.centre(i)));
    while (true) {
      study::LpvFit fit = fitPoints(points);
      reports::LpvReport report = compare(fit, points, between);
      if (!accuracy_ || reports::largestOf(report.between) <= *accuracy_) {
        warn(fit, report);
        warnOfInstability(report);
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
  LocalModel evaluateAt(const std::vector<double>& values) {
    std::optional<LocalModel> made;
    machines_.at(values, {request_.from, request_.to, {}}, [&](const LinearCommand& command) {
      const api::LinearMachine& machine = command.machine();
      base::Result<LocalModel> local =
          study::makeLocalModel(machine.model(), machine.linear(), machine.ports(), values,
                                *request_.order);
      if (!local) throw api::Failed(base::withContext(context(values), local.failure()));
      made = local.value();
    });
    return std::move(*made);
  }

  std::string context(const std::vector<double>& values) const { return machines_.context(values); }

  study::LpvFit fitPoints(const std::vector<LocalModel>& points) {
    const base::Result<study::LpvFit> fit =
        study::fitLpv(points, grid_, {*request_.order, isCubic_});
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
      if (!error) throw api::Failed(base::withContext(context(local.at), error.failure()));
      to.push_back(error.value());
    };
    for (const LocalModel& local : points) add(local, report.points);
    for (const LocalModel& local : between) add(local, report.between);
    report.model.error = reports::largestOf(report.between);
    return report;
  }

  // Values between the points whose error is too large become points. Of one parameter.
  void refine(const reports::LpvReport& report, std::vector<LocalModel>& points,
              std::vector<LocalModel>& between) {
    const auto halfWay = [&](const LocalModel& a, const LocalModel& b) {
      return evaluateAt({0.5 * (a.at[0] + b.at[0])});
    };
    std::vector<LocalModel> nextPoints{points.front()}, nextBetween;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (report.between[i].mean.maxCoeff() > *accuracy_) {
        nextBetween.push_back(halfWay(points[i], between[i]));
        nextPoints.push_back(std::move(between[i]));
        nextBetween.push_back(halfWay(nextPoints.back(), points[i + 1]));
      } else {
        nextBetween.push_back(std::move(between[i]));
      }
      nextPoints.push_back(std::move(points[i + 1]));
    }
    points = std::move(nextPoints);
    between = std::move(nextBetween);
    study::SweepAxis axis{grid_.axes()[0].name, {}};
    for (const LocalModel& local : points) axis.values.push_back(local.at[0]);
    grid_ = study::LpvGrid({axis});
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
        console_.warn(context(error.at) + "the interpolated model is " +
                          (error.isStable ? "stable, but the machine is not"
                                          : "unstable, but the machine is not"),
                      "use more points, or '--accuracy 2%'");
        return;
      }
    }
    for (const study::LpvError& error : report.points) {
      if (error.machineIsStable) continue;
      console_.warn(context(error.at) + "the machine is unstable",
                    "its growing motions are part of the model");
      return;
    }
  }

  // The model on a finer grid than that of the machine, in cells at whose corners and centre all is stable.
  void warnOfInstability(const reports::LpvReport& report) const {
    const auto& axes = grid_.axes();
    const int parts = axes.size() == 1 ? 16 : 6;
    int inside = 1;
    for (std::size_t d = 0; d < axes.size(); ++d) inside *= parts + 1;
    for (int cell = 0; cell < grid_.countCells(); ++cell) {
      const std::vector<int> corners = grid_.corners(cell);
      const bool isStable =
          report.between[cell].isStable &&
          std::all_of(corners.begin(), corners.end(), [&](int corner) {
            return report.points[corner].machineIsStable && report.points[corner].isStable;
          });
      for (int i = 0; isStable && i < inside; ++i) {
        std::vector<double> shares;
        for (int rest = i; shares.size() < axes.size(); rest /= parts + 1) {
          shares.push_back(static_cast<double>(rest % (parts + 1)) / parts);
        }
        const std::vector<double> at = grid_.inside(cell, shares);
        if (study::isStable(control::evaluate(report.model, at))) continue;
        console_.warn(context(at) +
                          "the interpolated model is unstable, but the machine is "
                          "stable at the points beside it",
                      "use more points there, or '--interpolation linear'");
        return;
      }
    }
  }

  LpvRequest request_;
  const Console& console_;
  study::LpvGrid grid_;
  std::optional<double> accuracy_;
  bool isCubic_ = true;
  LinearPoints machines_;
};

// One number for each parameter, with commas between them.
std::vector<double> readValues(const std::string& text, const control::LpvModel& model) {
  std::vector<double> values;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, ',');) {
    const base::Result<base::Quantity> number = base::parseQuantity(field);
    if (!number) reject("--at '" + field + "' is not a number", number.failure().hint);
    values.push_back(number.value().value);
  }
  if (std::ssize(values) != model.countParameters()) {
    std::string names;
    for (const control::LpvAxis& axis : model.axes) {
      names += (names.empty() ? "" : ",") + axis.name;
    }
    reject("--at " + text + ": " + std::to_string(values.size()) + " values, but the model has " +
               std::to_string(model.countParameters()) + " parameters",
           "give a value for each: " + names);
  }
  for (std::size_t d = 0; d < values.size(); ++d) {
    const control::LpvAxis& axis = model.axes[d];
    if (values[d] >= axis.points.front() && values[d] <= axis.points.back()) continue;
    reject("--at " + text + ": the model covers " + axis.name + " from " +
               base::numberText(axis.points.front()) + " to " +
               base::numberText(axis.points.back()),
           "make it for a wider range");
  }
  return values;
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
      {"--svg", !request.targets.figureFile.empty()},
      {"--about", !request.about.empty()}};
  for (const auto& [option, isGiven] : options) {
    if (!isGiven) continue;
    reject(std::string(option) + " does not apply to a file.lpv, which is made already",
           "give the model of the machine to make another one, or '--at VALUE' for the matrices");
  }
}

analysis::StateSpace nameStates(const control::LpvModel& model, const std::vector<double>& values) {
  analysis::StateSpace system{control::evaluate(model, values), {}, model.inputs, model.outputs};
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
  const std::vector<double> values = readValues(request.value, model);
  if (!targets.csvFile.empty()) {
    reports::writeStateSpaceCsv(targets.csvFile, nameStates(model, values));
  }
  if (!targets.jsonFile.empty()) {
    files::writeTextFile(targets.jsonFile, reports::makeLpvAtJson(model, values));
  } else if (targets.csvFile.empty()) {
    *console.text << reports::makeLpvAtJson(model, values);
  }
}

// Controllers that were given in files, as one model.
void schedule(LpvRequest request, const Console& console) {
  const std::pair<const char*, bool> options[] = {{"--from", !request.from.empty()},
                                                  {"--to", !request.to.empty()},
                                                  {"--order", request.order.has_value()},
                                                  {"--accuracy", !request.accuracy.empty()},
                                                  {"--range", !request.range.empty()},
                                                  {"--check", request.check},
                                                  {"--svg", !request.targets.figureFile.empty()},
                                                  {"--csv", !request.targets.csvFile.empty()},
                                                  {"--about", !request.about.empty()},
                                                  {"--at", !request.value.empty()}};
  for (const auto& [option, isGiven] : options) {
    if (!isGiven) continue;
    reject(std::string(option) + " does not apply to controllers from files", "leave it out");
  }
  const study::SweepAxis axis = takeAxes(request.model, "lpv", 1).front();
  std::vector<std::string> files{request.model.file};
  files.insert(files.end(), request.controllers.begin(), request.controllers.end());
  if (files.size() != axis.values.size()) {
    reject("lpv: " + std::to_string(axis.values.size()) + " values of '" + axis.name + "', but " +
               std::to_string(files.size()) + " controllers",
           "give a file for each value, in the order of the range");
  }
  if (request.file.empty()) reject("no file is given", "add '-o FILE.lpv'");
  std::vector<linalg::StateMatrices> systems;
  study::ScheduleNames names{axis.name, {}, {}};
  for (const std::string& file : files) {
    const GivenController given = readController(file);
    if (systems.empty()) {
      names.inputs = given.inputs;
      names.outputs = given.outputs;
    } else if (given.inputs != names.inputs || given.outputs != names.outputs) {
      reject("'" + file + "' has other inputs or outputs than '" + files[0] + "'",
             "all of them read and give the same signals");
    }
    systems.push_back(given.system);
  }
  const auto made =
      study::scheduleControllers(axis.values, systems, names, readsCubic(request.interpolation));
  if (!made) throw api::Failed(made.failure());
  reports::ScheduleReport report{made.value().model, {}, {}};
  report.model.error = -1.0;
  console.warn(made.value().notes);
  api::throwIfAny(control::writeLpv(request.file, report.model));
  console.print(reports::describeSchedule(report));
  if (!request.targets.jsonFile.empty()) {
    files::writeTextFile(request.targets.jsonFile, reports::makeScheduleJson(report));
  }
  if (!request.matFile.empty()) reports::writeLpvMat(request.matFile, report.model);
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
  if (!targets.figureFile.empty()) reports::writeLpvSvg(targets.figureFile, report);
  if (!request.matFile.empty()) reports::writeLpvMat(request.matFile, report.model);
}

}  // namespace

void declareLpv(Call& call) {
  const auto request = std::make_shared<LpvRequest>();
  call.addModelOptions();
  call.add({{"CONTROLLER", "",
             "with controllers as JSON instead of a model: those of the other values, in order",
             &request->controllers}});
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
  call.addFigureOption("--svg",
                       "responses of machine and model between the points; - for standard output");
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->targets = call.targets;
    if (request->model.file.ends_with(".json")) return schedule(*request, console);
    if (!request->controllers.empty()) {
      reject("'" + request->controllers[0] + "': only one model can be given",
             "several files are controllers as JSON, whose names end with .json");
    }
    if (request->model.file.ends_with(".lpv")) return show(*request, console);
    make(*request, console);
  };
}

}  // namespace flexloop::commands
