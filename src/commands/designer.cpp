#include "commands/designer.hpp"

#include <numbers>

#include "base/text_format.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/balanced_truncation.hpp"

namespace flexloop::commands {
namespace {

using linalg::StateMatrices;

constexpr double kTurn = 2.0 * std::numbers::pi;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

analysis::DynamicController designDynamic(const DesignRequest& request, DesignMethod method,
                                          const DesignPlant& plant) {
  if (method == DesignMethod::kHInfinity && !request.fourBlock) {
    if (request.W1.empty()) {
      reject("hinf: no weight is given",
             "add '--W1 NUM/DEN' on the error, and --W2, --W3; or '--four-block' with --Q, --R, "
             "--W, --V");
    }
    analysis::SensitivityWeights weights{
        readFunction("--W1", request.W1, plant.parameters),
        readFunction("--W2", request.W2.empty() ? "1" : request.W2, plant.parameters),
        std::nullopt};
    if (!request.W3.empty()) {
      weights.W3 = readFunction("--W3", request.W3, plant.parameters);
    }
    return need(analysis::designMixedSensitivity(plant.design, weights, request.factor));
  }
  const Eigen::Index rows = plant.design.C.rows(), p = plant.measured;
  analysis::RegulatorProblem problem{
      plant.design, p,
      readWeights(request, plant.parameters, plant.design.B.cols(), p, rows > p ? rows - p : p)};
  if (!request.W2.empty()) {
    problem.inputWeight = readFunction("--W2", request.W2, plant.parameters);
  }
  return method == DesignMethod::kHInfinity
             ? need(analysis::designFourBlock(problem, request.factor))
             : need(analysis::designLqg(problem));
}

StateMatrices makePositionFeedback(const DesignRequest& request, const DesignPlant& plant,
                                   reports::DesignReport& report) {
  requireSingle(request, plant);
  if (!request.modeHz) reject("ppf: no motion is given", "add '--mode HZ'");
  report.filter =
      need(analysis::designPositionFeedback(plant.design, kTurn * *request.modeHz, request.gain));
  const double w = report.filter->rate;
  return {Eigen::MatrixXd{{0.0, 1.0}, {-w * w, -2.0 * report.filter->damping * w}},
          Eigen::MatrixXd{{0.0}, {w * w}}, Eigen::MatrixXd{{report.filter->gain, 0.0}},
          Eigen::MatrixXd::Zero(1, 1)};
}

// To --order states, with what that costs.
void reduce(const DesignRequest& request,
            const std::function<base::Result<double>(const StateMatrices&)>& rate, StateMatrices& K,
            reports::DesignReport& report) {
  if (!request.order || *request.order >= K.countStates()) return;
  const auto reduced = need(linalg::truncateBalanced(K, *request.order));
  reports::ReductionReport cost{K.countStates(), reduced.system.countStates(), reduced.bound,
                                std::nullopt};
  if (rate) {
    const base::Result<double> value = rate(reduced.system);
    if (value) cost.value = value.value();
  }
  report.reduction = cost;
  K = reduced.system;
}

}  // namespace

analysis::PortNames readDesignPorts(DesignRequest& request, DesignMethod method) {
  if (request.from.empty()) reject("no control input is given", "add '--from SIGNAL'");
  if (method == DesignMethod::kNotch) {
    if (!request.modeHz) reject("notch: no motion is given", "add '--mode HZ'");
    if (request.to.empty()) request.to = request.from;
    if (request.from.size() != 1 || request.to != request.from) {
      reject("notch: give the one signal that is filtered to --from, and nothing to --to",
             "as in '--method notch --from pid --mode 47'");
    }
    return {request.from, request.to, request.from[0]};
  }
  if (request.to.empty()) reject("no measured output is given", "add '--to SIGNAL'");
  for (const std::string& error : request.errors) {
    for (const std::string& output : request.to) {
      if (error != output) continue;
      reject("'" + error + "' is given both to --to and to --error",
             "without --error the measured outputs are to be small");
    }
  }
  std::vector<std::string> outputs = request.to;
  outputs.insert(outputs.end(), request.errors.begin(), request.errors.end());
  return {request.from, outputs, {}};
}

DesignPlant readPlant(const DesignRequest& request, const LinearCommand& command) {
  DesignPlant plant;
  plant.measured = static_cast<int>(request.to.size());
  plant.parameters = command.machine().model().description().parameters;
  plant.design = api::makeStateSpace(command.machine(), true).system;
  try {
    plant.full = api::makeStateSpace(command.machine(), false).system;
  } catch (const api::Failed&) {
    // What no input reaches or no output sees is the same with every controller; a form without it has more digits.
    plant.full = plant.design;
  }
  if (plant.design.countStates() == 0) {
    throw api::Failed(
        base::Failure{"there is nothing to control: no motion or state is reached from " +
                          joined(request.from) + " and seen in " + joined(request.to),
                      "is the machine locked, or held by friction that sticks? Choose other "
                      "signals, or another "
                      "operating point by --about or --at"});
  }
  if (request.plantOrder) {
    plant.design = need(linalg::truncateBalanced(plant.design, *request.plantOrder)).system;
  }
  return plant;
}

const std::string& checkBlockName(const std::string& name, const model::Model& model) {
  for (const system::Item& item : model.description().items) {
    const std::string section(item.section());
    if (section != "sensors" && section != "blocks" && section != "actuators") continue;
    if (item.name() != name) continue;
    reject("the name '" + name + "' is already in use in the model",
           "sensors, blocks and actuators share one set of names: give another one by --name");
  }
  return name;
}

void requireSingle(const DesignRequest& request, const DesignPlant& plant) {
  if (plant.design.B.cols() == 1 && plant.measured == 1) return;
  reject("--method " + request.method + " is for one control input and one measured output",
         "give one signal to --from and one to --to");
}

StateMatrices makeController(const DesignRequest& request, DesignMethod method,
                             const DesignPlant& plant, reports::DesignReport& report) {
  StateMatrices K;
  std::function<base::Result<double>(const StateMatrices&)> rate;
  if (method == DesignMethod::kPpf) {
    K = makePositionFeedback(request, plant, report);
  } else if (method == DesignMethod::kNotch) {
    report.notch = need(
        analysis::designNotch(plant.design, kTurn * *request.modeHz, request.width, request.depth));
    K = report.notch->system();
  } else {
    const analysis::DynamicController found = designDynamic(request, method, plant);
    report.value = found.value;
    report.optimum = found.optimum;
    rate = found.rate;
    K = found.K;
  }
  reduce(request, rate, K, report);
  return K;
}

reports::LoopReport analyzeDesign(const analysis::ControlLoop& loop,
                                  const analysis::ControlLoop& before) {
  reports::LoopReport report;
  report.sample = loop.sample;
  report.roots = analysis::findRoots(loop);
  if (report.roots.empty() && loop.closed.A.rows() > 0) {
    throw api::Failed(base::numericalFailure("the poles of the closed loop could not be found"));
  }
  report.isStable = analysis::isStable(report.roots);
  const std::vector<std::complex<double>> rootsBefore = analysis::findRoots(before);
  report.spillover = analysis::findSpillover(rootsBefore, report.roots);
  if (!report.isStable) return report;
  report.margins = analysis::findMargins(loop);
  report.steps = analysis::calcSteps(loop);
  if (analysis::isStable(rootsBefore)) report.stepsBefore = analysis::calcSteps(before);
  // What references do to measured outputs is T = 1 − S.
  if (loop.sample || !loop.hasWholeReference) return report;
  const Eigen::Index p = loop.measured;
  const StateMatrices S{loop.closed.A, loop.closed.B.rightCols(p), loop.closed.C.topRows(p),
                        loop.closed.D.topRightCorner(p, p) - Eigen::MatrixXd::Identity(p, p)};
  const auto peak = linalg::calcHInfinityNorm(S, 1e-5);
  if (peak) report.sensitivity = peak.value();
  return report;
}

void requireReachable(const DesignPlant& plant,
                      const std::vector<std::complex<double>>& closedRoots) {
  constexpr double kSame = 1e-9, kGrows = 1e-6;
  if (plant.full.countStates() == plant.design.countStates()) return;
  for (const std::complex<double>& open : linalg::findEigenvaluesOfReal(plant.full.A)) {
    if (!(open.real() > kGrows * std::abs(open)) || open.imag() < 0.0) continue;
    // What rounding makes of a motion at zero is not the same in both.
    for (const std::complex<double>& closed : closedRoots) {
      if (std::abs(closed - open) > kSame * std::abs(open)) continue;
      throw api::Failed(base::numericalFailure(
          base::formatText("the machine cannot be stabilised: a motion at %.4g Hz that grows by "
                           "%.4g 1/s is not reached by any "
                           "control input, or not seen by any measured output",
                           std::abs(open.imag()) / kTurn, open.real()),
          "choose other signals for --from and --to"));
    }
  }
}

}  // namespace flexloop::commands
