// Parameter-dependent models: made from a machine at several values of its parameters, evaluated, and described.
#include <memory>
#include <ostream>
#include <sstream>

#include "base/text_format.hpp"
#include "base/units.hpp"
#include "commands/controller_files.hpp"
#include "commands/linear_points.hpp"
#include "commands/lpv_maker.hpp"
#include "control/lpv/lpv_file.hpp"
#include "files/output_file.hpp"
#include "reports/response_text.hpp"
#include "reports/schedule_text.hpp"
#include "reports/state_space_text.hpp"
#include "study/lpv/controller_schedule.hpp"
#include "study/lpv/lpv_grid.hpp"

namespace flexloop::commands {
namespace {

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
      {"--form", !request.form.empty()},
      {"--function", !request.function.empty()},
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
    if (!targets.jsonFile.empty()) {
      files::writeTextFile(targets.jsonFile, reports::makeLpvFileJson(model));
    }
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
                                                  {"--form", !request.form.empty()},
                                                  {"--function", !request.function.empty()},
                                                  {"--at", !request.value.empty()}};
  for (const auto& [option, isGiven] : options) {
    if (!isGiven) continue;
    reject(std::string(option) + " does not apply to controllers from files", "leave it out");
  }
  const study::LpvGrid grid(takeAxes(request.model, "lpv", control::LpvModel::kMostParameters));
  std::vector<std::string> files{request.model.file};
  files.insert(files.end(), request.controllers.begin(), request.controllers.end());
  if (std::ssize(files) != grid.size()) {
    const bool isLine = grid.axes().size() == 1;
    reject("lpv: " + std::to_string(grid.size()) +
               (isLine ? " values of '" + grid.axes()[0].name + "', but "
                       : std::string(" combinations of the values of the parameters, but ")) +
               std::to_string(files.size()) + " controllers",
           isLine ? "give a file for each value, in the order of the range"
                  : "give a file for each combination, the last parameter changing fastest");
  }
  if (request.file.empty()) reject("no file is given", "add '-o FILE.lpv'");
  std::vector<linalg::StateMatrices> systems;
  study::ScheduleNames names;
  double sample = 0.0;
  for (const std::string& file : files) {
    const GivenController given = readController(file);
    if (systems.empty()) {
      names.inputs = given.inputs;
      names.outputs = given.outputs;
      sample = given.sample;
    } else if (given.sample != sample) {
      reject("'" + file + "' has another sample time than '" + files[0] + "'",
             "all of them act at the same instants, or all of them in time");
    } else if (given.inputs != names.inputs || given.outputs != names.outputs) {
      reject("'" + file + "' has other inputs or outputs than '" + files[0] + "'",
             "all of them read and give the same signals");
    }
    systems.push_back(given.system);
  }
  const auto made =
      study::scheduleControllers(grid, systems, names, readsCubic(request.interpolation), sample);
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

// Up to what rounding leaves of the same numbers.
bool isConstant(const control::LpvModel& model) {
  constexpr double kRounding = 1e-9;
  const control::LpvRows& values = model.sets[0];
  const double change = (values.rowwise() - values.row(0)).cwiseAbs().maxCoeff();
  return model.axes.size() == 1 && change <= kRounding * values.cwiseAbs().maxCoeff();
}

// Of a name that would hide what the file is.
void checkEnding(const std::string& file) {
  if (file.empty() || file.ends_with(".lpv")) return;
  reject("-o '" + file + "' is not the name of a parameter-dependent model",
         "its name must end in '.lpv'");
}

void make(const LpvRequest& request, const Console& console) {
  if (!request.value.empty())
    reject("--at applies to a file.lpv only", "'--about STATE' chooses the operating point");
  const MadeLpv made = makeLpvModel(request, console);
  const reports::LpvReport& report = made.report;
  if (isConstant(report.model)) {
    console.warn("the model is the same at all values of '" + report.model.axes[0].name + "'",
                 "is it used in the model? 'flexloop check' lists parameters that nothing uses");
  }
  api::throwIfAny(control::writeLpv(request.file, report.model));
  console.print(reports::describeLpv(report.model));
  console.print(reports::describeAffine(made.affine));
  console.print(reports::describeLpvErrors(report, request.check));
  const Targets& targets = request.targets;
  if (!targets.jsonFile.empty()) reports::writeLpvJson(targets.jsonFile, report, made.affine);
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
  call.add(
      {{"--order", "N", "number of states", &request->order},
       {"-o", "FILE.lpv", "keeps the model, for 'type: lpv'", &request->file, {.isWritten = true}},
       {"--interpolation", "KIND", "between the points: spline (default) or linear",
        &request->interpolation},
       {"--form", "FORM", "aligned (default) or affine: poles, zeros and gains", &request->form},
       {"--function", "F", "--form affine: f of the parameter, as in '1/length'",
        &request->function},
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
       {"--mat",
        "FILE",
        "MAT-file with the matrices at all points",
        &request->matFile,
        {.isWritten = true}}});
  call.addFigureOption("--svg",
                       "responses of machine and model between the points; - for standard output");
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->targets = call.targets;
    checkEnding(request->file);
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
