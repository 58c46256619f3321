#include <algorithm>
#include <memory>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/dynamics/dynamics_types.hpp"
#include "control/dynamics/realization.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::Item;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

constexpr int kHighestOrder = 100;

// Without leading zeros; nothing if all are zero.
std::vector<double> readPolynomial(const Item& item, const char* key) {
  std::vector<double> coefficients = item.numbers(key);
  const auto first =
      std::find_if(coefficients.begin(), coefficients.end(), [](double c) { return c != 0.0; });
  coefficients.erase(coefficients.begin(), first);
  return coefficients;
}

std::string describeDegree(const std::vector<double>& polynomial) {
  return "degree " + std::to_string(static_cast<int>(polynomial.size()) - 1);
}

std::string counted(int count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

void makeTransferFunction(const Item& item, Builder& builder) {
  const std::vector<double> numerator = readPolynomial(item, "numerator");
  const std::vector<double> denominator = readPolynomial(item, "denominator");
  for (const char* key : {"numerator", "denominator"}) {
    if (readPolynomial(item, key).empty()) {
      return fail(builder, item, key, "the " + std::string(key) + " is zero",
                  "give the coefficients of the powers of s, the highest first");
    }
  }
  if (numerator.size() > denominator.size()) {
    return fail(
        builder, item, "numerator",
        "the numerator has " + describeDegree(numerator) + ", but the denominator " +
            describeDegree(denominator),
        "it would differentiate its input; add a fast pole, such as the factor 0.001 s + 1");
  }
  if (denominator.size() > kHighestOrder + 1) {
    return fail(builder, item, "denominator", "the denominator has " + describeDegree(denominator),
                "build it from several blocks of lower order");
  }
  addSingleSystem(item, realizeTransferFunction(numerator, denominator), builder);
}

// Real roots, and pairs [re, im]; false if a pair is not one.
bool readRoots(const Item& item, const std::string& kind, Builder& builder,
               std::vector<std::complex<double>>& roots) {
  const std::string list = kind + "s", pairs = kind + "_pairs";
  if (item.has(list)) {
    for (const double root : item.numbers(list)) roots.emplace_back(root, 0.0);
  }
  if (!item.has(pairs)) return true;
  const Eigen::MatrixXd rows = item.matrix(pairs);
  if (rows.cols() != 2 || (rows.col(1).array() == 0.0).any()) {
    fail(builder, item, pairs, "'" + pairs + "' are rows [real, imaginary] with an imaginary part",
         "[-1, 5] means -1 + 5i and -1 - 5i; real ones go into '" + list + "'");
    return false;
  }
  for (int i = 0; i < rows.rows(); ++i) roots.emplace_back(rows(i, 0), std::abs(rows(i, 1)));
  return true;
}

int countOf(const std::vector<std::complex<double>>& roots) {
  int count = 0;
  for (const auto& root : roots) count += root.imag() != 0.0 ? 2 : 1;
  return count;
}

void makeZeroPoleGain(const Item& item, Builder& builder) {
  ZeroPoleGain function;
  function.gain = item.number("gain");
  if (!readRoots(item, "zero", builder, function.zeros)) return;
  if (!readRoots(item, "pole", builder, function.poles)) return;
  const int zeros = countOf(function.zeros), poles = countOf(function.poles);
  if (zeros > poles) {
    return fail(
        builder, item, item.has("zeros") ? "zeros" : "zero_pairs",
        "the function has " + counted(zeros, "zero") + ", but only " + counted(poles, "pole"),
        "it would differentiate its input; add a fast pole");
  }
  addSingleSystem(item, realizeZeroPoleGain(function), builder);
}

std::string sizeText(int rows, int columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

struct Expected {
  int rows, columns;
  std::string reason;
};

bool hasSize(const Item& item, const char* key, const Eigen::MatrixXd& matrix,
             const Expected& expected, Builder& builder) {
  const int rows = static_cast<int>(matrix.rows()), columns = static_cast<int>(matrix.cols());
  if (rows == expected.rows && columns == expected.columns) return true;
  fail(builder, item, key,
       std::string("'") + key + "' is " + sizeText(rows, columns) + ", but " +
           sizeText(expected.rows, expected.columns) + " is expected",
       expected.reason);
  return false;
}

bool isWellFormed(const Item& item, const StateMatrices& s, int signals, Builder& builder) {
  const int n = s.countStates(), outputs = static_cast<int>(s.C.rows());
  const std::string states = "A has " + counted(n, "row");
  const std::string inputs = counted(signals, "input");
  bool ok = hasSize(item, "A", s.A, {n, n, "a row and a column for each state"}, builder);
  ok = hasSize(item, "B", s.B, {n, signals, states + "; the block has " + inputs}, builder) && ok;
  ok = hasSize(item, "C", s.C, {outputs, n, states + "; C has a column for each state"}, builder) &&
       ok;
  const std::string rows = "C has " + counted(outputs, "row");
  return hasSize(item, "D", s.D, {outputs, signals, rows + "; the block has " + inputs}, builder) &&
         ok;
}

void makeStateSpace(const Item& item, Builder& builder) {
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  const int signals = static_cast<int>(inputs.size());
  StateMatrices s{item.matrix("A"), item.matrix("B"), item.matrix("C"), {}};
  s.D = item.has("D") ? item.matrix("D") : Eigen::MatrixXd::Zero(s.C.rows(), signals);
  if (!isWellFormed(item, s, signals, builder)) return;
  BlockStart start;
  if (item.has("x0")) start.states = item.numbers("x0");
  if (item.has("x0") && static_cast<int>(start.states.size()) != s.countStates()) {
    return fail(builder, item, "x0",
                "'x0' has " + counted(static_cast<int>(start.states.size()), "number") +
                    ", but A has " + counted(s.countStates(), "row"));
  }
  std::vector<std::string> ports;
  if (item.has("outputs")) ports = item.names("outputs");
  if (item.has("outputs") && static_cast<int>(ports.size()) != s.countOutputs()) {
    return fail(builder, item, "outputs",
                "'outputs' has " + counted(static_cast<int>(ports.size()), "name") +
                    ", but C has " + counted(s.countOutputs(), "row"),
                "each row of C gives one output");
  }
  addBlock(item, std::make_unique<LinearSystem>(s), inputs, builder, start, ports);
}

Parameter coefficients(const char* name, const char* doc) {
  return required(anyUnit(system::numbers(name, base::kDimensionless, doc)));
}

Parameter matrix(const char* name, const char* doc) {
  return anyUnit(system::matrix(name, doc));
}

void registerTransferFunctions(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "transfer_function",
       .doc = "A ratio of polynomials in s, such as 1/(0.01 s + 1).",
       .parameters = {inputParameter(),
                      coefficients("numerator",
                                   "coefficients, that of the highest power of s first"),
                      coefficients("denominator",
                                   "likewise; its degree must be at least that of the numerator"),
                      initialOutputParameter()},
       .make = makeTransferFunction,
       .samples = {blockSample("  y: {type: transfer_function, input: p, numerator: [1], "
                               "denominator: [0.2, 1], initial_output: 0.3}\n"),
                   blockSample("  y: {type: transfer_function, input: p, numerator: [2, 1, 3, 1], "
                               "denominator: [0, 1, 4, 2, 5]}\n"),
                   blockSample("  y: {type: transfer_function, input: p, numerator: [3], "
                               "denominator: [2]}\n")},
       .facts = {.passesIntegral = true}});
  const auto roots = [](const char* name, const char* doc) {
    return withNote(system::numbers(name, base::kAngularVelocity, doc), "none");
  };
  const auto pairs = [](const char* name, const char* doc) {
    return withNote(anyUnit(system::matrix(name, doc)), "none");
  };
  registry.add(
      {.section = "blocks",
       .type = "zero_pole_gain",
       .doc = "gain · Π(s − zero) / Π(s − pole).",
       .parameters = {inputParameter(), roots("zeros", "real zeros"),
                      pairs("zero_pairs", "rows [real, imaginary], each for a conjugate pair"),
                      roots("poles", "real poles"),
                      pairs("pole_pairs", "rows [real, imaginary], each for a conjugate pair"),
                      withDefault(anyUnit(system::number("gain", base::kDimensionless,
                                                         "factor in front of the products")),
                                  "1"),
                      initialOutputParameter()},
       .make = makeZeroPoleGain,
       .samples = {
           blockSample("  y: {type: zero_pole_gain, input: p, zeros: [-3], poles: [-1, -2], "
                       "pole_pairs: [[-1, 4]], gain: 5}\n"),
           blockSample("  y: {type: zero_pole_gain, input: p, zero_pairs: [[0, 2]], "
                       "poles: [-1, -4]}\n")}});
}

}  // namespace

void registerLinearSystems(system::Registry& registry) {
  registerTransferFunctions(registry);
  registry.add(
      {.section = "blocks",
       .type = "state_space",
       .doc = "x' = A x + B u, y = C x + D u. The outputs are NAME.1, NAME.2 …; a single output is "
              "NAME.",
       .parameters =
           {required(system::signals("inputs", "the signals u")),
            required(matrix("A", "one row and column for each state")),
            required(matrix("B", "a row for each state, a column for each input")),
            required(matrix("C", "a row for each output, a column for each state")),
            withNote(matrix("D", "a row for each output, a column for each input"), "zero"),
            withNote(anyUnit(system::numbers("x0", base::kDimensionless, "states at the start")),
                     "zero"),
            withNote(Parameter{.name = "outputs",
                               .shape = system::Shape::kTexts,
                               .doc = "names of the outputs, which are then NAME.PORT"},
                     "1, 2 …")},
       .make = makeStateSpace,
       .samples = {blockSample("  y: {type: state_space, inputs: [p, -q], A: [[0, 1], [-4, -1]], "
                               "B: [[0, 0], [1, 1]], C: [[1, 0]], D: [[0, 0.5]], x0: [0.1, 0]}\n"),
                   blockSample("  s: {type: state_space, inputs: [p], A: -2, B: 1, C: [[1], [3]], "
                               "outputs: [a, b]}\n  y: {type: sum, inputs: [s.a, s.b]}\n")}});
}

}  // namespace flexloop::control
