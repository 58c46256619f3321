// Controllers for a machine, as blocks that its model can include.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>
#include <sstream>

#include "analysis/design/controller_design.hpp"
#include "base/json.hpp"
#include "base/text_format.hpp"
#include "base/units.hpp"
#include "commands/linear_request.hpp"
#include "files/output_file.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/roots/real_eigenpairs.hpp"
#include "linalg/state_space/balanced_truncation.hpp"
#include "linalg/state_space/discretization.hpp"
#include "linalg/state_space/system_norms.hpp"

namespace flexloop::commands {
namespace {

using analysis::StateSpace;
using Eigen::Index;
using Eigen::MatrixXd;
using Json = nlohmann::ordered_json;
using linalg::StateMatrices;
using Complex = std::complex<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

struct DesignRequest : LinearRequest {
  std::string method, file, name = "controller";
  std::vector<double> Q, R, W, V;
  std::string W1, W2 = "1", W3;
  bool fourBlock = false;
  double factor = 1.05;
  std::string crossover, mode, sampling;  // as given, with or without a unit
  std::optional<double> crossoverHz, modeHz, sample;
  double marginDegrees = 45.0, ratio = 4.0, gain = 0.1, damping = 0.0, share = 0.05;
  std::string kind = "zv", discretize = "tustin";
  std::optional<int> order, plantOrder;
};

std::optional<double> readPositive(const char* option, const std::string& text,
                                   const base::Dimension& dimension, const char* hint) {
  if (text.empty()) return std::nullopt;
  const base::Result<base::Quantity> quantity = base::parseQuantity(text);
  const base::Result<double> value =
      quantity ? base::convertToSi(quantity.value(), dimension) : quantity.failure();
  if (!value) reject(std::string(option) + " '" + text + "': " + value.failure().message, hint);
  if (!(value.value() > 0.0)) reject(std::string(option) + " must be positive", hint);
  return value.value();
}

void readQuantities(DesignRequest& request) {
  request.crossoverHz = readPositive("--crossover", request.crossover, base::kFrequency,
                                     "in Hz, as in '--crossover 2' or '--crossover 2Hz'");
  request.modeHz = readPositive("--mode", request.mode, base::kFrequency,
                                "in Hz, as in '--mode 12.5' or '--mode 12.5Hz'");
  request.sample = readPositive("--sample", request.sampling, base::kTime,
                                "in seconds, as in '--sample 0.01' or '--sample 10ms'");
}

template <class T>
T need(const base::Result<T>& result) {
  if (!result) throw api::Failed(result.failure());
  return result.value();
}

// One number for all, or one for each.
Eigen::VectorXd readWeights(const char* option, const std::vector<double>& numbers, Index count) {
  if (numbers.empty()) return Eigen::VectorXd::Ones(count);
  for (const double number : numbers) {
    if (!(number > 0.0) || !std::isfinite(number)) {
      reject(std::string(option) + " must be positive", "one number for all, or one for each");
    }
  }
  if (numbers.size() == 1) return Eigen::VectorXd::Constant(count, numbers[0]);
  if (std::ssize(numbers) != count) {
    reject(std::string(option) + " has " + std::to_string(numbers.size()) + " numbers instead of " +
               std::to_string(count),
           "one number for all, or one for each");
  }
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), count);
}

std::vector<double> readCoefficients(const char* option, const std::string& text) {
  std::vector<double> numbers;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, ',');) {
    const auto number = base::parseQuantity(field);
    if (!number) {
      reject(
          std::string(option) + ": '" + field + "' is not a number",
          "a number, or coefficients NUM/DEN of the highest powers first, as in '0.5,3/1,0.003'");
    }
    numbers.push_back(number.value().value);
  }
  return numbers;
}

analysis::WeightFunction readFunction(const char* option, const std::string& text) {
  const std::size_t bar = text.find('/');
  return {readCoefficients(option, text.substr(0, bar)),
          bar == std::string::npos ? std::vector<double>{1.0}
                                   : readCoefficients(option, text.substr(bar + 1))};
}

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

Json toJson(const MatrixXd& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(Json::array());
    for (Index k = 0; k < matrix.cols(); ++k) rows.back().push_back(matrix(i, k) + 0.0);
  }
  return rows;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

class DesignCommand {
 public:
  DesignCommand(const DesignRequest& request, const Console& console)
      : request_(request), console_(console) {}

  void run() {
    const int method =
        choose("--method", request_.method, {"lqr", "lqg", "h2", "hinf", "pid", "ppf", "shaper"});
    if (method == 6) return shape();
    readPlant();
    lines_.push_back("a plant with " + std::to_string(plant_.countStates()) + " states from " +
                     joined(request_.from) + " to " + joined(request_.to));
    json_["method"] = request_.method;
    json_["inputs"] = request_.from;
    json_["outputs"] = request_.to;
    if (method == 0) return feedStates();
    if (method == 4) return tunePid();
    makeDynamic(method);
  }

 private:
  void readPlant() {
    if (request_.from.empty()) reject("no control input is given", "add '--from SIGNAL'");
    if (request_.to.empty()) reject("no measured output is given", "add '--to SIGNAL'");
    LinearCommand command(request_, {request_.from, request_.to, {}}, console_);
    collectNames(command.machine().model());
    command.linearize(false);
    full_ = api::makeStateSpace(command.machine(), false).system;
    plant_ = api::makeStateSpace(command.machine(), true).system;
    if (plant_.countStates() == 0) {
      throw api::Failed(
          base::Failure{"there is nothing to control: no motion or state is reached from " +
                            joined(request_.from) + " and seen in " + joined(request_.to),
                        "is the machine locked, or held by friction that sticks? Choose other "
                        "signals, or another "
                        "operating point by --about or --at"});
    }
    if (request_.plantOrder) {
      plant_ = need(linalg::truncateBalanced(plant_, *request_.plantOrder)).system;
    }
  }

  void collectNames(const model::Model& model) {
    for (const system::Item& item : model.description().items) {
      const std::string section(item.section());
      if (section == "sensors" || section == "blocks" || section == "actuators") {
        taken_.insert(std::string(item.name()));
      }
    }
    checkName(request_.name);
  }

  // The model could not include a second block of the same name.
  const std::string& checkName(const std::string& name) const {
    if (taken_.contains(name)) {
      reject("the name '" + name + "' is already in use in the model",
             "sensors, blocks and actuators share one set of names: give another one by --name");
    }
    return name;
  }

  analysis::DesignWeights readAllWeights() const {
    const Index m = plant_.B.cols(), p = plant_.C.rows();
    return {readWeights("--Q", request_.Q, p), readWeights("--R", request_.R, m),
            readWeights("--W", request_.W, m), readWeights("--V", request_.V, p)};
  }

  void requireSingle() const {
    if (plant_.B.cols() == 1 && plant_.C.rows() == 1) return;
    reject("--method " + request_.method + " is for one control input and one measured output",
           "give one signal to --from and one to --to");
  }

  // Every state must follow from the measured outputs.
  void feedStates() {
    const analysis::StateFeedback found =
        need(analysis::designStateFeedback(plant_, readAllWeights()));
    const Index n = plant_.A.rows();
    json_["K"] = toJson(found.K);
    json_["S"] = toJson(found.S);
    if (plant_.C.rows() != n || !plant_.D.isZero(0.0)) {
      reject("lqr: the plant has " + std::to_string(n) + " states, but " +
                 std::to_string(plant_.C.rows()) + " outputs are measured",
             "measure positions and velocities of all motions, or use '--method lqg'");
    }
    const MatrixXd K =
        linalg::DenseLu<double>(plant_.C.transpose()).solve(found.K.transpose()).transpose();
    if (!K.allFinite()) {
      reject("lqr: the measured outputs do not determine the states", "use '--method lqg'");
    }
    const StateMatrices gain{MatrixXd(0, 0), MatrixXd(0, K.cols()), MatrixXd(K.rows(), 0), -K};
    std::string block;
    for (Index i = 0; i < K.rows(); ++i) {
      const std::string end = K.rows() > 1 ? "_" + std::to_string(i + 1) : "";
      block += "  " + checkName(request_.name + end) + ": {type: expression, inputs: {";
      std::string names, sum;
      for (Index k = 0; k < K.cols(); ++k) {
        const std::string port = "y" + std::to_string(k + 1);
        names += (k == 0 ? "" : ", ") + port + ": " + request_.to[k];
        sum += (k == 0 ? "" : " + ") + ("(" + base::numberText(-K(i, k)) + ")*" + port);
      }
      block += names + "}, value: \"= " + sum + "\"}\n";
    }
    finish(block, need(analysis::closeLoop(full_, gain)), gain);
  }

  void tunePid() {
    requireSingle();
    if (!request_.crossoverHz) {
      reject("pid: no crossover is given", "add '--crossover HZ', and '--margin DEG' [45]");
    }
    const analysis::PidGains gains =
        need(analysis::designPid(plant_, kTurn * *request_.crossoverHz,
                                 request_.marginDegrees / 360.0 * kTurn, request_.ratio));
    json_["kp"] = gains.kp;
    json_["ki"] = gains.ki;
    json_["kd"] = gains.kd;
    lines_.push_back(base::formatText("kp %.8g, ki %.8g, kd %.8g", gains.kp, gains.ki, gains.kd));
    finish("  " + request_.name + ": {type: pid, input: " + request_.to[0] +
               ", reference: 0, kp: " + base::numberText(gains.kp) + ", ki: " +
               base::numberText(gains.ki) + ", kd: " + base::numberText(gains.kd) + "}\n",
           need(analysis::closePidLoop(full_, gains)), std::nullopt);
  }

  StateMatrices makeController(int method) {
    if (method == 5) {
      requireSingle();
      if (!request_.modeHz) reject("ppf: no motion is given", "add '--mode HZ'");
      const analysis::PositionFeedback found =
          need(analysis::designPositionFeedback(plant_, kTurn * *request_.modeHz, request_.gain));
      lines_.push_back(base::formatText("filter at %.6g Hz, damping ratio %.4g, gain %.6g",
                                        found.rate / kTurn, found.damping, found.gain));
      json_["filter"] = {{"rate", found.rate}, {"damping", found.damping}, {"gain", found.gain}};
      const double w = found.rate;
      return {MatrixXd{{0.0, 1.0}, {-w * w, -2.0 * found.damping * w}}, MatrixXd{{0.0}, {w * w}},
              MatrixXd{{found.gain, 0.0}}, MatrixXd::Zero(1, 1)};
    }
    analysis::DynamicController found;
    if (method == 3 && !request_.fourBlock) {
      if (request_.W1.empty()) {
        reject("hinf: no weight is given",
               "add '--W1 NUM/DEN' on the error, and --W2, --W3; or '--four-block' with --Q, --R, "
               "--W, --V");
      }
      analysis::SensitivityWeights weights{readFunction("--W1", request_.W1),
                                           readFunction("--W2", request_.W2), std::nullopt};
      if (!request_.W3.empty()) weights.W3 = readFunction("--W3", request_.W3);
      found = need(analysis::designMixedSensitivity(plant_, weights, request_.factor));
    } else if (method == 3) {
      found = need(analysis::designFourBlock(plant_, readAllWeights(), request_.factor));
    } else {
      found = need(analysis::designLqg(plant_, readAllWeights()));
    }
    json_["value"] = found.value;
    if (found.optimum) json_["gamma"] = *found.optimum;
    lines_.push_back(found.optimum ? base::formatText("least level %.7g; this controller has %.7g",
                                                      *found.optimum, found.value)
                                   : base::formatText("root of the cost: %.9g", found.value));
    return found.K;
  }

  void makeDynamic(int method) {
    StateMatrices K = makeController(method);
    if (request_.order && *request_.order < K.countStates()) {
      const auto reduced = need(linalg::truncateBalanced(K, *request_.order));
      lines_.push_back(base::formatText(
          "the controller has %d states instead of %d; its response changes by %.3g at most",
          reduced.system.countStates(), K.countStates(), reduced.bound));
      json_["reduction_bound"] = reduced.bound;
      K = reduced.system;
    }
    json_["controller"] = {
        {"A", toJson(K.A)}, {"B", toJson(K.B)}, {"C", toJson(K.C)}, {"D", toJson(K.D)}};
    if (!request_.sample) {
      return finish(blockText("state_space", K), need(analysis::closeLoop(full_, K)), K);
    }
    const double T = *request_.sample;
    const int rule = choose("--discretize", request_.discretize, {"tustin", "zoh", "matched"});
    const StateMatrices sampled = rule == 1   ? linalg::discretizeHeld(K, T)
                                  : rule == 0 ? need(linalg::discretizeTustin(K, T))
                                              : need(linalg::discretizeMatched(K, T));
    finish(blockText("discrete_state_space", sampled),
           need(analysis::closeLoop(linalg::discretizeHeld(full_, T), sampled)), std::nullopt);
  }

  std::string blockText(const char* type, const StateMatrices& K) const {
    std::string text = "  " + request_.name + ":\n    type: " + type + "\n    inputs: [" +
                       joined(request_.to) + "]\n";
    if (request_.sample) text += "    sample: " + base::numberText(*request_.sample) + "\n";
    return text + "    A: " + toYaml(K.A) + "\n    B: " + toYaml(K.B) + "\n    C: " + toYaml(K.C) +
           "\n    D: " + toYaml(K.D) + "\n";
  }

  void shape() {
    if (!request_.modeHz) reject("shaper: no motion is given", "add '--mode HZ'");
    if (request_.to.size() != 1) {
      reject("shaper: no reference is given", "add '--to SIGNAL', the signal that is shaped");
    }
    const int kind = choose("--kind", request_.kind, {"zv", "zvd", "zvdd", "ei"});
    collectNames(api::loadModel(request_.model));
    const analysis::Shaper shaper =
        need(analysis::designShaper(static_cast<analysis::ShaperKind>(kind),
                                    kTurn * *request_.modeHz, request_.damping, request_.share));
    json_["method"] = "shaper";
    json_["times"] = shaper.times;
    json_["amplitudes"] = shaper.amplitudes;
    std::string block, parts;
    for (std::size_t i = 0; i < shaper.times.size(); ++i) {
      const std::string part = checkName(request_.name + "_" + std::to_string(i + 1));
      std::string input = request_.to[0];
      if (i > 0) {
        input = checkName(part + "_delayed");
        block += "  " + input + ": {type: transport_delay, input: " + request_.to[0] +
                 ", delay: " + base::numberText(shaper.times[i]) + "}\n";
      }
      block += "  " + part + ": {type: gain, input: " + input +
               ", gain: " + base::numberText(shaper.amplitudes[i]) + "}\n";
      parts += (i == 0 ? "" : ", ") + part;
      lines_.push_back(base::formatText("  %.8g at %.8g s", shaper.amplitudes[i], shaper.times[i]));
    }
    block += "  " + request_.name + ": {type: sum, inputs: [" + parts + "]}\n";
    write(block);
  }

  // The loop with all states of the machine, those that the design did not know included.
  void finish(const std::string& block, const MatrixXd& A,
              const std::optional<StateMatrices>& continuous) {
    // Those of a real matrix, of which real ones are exactly real; conjugate pairs once.
    std::vector<Complex> roots;
    for (const linalg::Eigenpair& pair : linalg::findRealEigenpairs(A)) {
      roots.push_back(request_.sample ? std::log(pair.value) / *request_.sample : pair.value);
    }
    if (roots.empty() && A.rows() > 0) {
      throw api::Failed(base::numericalFailure("the poles of the closed loop could not be found"));
    }
    double fastest = 0.0;
    for (const Complex& root : roots) fastest = std::max(fastest, std::abs(root));
    constexpr double kAtZero = 1e-7;  // of the fastest: what rounding makes of a free motion
    const auto isGrowing = [&](const Complex& root) {
      return root.real() > kAtZero * fastest ||
             (root.real() > 0.0 && std::abs(root) > 1e-6 * fastest &&
              root.real() > 1e-9 * std::abs(root));
    };
    const bool isStable = std::none_of(roots.begin(), roots.end(), isGrowing);
    std::sort(roots.begin(), roots.end(), [](const Complex& a, const Complex& b) {
      return std::abs(a.imag()) != std::abs(b.imag()) ? std::abs(a.imag()) < std::abs(b.imag())
                                                      : std::abs(a) < std::abs(b);
    });
    json_["closed_loop"]["stable"] = isStable;
    json_["closed_loop"]["modes"] = Json::array();
    lines_.push_back("  closed loop with all states of the machine:");
    for (const Complex& root : roots) {
      const double size = std::abs(root), damping = size > 0.0 ? -root.real() / size : 0.0;
      json_["closed_loop"]["modes"].push_back({{"eigenvalue", {root.real(), root.imag()}},
                                               {"frequency_hz", root.imag() / kTurn},
                                               {"damping_ratio", damping}});
    }
    addSlowest(roots);
    addSensitivity(continuous, isStable);
    lines_.push_back(isStable ? "  stable" : "  UNSTABLE");
    write(block);
    if (!isStable) {
      console_.warn("the closed loop of the whole machine is unstable",
                    "the design did not know of a motion, or asks for too much: lower the "
                    "bandwidth, or raise the weights of the control inputs");
    }
  }

  void addSlowest(std::vector<Complex> roots) {
    constexpr std::size_t kMost = 16;
    std::stable_sort(roots.begin(), roots.end(),
                     [](const Complex& a, const Complex& b) { return std::abs(a) < std::abs(b); });
    for (std::size_t i = 0; i < std::min(kMost, roots.size()); ++i) {
      if (roots[i].imag() == 0.0) {
        lines_.push_back(base::formatText("  real pole %37.5g 1/s", roots[i].real()));
        continue;
      }
      lines_.push_back(base::formatText("  %12.5g Hz  damping %8.5f  %12.5g 1/s",
                                        roots[i].imag() / kTurn,
                                        -roots[i].real() / std::abs(roots[i]), roots[i].real()));
    }
    if (roots.size() > kMost) {
      lines_.push_back(base::formatText("  … and %d faster ones (all are in the JSON file)",
                                        static_cast<int>(roots.size() - kMost)));
    }
  }

  // max |1/(1 + L)| at the plant's outputs.
  void addSensitivity(const std::optional<StateMatrices>& K, bool isStable) {
    if (!K || !isStable) return;
    const Index p = full_.C.rows();
    linalg::GeneralizedPlant g{
        full_.A, MatrixXd::Zero(full_.A.rows(), p), full_.B, full_.C,
        full_.C, MatrixXd::Identity(p, p),          full_.D, MatrixXd::Identity(p, p),
        full_.D};
    const auto closed = linalg::closeLoop(g, *K);
    if (!closed) return;
    const auto peak = linalg::calcHInfinityNorm(closed.value(), 1e-5);
    if (!peak) return;
    json_["highest_sensitivity"] = peak.value().gain;
    lines_.push_back(base::formatText("  highest sensitivity %.4g at %.4g Hz", peak.value().gain,
                                      peak.value().rate / kTurn));
  }

  void write(const std::string& block) {
    const std::string text =
        "# u = K y, to be added at the control inputs: " + joined(request_.from) + "\nblocks:\n" +
        block;
    json_["block"] = text;
    console_.print(lines_);
    if (!request_.targets.jsonFile.empty()) {
      files::writeTextFile(request_.targets.jsonFile, json_.dump() + "\n");
    }
    if (!request_.file.empty()) files::writeTextFile(request_.file, text);
  }

  const DesignRequest& request_;
  const Console& console_;
  StateMatrices full_, plant_;
  std::set<std::string> taken_;  // names of signals of the model
  std::vector<std::string> lines_;
  Json json_;
};

}  // namespace

void declareDesign(Call& call) {
  const auto request = std::make_shared<DesignRequest>();
  call.addModelOptions();
  call.add(portOptions(*request));
  call.add(stateOptions(*request));
  call.add({{"--method", "NAME", "lqr, lqg, h2, hinf, pid, ppf or shaper", &request->method},
            {"-o", "FILE.yaml", "the block, for 'include'", &request->file},
            {"--name", "NAME", "of the block (default: controller)", &request->name},
            {"--Q", "NUMBERS", "weights of the outputs", &request->Q, {.delimiter = ','}},
            {"--R", "NUMBERS", "weights of the control inputs", &request->R, {.delimiter = ','}},
            {"--W",
             "NUMBERS",
             "intensities of disturbances at the inputs",
             &request->W,
             {.delimiter = ','}},
            {"--V", "NUMBERS", "intensities of measurement noise", &request->V, {.delimiter = ','}},
            {"--W1", "NUM/DEN", "hinf: weight of the error", &request->W1},
            {"--W2", "NUM/DEN", "hinf: weight of the control inputs (default: 1)", &request->W2},
            {"--W3", "NUM/DEN", "hinf: weight of the outputs", &request->W3},
            {"--four-block", "", "hinf: with --Q, --R, --W and --V instead", &request->fourBlock},
            {"--factor", "X", "hinf: level by the least one (default: 1.05)", &request->factor},
            {"--crossover", "HZ", "pid: where the gain of the loop is one", &request->crossover},
            {"--margin", "DEG", "pid: phase margin there (default: 45)", &request->marginDegrees},
            {"--ratio", "X", "pid: integral by derivative time (default: 4)", &request->ratio},
            {"--mode", "HZ", "ppf, shaper: frequency of the motion", &request->mode},
            {"--gain", "G", "ppf: from 0 to 1 (default: 0.1)", &request->gain},
            {"--kind", "KIND", "shaper: zv (default), zvd, zvdd or ei", &request->kind},
            {"--damping", "RATIO", "shaper: damping ratio of the motion (default: 0)",
             &request->damping},
            {"--residue", "SHARE", "shaper ei: vibration that is allowed (default: 0.05)",
             &request->share},
            {"--order", "N", "states of the controller", &request->order},
            {"--plant-order", "N", "states of the plant for the design", &request->plantOrder},
            {"--sample", "TIME", "a sampled controller [s]", &request->sampling},
            {"--discretize", "RULE", "tustin (default), zoh or matched", &request->discretize}});
  call.action = [&call, request](const Console& console) {
    request->model = call.model;
    request->targets = call.targets;
    if (request->method.empty()) {
      reject("design: no method is given",
             "add '--method lqg', or lqr, h2, hinf, pid, ppf, shaper");
    }
    readQuantities(*request);
    DesignCommand(*request, console).run();
  };
}

}  // namespace flexloop::commands
