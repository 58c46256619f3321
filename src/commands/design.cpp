// Controllers for a machine, as blocks that its model can include.
#include <memory>
#include <numbers>

#include "base/text_format.hpp"
#include "commands/design_schedule.hpp"
#include "commands/design_tune.hpp"
#include "commands/designer.hpp"
#include "commands/linear_points.hpp"
#include "files/output_file.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/state_space/discretization.hpp"

namespace flexloop::commands {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using linalg::StateMatrices;

constexpr double kTurn = 2.0 * std::numbers::pi;

std::string toYaml(const MatrixXd& matrix) {
  std::string text = "[";
  for (Index i = 0; i < matrix.rows(); ++i) {
    text += i == 0 ? "[" : ", [";
    for (Index k = 0; k < matrix.cols(); ++k) {
      text += (k == 0 ? "" : ", ") + base::numberText(matrix(i, k) + 0.0);
    }
    text += "]";
  }
  return text + "]";
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class DesignCommand {
 public:
  DesignCommand(DesignRequest request, DesignMethod method, const Console& console)
      : request_(std::move(request)), method_(method), console_(console) {
    report_.method = request_.method;
  }

  void run() {
    if (method_ == DesignMethod::kShaper) return shape();
    const analysis::PortNames ports = readDesignPorts(request_, method_);
    LinearCommand command(request_, ports, console_);
    model_ = &command.machine().model();
    checkBlockName(request_.name, *model_);
    command.linearize(false);
    plant_ = readPlant(request_, command);
    report_.inputs = request_.from;
    report_.outputs = request_.to;
    report_.errors = request_.errors;
    report_.plantStates = plant_.design.countStates();
    if (method_ == DesignMethod::kLqr) return feedStates();
    if (method_ == DesignMethod::kPid) return tunePid();
    const StateMatrices K = makeController(request_, method_, plant_, report_);
    report_.controller = K;
    if (request_.sample) return finishSampled(K);
    finish(method_ == DesignMethod::kNotch && !report_.reduction ? notchText()
                                                                 : blockText("state_space", K),
           K);
  }

 private:
  // Every state must follow from the measured outputs.
  void feedStates() {
    const Index n = plant_.design.A.rows(), p = plant_.design.C.rows();
    report_.feedback = need(analysis::designStateFeedback(
        plant_.design, readWeights(request_, plant_.parameters, plant_.design.B.cols(), p, p)));
    if (p != n || !plant_.design.D.isZero(0.0)) {
      reject("lqr: the plant has " + std::to_string(n) + " states, but " + std::to_string(p) +
                 " outputs are measured",
             "measure positions and velocities of all motions, or use '--method lqg'");
    }
    const MatrixXd K = linalg::DenseLu<double>(plant_.design.C.transpose())
                           .solve(report_.feedback->K.transpose())
                           .transpose();
    if (!K.allFinite()) {
      reject("lqr: the measured outputs do not determine the states", "use '--method lqg'");
    }
    std::string block;
    for (Index i = 0; i < K.rows(); ++i) {
      const std::string end = K.rows() > 1 ? "_" + std::to_string(i + 1) : "";
      block +=
          "  " + checkBlockName(request_.name + end, *model_) + ": {type: expression, inputs: {";
      std::string names, sum;
      for (Index k = 0; k < K.cols(); ++k) {
        const std::string port = "y" + std::to_string(k + 1);
        names += (k == 0 ? "" : ", ") + port + ": " + request_.to[k];
        sum += (k == 0 ? "" : " + ") + ("(" + base::numberText(-K(i, k)) + ")*" + port);
      }
      block += names + "}, value: \"= " + sum + "\"}\n";
    }
    finish(block, {MatrixXd(0, 0), MatrixXd(0, K.cols()), MatrixXd(K.rows(), 0), -K});
  }

  void tunePid() {
    requireSingle(request_, plant_);
    if (!request_.crossoverHz) {
      reject("pid: no crossover is given", "add '--crossover HZ', and '--margin DEG' [45]");
    }
    report_.pid = need(analysis::designPid(plant_.design, kTurn * *request_.crossoverHz,
                                           request_.marginDegrees / 360.0 * kTurn, request_.ratio));
    const analysis::PidGains& gains = *report_.pid;
    report_.block = "  " + request_.name + ": {type: pid, input: " + request_.to[0] +
                    ", reference: 0, kp: " + base::numberText(gains.kp) +
                    ", ki: " + base::numberText(gains.ki) + ", kd: " + base::numberText(gains.kd) +
                    "}\n";
    report_.loop = analyzeDesign(need(analysis::makePidLoop(plant_.full, gains)), makeLoopBefore());
    write();
  }

  void finishSampled(const StateMatrices& K) {
    const double T = *request_.sample;
    const StateMatrices sampled = need(linalg::discretize(K, T, readRule(request_)));
    finish(blockText("discrete_state_space", sampled), sampled);
  }

  std::string blockText(const char* type, const StateMatrices& K) const {
    std::string text = "  " + request_.name + ":\n    type: " + type + "\n    inputs: [" +
                       joined(request_.to) + "]\n";
    if (request_.sample) text += "    sample: " + base::numberText(*request_.sample) + "\n";
    return text + "    A: " + toYaml(K.A) + "\n    B: " + toYaml(K.B) + "\n    C: " + toYaml(K.C) +
           "\n    D: " + toYaml(K.D) + "\n";
  }

  std::string notchText() const {
    const analysis::Notch& notch = *report_.notch;
    return "  " + request_.name + ": {type: notch, input: " + request_.from[0] +
           ", omega: " + base::numberText(notch.rate) +
           ", damping: " + base::numberText(notch.poleDamping) +
           ", depth: " + base::numberText(notch.zeroDamping / notch.poleDamping) + "}\n";
  }

  void shape() {
    if (!request_.modeHz) reject("shaper: no motion is given", "add '--mode HZ'");
    if (request_.to.size() != 1) {
      reject("shaper: no reference is given", "add '--to SIGNAL', the signal that is shaped");
    }
    const int kind = choose("--kind", request_.kind, {"zv", "zvd", "zvdd", "ei"});
    const model::Model model = api::loadModel(request_.model);
    checkBlockName(request_.name, model);
    report_.shaper =
        need(analysis::designShaper(static_cast<analysis::ShaperKind>(kind),
                                    kTurn * *request_.modeHz, request_.damping, request_.share));
    const analysis::Shaper& shaper = *report_.shaper;
    std::string& block = report_.block;
    std::string parts;
    for (std::size_t i = 0; i < shaper.times.size(); ++i) {
      const std::string part = checkBlockName(request_.name + "_" + std::to_string(i + 1), model);
      std::string input = request_.to[0];
      if (i > 0) {
        input = checkBlockName(part + "_delayed", model);
        block += "  " + input + ": {type: transport_delay, input: " + request_.to[0] +
                 ", delay: " + base::numberText(shaper.times[i]) + "}\n";
      }
      block += "  " + part + ": {type: gain, input: " + input +
               ", gain: " + base::numberText(shaper.amplitudes[i]) + "}\n";
      parts += (i == 0 ? "" : ", ") + part;
    }
    block += "  " + request_.name + ": {type: sum, inputs: [" + parts + "]}\n";
    write();
  }

  // The machine as it is. What a notch filters is part of a loop that is closed without it.
  analysis::ControlLoop makeLoopBefore() const {
    const Index m = plant_.full.B.cols(), p = plant_.measured;
    StateMatrices K{MatrixXd(0, 0), MatrixXd(0, p), MatrixXd(m, 0), MatrixXd::Zero(m, p)};
    if (method_ == DesignMethod::kNotch) K.D.setIdentity();
    return need(analysis::makeLoop(plant_.full, K, request_.sample));
  }

  void finish(const std::string& block, const StateMatrices& K) {
    report_.block = block;
    report_.loop =
        analyzeDesign(need(analysis::makeLoop(plant_.full, K, request_.sample)), makeLoopBefore());
    write();
  }

  std::string makeHead() const {
    if (method_ == DesignMethod::kNotch) {
      return "# what reads " + request_.from[0] + " reads this instead\nblocks:\n";
    }
    return "# u = K y, to be added at the control inputs: " + joined(request_.from) + "\nblocks:\n";
  }

  void write() {
    if (report_.loop) requireReachable(plant_, report_.loop->roots);
    report_.block = makeHead() + report_.block;
    const Targets& targets = request_.targets;
    if (!targets.figureFile.empty() && (!report_.loop || report_.loop->steps.empty())) {
      reject("--svg: there are no answers to steps to draw",
             report_.loop ? "a motion of the closed loop does not decay"
                          : "--method " + request_.method + " closes no loop");
    }
    console_.print(reports::describeDesign(report_));
    if (!targets.jsonFile.empty()) {
      files::writeTextFile(targets.jsonFile, reports::makeDesignJson(report_));
    }
    if (!request_.file.empty()) files::writeTextFile(request_.file, report_.block);
    if (!targets.figureFile.empty()) reports::writeDesignSvg(targets.figureFile, report_);
    if (report_.reduction && report_.value && !report_.reduction->value) {
      console_.warn("the controller with " + std::to_string(report_.reduction->after) +
                        " states does not stabilise the plant of the design",
                    "give a higher --order");
    }
    if (report_.loop && !report_.loop->isStable) {
      console_.warn("the closed loop of the whole machine is unstable",
                    "the design did not know of a motion, or asks for too much: lower the "
                    "bandwidth, or raise the weights of the control inputs");
    }
  }

  DesignRequest request_;
  DesignMethod method_;
  const Console& console_;
  const model::Model* model_ = nullptr;  // while it runs
  DesignPlant plant_;
  reports::DesignReport report_;
};

}  // namespace

void declareDesign(Call& call) {
  const auto request = std::make_shared<DesignRequest>();
  call.addModelOptions();
  call.add(portOptions(*request));
  call.add(stateOptions(*request));
  call.add(designOptions(*request));
  call.action = [&call, request](const Console& console) {
    const std::string figure = request->targets.figureFile;
    request->model = call.model;
    request->targets = call.targets;
    request->targets.figureFile = figure;
    if (!request->tune.empty()) {
      readTuning(*request);
      return tuneModel(*request, console);
    }
    const DesignMethod method = readMethod(*request);
    if (hasAxis(request->model)) return designSchedule(*request, method, console);
    DesignCommand(*request, method, console).run();
  };
}

}  // namespace flexloop::commands
