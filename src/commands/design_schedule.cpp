#include "commands/design_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text_format.hpp"
#include "commands/designer.hpp"
#include "commands/linear_points.hpp"
#include "control/lpv/lpv_file.hpp"
#include "files/output_file.hpp"
#include "linalg/state_space/discretization.hpp"
#include "reports/schedule_text.hpp"
#include "study/lpv/controller_schedule.hpp"

namespace flexloop::commands {
namespace {

using linalg::StateMatrices;
using Complex = std::complex<double>;

// Values between two points, or on the diagonal between four or eight, at which the loop is checked.
constexpr int kBetween = 3;

void checkOptions(const DesignRequest& request, DesignMethod method) {
  if (method == DesignMethod::kPid || method == DesignMethod::kLqr ||
      method == DesignMethod::kShaper) {
    reject("--method " + request.method + " is not for a range of a parameter",
           "design it at each value, and take the gains from a block of type 'lookup'");
  }
  if (!request.targets.figureFile.empty()) {
    reject("--svg cannot be combined with a range of a parameter",
           "it draws the answers to steps of one design");
  }
  if (!request.file.ends_with(".lpv")) {
    reject("a controller that depends on a parameter needs a file.lpv", "add '-o FILE.lpv'");
  }
}

class ScheduleCommand {
 public:
  ScheduleCommand(DesignRequest request, DesignMethod method, const Console& console)
      : request_(std::move(request)),
        method_(method),
        console_(console),
        grid_(takeAxes(request_.model, "design", control::LpvModel::kMostParameters)),
        ports_(readDesignPorts(request_, method)),
        isCubic_(choose("--interpolation", request_.interpolation, {"spline", "linear"}) == 0),
        machines_(request_, grid_.axes(), console) {}

  void run() {
    std::vector<DesignPlant> plants;
    std::vector<StateMatrices> controllers;
    for (int i = 0; i < grid_.size(); ++i) {
      plants.push_back(makePlant(grid_.point(i)));
      controllers.push_back(design(grid_.point(i), plants.back()));
    }
    study::ControllerSchedule schedule = need(study::scheduleControllers(
        grid_, controllers, {request_.to, nameOutputs()}, isCubic_, request_.sample.value_or(0.0)));
    console_.warn(schedule.notes);
    reports::ScheduleReport report{std::move(schedule.model), {}, makeBlock()};
    for (int i = 0; i < grid_.size(); ++i) {
      report.loops.push_back(checkLoop(report.model, grid_.point(i), plants[i], true));
    }
    for (int cell = 0; cell < grid_.countCells(); ++cell) checkCell(cell, report);
    std::stable_sort(report.loops.begin(), report.loops.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    write(report);
  }

 private:
  // Along its diagonal; in the middle a controller is designed, too, to compare with.
  void checkCell(int cell, reports::ScheduleReport& report) {
    for (int k = 1; k <= kBetween; ++k) {
      const double share = static_cast<double>(k) / (kBetween + 1);
      const std::vector<double> values =
          grid_.inside(cell, std::vector<double>(grid_.axes().size(), share));
      const DesignPlant plant = makePlant(values);
      report.loops.push_back(checkLoop(report.model, values, plant, false));
      if (2 * k != kBetween + 1) continue;
      report.model.error =
          std::max(report.model.error,
                   study::calcScheduleError(report.model, values, design(values, plant)));
    }
  }

  DesignPlant makePlant(const std::vector<double>& values) {
    DesignPlant plant;
    machines_.at(values, ports_, [&](const LinearCommand& command) {
      checkBlockName(request_.name, command.machine().model());
      plant = readPlant(request_, command);
    });
    return plant;
  }

  StateMatrices design(const std::vector<double>& values, const DesignPlant& plant) {
    reports::DesignReport report;
    try {
      const StateMatrices K = makeController(request_, method_, plant, report);
      if (!request_.sample) return K;
      return need(linalg::discretize(K, *request_.sample, readRule(request_)));
    } catch (const api::Failed& failed) {
      throw api::Failed(base::withContext(machines_.context(values), failed.failure()));
    }
  }

  std::vector<std::string> nameOutputs() const {
    std::vector<std::string> names;
    for (const std::string& input : request_.from) names.push_back("to_" + input);
    return names;
  }

  std::string makeBlock() const {
    std::string inputs;
    for (const std::string& name : request_.to) inputs += (inputs.empty() ? "" : ", ") + name;
    std::string parameters;
    for (const study::SweepAxis& axis : grid_.axes()) {
      parameters += (parameters.empty() ? "" : ", ") + axis.name + ": =" + axis.name;
    }
    return "blocks:\n  " + request_.name + ": {type: lpv, file: " + request_.file + ", inputs: [" +
           inputs + "], " +
           (grid_.axes().size() == 1 ? "parameter: =" + grid_.axes()[0].name
                                     : "parameters: {" + parameters + "}") +
           "}\n";
  }

  static reports::SchedulePoint checkLoop(const control::LpvModel& model,
                                          const std::vector<double>& values,
                                          const DesignPlant& plant, bool isPoint) {
    const analysis::ControlLoop loop =
        need(analysis::makeLoop(plant.full, control::evaluate(model, values),
                                model.sample > 0.0 ? std::optional(model.sample) : std::nullopt));
    const std::vector<Complex> roots = analysis::findRoots(loop);
    if (isPoint) requireReachable(plant, roots);
    reports::SchedulePoint point{values, isPoint, analysis::isStable(roots), 1.0};
    for (const Complex& root : roots) {
      const double damping = -root.real() / std::abs(root);
      if (root.imag() == 0.0 || !(damping < point.damping)) continue;
      point.damping = damping;
      point.hz = root.imag() / (2.0 * std::numbers::pi);
    }
    if (!point.isStable) return point;
    point.disk = std::numeric_limits<double>::infinity();
    for (const analysis::LoopMargins& margins : analysis::findMargins(loop)) {
      point.disk = std::min(point.disk, margins.disk.alpha);
    }
    return point;
  }

  void write(const reports::ScheduleReport& report) const {
    api::throwIfAny(control::writeLpv(request_.file, report.model));
    console_.print(reports::describeSchedule(report));
    if (!request_.targets.jsonFile.empty()) {
      files::writeTextFile(request_.targets.jsonFile, reports::makeScheduleJson(report));
    }
    for (const reports::SchedulePoint& point : report.loops) {
      if (point.isStable) continue;
      console_.warn(
          machines_.context(point.at) + "the closed loop of the whole machine is unstable",
          point.isPoint ? "the design did not know of a motion, or asks for too much"
                        : "use more points");
      return;
    }
  }

  DesignRequest request_;
  DesignMethod method_;
  const Console& console_;
  study::LpvGrid grid_;
  analysis::PortNames ports_;
  bool isCubic_;
  LinearPoints machines_;
};

}  // namespace

void designSchedule(DesignRequest request, DesignMethod method, const Console& console) {
  checkOptions(request, method);
  ScheduleCommand(std::move(request), method, console).run();
}

}  // namespace flexloop::commands
