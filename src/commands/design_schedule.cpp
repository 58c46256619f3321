#include "commands/design_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text_format.hpp"
#include "commands/designer.hpp"
#include "commands/linear_points.hpp"
#include "control/lpv/lpv_file.hpp"
#include "files/output_file.hpp"
#include "reports/schedule_text.hpp"
#include "study/lpv/controller_schedule.hpp"

namespace flexloop::commands {
namespace {

using linalg::StateMatrices;
using Complex = std::complex<double>;

// Values between two points at which the loop is checked.
constexpr int kBetween = 3;

void checkOptions(const DesignRequest& request, DesignMethod method) {
  if (method == DesignMethod::kPid || method == DesignMethod::kLqr ||
      method == DesignMethod::kShaper) {
    reject("--method " + request.method + " is not for a range of a parameter",
           "design it at each value, and take the gains from a block of type 'lookup'");
  }
  if (request.sample) {
    reject("--sample cannot be combined with a range of a parameter",
           "a block of type 'lpv' is continuous; leave out --sample");
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
        axis_(takeAxes(request_.model, "design", 1).front()),
        ports_(readDesignPorts(request_, method)),
        isCubic_(choose("--interpolation", request_.interpolation, {"spline", "linear"}) == 0),
        machines_(request_, {axis_}, console) {}

  void run() {
    const std::vector<double>& values = axis_.values;
    std::vector<DesignPlant> plants;
    std::vector<StateMatrices> controllers;
    for (const double value : values) {
      plants.push_back(makePlant(value));
      controllers.push_back(design(value, plants.back()));
    }
    study::ControllerSchedule schedule = need(study::scheduleControllers(
        values, controllers, {axis_.name, request_.to, nameOutputs()}, isCubic_));
    console_.warn(schedule.notes);
    reports::ScheduleReport report{std::move(schedule.model), {}, makeBlock()};
    for (std::size_t i = 0; i < values.size(); ++i) {
      report.loops.push_back(checkLoop(report.model, values[i], plants[i], true));
      if (i + 1 == values.size()) break;
      for (int k = 1; k <= kBetween; ++k) {
        const double value = values[i] + k * (values[i + 1] - values[i]) / (kBetween + 1);
        const DesignPlant plant = makePlant(value);
        report.loops.push_back(checkLoop(report.model, value, plant, false));
        if (2 * k != kBetween + 1) continue;
        report.model.error =
            std::max(report.model.error,
                     study::calcScheduleError(report.model, value, design(value, plant)));
      }
    }
    write(report);
  }

 private:
  DesignPlant makePlant(double value) {
    DesignPlant plant;
    machines_.at({value}, ports_, [&](const LinearCommand& command) {
      checkBlockName(request_.name, command.machine().model());
      plant = readPlant(request_, command);
    });
    return plant;
  }

  StateMatrices design(double value, const DesignPlant& plant) {
    reports::DesignReport report;
    try {
      return makeController(request_, method_, plant, report);
    } catch (const api::Failed& failed) {
      throw api::Failed(base::withContext(machines_.context({value}), failed.failure()));
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
    return "blocks:\n  " + request_.name + ": {type: lpv, file: " + request_.file + ", inputs: [" +
           inputs + "], parameter: " + axis_.name + "}\n";
  }

  static reports::SchedulePoint checkLoop(const control::LpvModel& model, double value,
                                          const DesignPlant& plant, bool isPoint) {
    const analysis::ControlLoop loop =
        need(analysis::makeLoop(plant.full, control::evaluate(model, value), std::nullopt));
    const std::vector<Complex> roots = analysis::findRoots(loop);
    reports::SchedulePoint point{value, isPoint, analysis::isStable(roots), 1.0};
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
          machines_.context({point.parameter}) + "the closed loop of the whole machine is unstable",
          point.isPoint ? "the design did not know of a motion, or asks for too much"
                        : "use more points");
      return;
    }
  }

  DesignRequest request_;
  DesignMethod method_;
  const Console& console_;
  study::SweepAxis axis_;
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
