#include "commands/design_request.hpp"

#include <cmath>
#include <sstream>

#include "base/units.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::commands {
namespace {

using Eigen::Index;

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

double readNumber(const char* option, std::string text, const Parameters& parameters,
                  const char* hint) {
  text.erase(0, text.find_first_not_of(' '));
  if (text.starts_with('=')) {
    std::vector<std::string> names;
    std::vector<double> values;
    for (const auto& [name, value] : parameters) {
      names.push_back(name);
      values.push_back(value);
    }
    const auto formula = math::Expression::parse(text.substr(1), math::NameIndex(names));
    if (!formula) {
      reject(std::string(option) + " '" + text + "': " + formula.failure().message,
             "it may use the parameters of the model");
    }
    return formula.value().evaluate(std::span<const double>(values));
  }
  const auto number = base::parseQuantity(text);
  if (!number) reject(std::string(option) + ": '" + text + "' is not a number", hint);
  return number.value().value;
}

// One number for all, or one for each.
Eigen::VectorXd readNumbers(const char* option, const std::vector<std::string>& texts,
                            const Parameters& parameters, Index count) {
  constexpr const char* kHint = "one number for all, or one for each";
  if (texts.empty()) return Eigen::VectorXd::Ones(count);
  Eigen::VectorXd numbers(std::ssize(texts));
  for (Index i = 0; i < numbers.size(); ++i) {
    numbers[i] = readNumber(option, texts[static_cast<std::size_t>(i)], parameters, kHint);
    if (!(numbers[i] > 0.0) || !std::isfinite(numbers[i])) {
      reject(std::string(option) + " must be positive", kHint);
    }
  }
  if (numbers.size() == 1) return Eigen::VectorXd::Constant(count, numbers[0]);
  if (numbers.size() != count) {
    reject(std::string(option) + " has " + std::to_string(texts.size()) + " numbers instead of " +
               std::to_string(count),
           kHint);
  }
  return numbers;
}

std::vector<double> readCoefficients(const char* option, const std::string& text,
                                     const Parameters& parameters) {
  std::vector<double> numbers;
  std::istringstream fields(text);
  for (std::string field; std::getline(fields, field, ',');) {
    numbers.push_back(readNumber(
        option, field, parameters,
        "a number, or coefficients NUM/DEN of the highest powers first, as in '0.5,3/1,0.003'"));
  }
  return numbers;
}

void rejectErrors(const DesignRequest& request, bool takesErrors) {
  if (request.errors.empty() || takesErrors) return;
  reject("--error is for lqg, h2 and 'hinf --four-block'",
         request.method == "hinf" ? "add '--four-block', or leave it out"
                                  : "leave it out, or use another method");
}

}  // namespace

std::vector<Option> designOptions(DesignRequest& r) {
  return {{"--method", "NAME", "lqr, lqg, h2, hinf, pid, ppf, shaper or notch", &r.method},
          {"-o",
           "FILE",
           "FILE.yaml: the block, for 'include'; with a range FILE.lpv",
           &r.file,
           {.isWritten = true}},
          {"--name", "NAME", "of the block (default: controller)", &r.name},
          {"--svg",
           "FILE",
           "answers to steps; - for standard output",
           &r.targets.figureFile,
           {.isWritten = true}},
          {"--error", "SIGNAL…", "what is to be small (default: the outputs of --to)", &r.errors},
          {"--Q", "NUMBERS", "weights of what is to be small", &r.Q, {.delimiter = ','}},
          {"--R", "NUMBERS", "weights of the control inputs", &r.R, {.delimiter = ','}},
          {"--W", "NUMBERS", "intensities of disturbances at the inputs", &r.W, {.delimiter = ','}},
          {"--V", "NUMBERS", "intensities of measurement noise", &r.V, {.delimiter = ','}},
          {"--W1", "NUM/DEN", "hinf: weight of the error", &r.W1},
          {"--W2", "NUM/DEN", "weight of the control inputs by frequency (hinf default: 1)", &r.W2},
          {"--W3", "NUM/DEN", "hinf: weight of the outputs", &r.W3},
          {"--four-block", "", "hinf: with --Q, --R or --W2, --W and --V", &r.fourBlock},
          {"--factor", "X", "hinf: level by the least one (default: 1.05)", &r.factor},
          {"--crossover", "HZ", "pid: where the gain of the loop is one", &r.crossover},
          {"--margin", "DEG", "pid: phase margin there (default: 45)", &r.marginDegrees},
          {"--ratio", "X", "pid: integral by derivative time (default: 4)", &r.ratio},
          {"--mode", "HZ", "ppf, shaper, notch: frequency of the motion", &r.mode},
          {"--gain", "G", "ppf: from 0 to 1 (default: 0.1)", &r.gain},
          {"--kind", "KIND", "shaper: zv (default), zvd, zvdd or ei", &r.kind},
          {"--damping", "RATIO", "shaper: damping ratio of the motion (default: 0)", &r.damping},
          {"--residue", "SHARE", "shaper ei: vibration that is allowed (default: 0.05)", &r.share},
          {"--width", "RATIO", "notch: damping ratio of its poles (default: 0.5)", &r.width},
          {"--depth", "X", "notch: gain at its frequency (default: cancels the motion)", &r.depth},
          {"--order", "N", "states of the controller", &r.order},
          {"--plant-order", "N", "states of the plant for the design", &r.plantOrder},
          {"--sample", "TIME", "a sampled controller [s]", &r.sampling},
          {"--discretize", "RULE", "tustin (default), zoh or matched", &r.discretize},
          {"--interpolation", "KIND", "with a range: spline (default) or linear", &r.interpolation},
          {"--tune", "NAME[=LOW:HIGH]…", "numbers of the model that are tuned on the whole machine",
           &r.tune},
          {"--goal", "GOAL", "of --tune: damping (default), settling or margin", &r.goal},
          {"--up-to", "HZ", "--tune: faster motions do not count", &r.upTo},
          {"--cut", "SIGNAL", "--goal margin: where the loop is cut", &r.cut}};
}

linalg::SampleRule readRule(const DesignRequest& request) {
  const int rule = choose("--discretize", request.discretize, {"tustin", "zoh", "matched"});
  return rule == 0   ? linalg::SampleRule::kTustin
         : rule == 1 ? linalg::SampleRule::kHeld
                     : linalg::SampleRule::kMatched;
}

void readTuning(DesignRequest& request) {
  request.upToHz =
      readPositive("--up-to", request.upTo, base::kFrequency, "in Hz, as in '--up-to 100'");
}

DesignMethod readMethod(DesignRequest& request) {
  if (!request.cut.empty() || !request.upTo.empty()) {
    reject(std::string(request.cut.empty() ? "--up-to" : "--cut") + " is for --tune",
           "leave it out, or add '--tune NAME'");
  }
  if (request.method.empty()) {
    reject("design: no method is given",
           "add '--method lqg', or lqr, h2, hinf, pid, ppf, shaper, notch");
  }
  const auto method = static_cast<DesignMethod>(choose(
      "--method", request.method, {"lqr", "lqg", "h2", "hinf", "pid", "ppf", "shaper", "notch"}));
  request.crossoverHz = readPositive("--crossover", request.crossover, base::kFrequency,
                                     "in Hz, as in '--crossover 2' or '--crossover 2Hz'");
  request.modeHz = readPositive("--mode", request.mode, base::kFrequency,
                                "in Hz, as in '--mode 12.5' or '--mode 12.5Hz'");
  request.sample = readPositive("--sample", request.sampling, base::kTime,
                                "in seconds, as in '--sample 0.01' or '--sample 10ms'");
  const bool isRegulator = method == DesignMethod::kLqg || method == DesignMethod::kH2 ||
                           (method == DesignMethod::kHInfinity && request.fourBlock);
  rejectErrors(request, isRegulator);
  if (isRegulator && !request.W2.empty() && !request.R.empty()) {
    reject("--R cannot be combined with --W2: both weigh the control inputs",
           "give only one of them");
  }
  return method;
}

analysis::DesignWeights readWeights(const DesignRequest& request, const Parameters& parameters,
                                    Index controls, Index measured, Index errors) {
  return {readNumbers("--Q", request.Q, parameters, errors),
          readNumbers("--R", request.R, parameters, controls),
          readNumbers("--W", request.W, parameters, controls),
          readNumbers("--V", request.V, parameters, measured)};
}

// The first bar separates the two lists, so expressions of the first divide by `* …^-1`.
analysis::WeightFunction readFunction(const char* option, const std::string& text,
                                      const Parameters& parameters) {
  const std::size_t bar = text.find('/');
  return {readCoefficients(option, text.substr(0, bar), parameters),
          bar == std::string::npos ? std::vector<double>{1.0}
                                   : readCoefficients(option, text.substr(bar + 1), parameters)};
}

}  // namespace flexloop::commands
