#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "control/algebra/algebra.hpp"
#include "control/algebra/lookup_types.hpp"
#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "math/expressions/expression.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::signal;
using system::signals;

namespace {

void makeSum(const Item& item, Builder& builder) {
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  addBlock(item, std::make_unique<Sum>(static_cast<int>(inputs.size())), inputs, builder);
}

void makeProduct(const Item& item, Builder& builder) {
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  addBlock(item, std::make_unique<Product>(static_cast<int>(inputs.size())), inputs, builder);
}

void makeRatio(const Item& item, Builder& builder) {
  std::vector<BlockInput> inputs = inputsOf(item, "numerator", builder);
  inputs.push_back(inputsOf(item, "denominator", builder).front());
  addBlock(item, std::make_unique<Ratio>(), inputs, builder);
}

// The names of the outputs, one for each row; what is wrong is reported.
bool readPorts(const Item& item, int rows, Builder& builder, std::vector<std::string>& ports) {
  if (!item.has("outputs")) return true;
  ports = item.names("outputs");
  if (static_cast<int>(ports.size()) != rows) {
    fail(builder, item, "outputs",
         "'outputs' has " + std::to_string(ports.size()) + " names, but the gain has " +
             std::to_string(rows) + " rows",
         "each row of the matrix gives one output");
    return false;
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!math::isExpressionName(ports[i])) {
      fail(builder, item, "outputs", "'" + ports[i] + "' cannot be the name of an output",
           "a name consists of letters, digits and '_' and does not start with a digit");
      return false;
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (ports[i] != ports[j]) continue;
      fail(builder, item, "outputs", "the output '" + ports[i] + "' is named twice");
      return false;
    }
  }
  return true;
}

void makeGain(const Item& item, Builder& builder) {
  if (item.has("input") == item.has("inputs")) {
    return fail(builder, item, "inputs",
                "either 'input' (a signal) or 'inputs' (a list for a matrix) is needed");
  }
  const Eigen::MatrixXd K = item.matrix("gain");
  const std::vector<BlockInput> inputs =
      inputsOf(item, item.has("input") ? "input" : "inputs", builder);
  if (K.size() == 0 || K.cols() != static_cast<int>(inputs.size())) {
    return fail(builder, item, "gain",
                "the gain has " + std::to_string(K.cols()) + " columns for " +
                    std::to_string(inputs.size()) + " inputs",
                "each row of the matrix has one factor for each input");
  }
  std::vector<std::string> ports;
  if (!readPorts(item, static_cast<int>(K.rows()), builder, ports)) return;
  addBlock(item, std::make_unique<Gain>(K), inputs, builder, {}, ports);
}

math::Jet1 calcSquare(double x) {
  return {x * x, 2.0 * x, 2.0};
}

math::Function1 findFunction(std::string_view name) {
  if (name == "square") return calcSquare;
  return math::findExpressionFunction(name)->one;
}

std::vector<std::string> functionNames() {
  std::vector<std::string> names{"square"};
  for (const std::string& name : math::expressionFunctionNames()) {
    if (math::findExpressionFunction(name)->one != nullptr) names.push_back(name);
  }
  return names;
}

void makeFunction(const Item& item, Builder& builder) {
  addBlock(item, std::make_unique<Elementary>(findFunction(item.text("function"))),
           inputsOf(item, "input", builder), builder);
}

bool hasJump(const Item& item) {
  constexpr std::array<std::string_view, 4> kJumping{"sign", "floor", "ceil", "round"};
  return std::find(kJumping.begin(), kJumping.end(), item.text("function")) != kJumping.end();
}

void registerGain(system::Registry& registry) {
  system::Parameter outputs{.name = "outputs",
                            .shape = system::Shape::kTexts,
                            .doc = "names of the outputs, which are then NAME.OUTPUT",
                            .defaultNote = "NAME, or NAME.1, NAME.2 … for several rows"};
  registry.add(
      {.section = "blocks",
       .type = "gain",
       .doc = "A signal times a number, or several signals times a matrix.",
       .parameters = {signal("input", base::kDimensionless, "the signal"),
                      signals("inputs",
                              "the signals that the matrix multiplies; -NAME for the "
                              "negative"),
                      required(anyUnit(system::matrix(
                          "gain",
                          "the factor; or a matrix with one row for each output and one "
                          "column for each input"))),
                      std::move(outputs)},
       .make = makeGain,
       .samples = {blockSample("  y: {type: gain, input: p, gain: -3.5}\n"),
                   blockSample(
                       "  K: {type: gain, inputs: [p, -q, p.rate], gain: [[1, 0, 2], [0, 3, -1]]}\n"
                       "  y: {type: sum, inputs: [K.1, -K.2]}\n"),
                   blockSample(
                       "  K: {type: gain, inputs: [p, q], gain: [[1, 2]], outputs: [force]}\n"
                       "  y: {type: gain, input: K.force, gain: 2}\n")},
       .facts = {.passesJumps = true, .passesIntegral = true, .keepsAway = true}});
}

}  // namespace

void registerAlgebra(system::Registry& registry) {
  registry.add({.section = "blocks",
                .type = "sum",
                .doc = "The sum of signals.",
                .parameters = {required(signals("inputs", "the signals to add; -NAME subtracts"))},
                .make = makeSum,
                .samples = {blockSample("  y: {type: sum, inputs: [p, -q, p.rate, 0.5]}\n")},
                .facts = {.passesJumps = true, .passesIntegral = true, .symbol = "sum"}});
  registerGain(registry);
  registry.add({.section = "blocks",
                .type = "product",
                .doc = "The product of signals.",
                .parameters = {required(signals(
                    "inputs", "the signals to multiply; -NAME is the negative of a signal"))},
                .make = makeProduct,
                .samples = {blockSample("  y: {type: product, inputs: [p, -q, p.rate, 0.5]}\n")},
                .facts = {.passesJumps = true}});
  registry.add(
      {.section = "blocks",
       .type = "ratio",
       .doc = "One signal divided by another. Where the divisor is zero there is no value, and the "
              "simulation stops with a message that names the block.",
       .parameters = {required(signal("numerator", base::kDimensionless, "the dividend")),
                      required(signal("denominator", base::kDimensionless, "the divisor"))},
       .make = makeRatio,
       .samples = {blockSample("  d: {type: ramp, slope: 0.5, offset: 2}\n"
                               "  y: {type: ratio, numerator: p, denominator: d}\n")},
       .facts = {.passesJumps = true}});
  registry.add(
      {.section = "blocks",
       .type = "function",
       .doc = "A function of one signal. Where it has no value, such as the root of a negative "
              "number, the simulation stops with a message that names the block. Time steps do not "
              "end at kinks and jumps, such as those of abs and sign.",
       .parameters = {required(signal("input", base::kDimensionless, "the signal")),
                      required(system::choice("function", functionNames(), "the function"))},
       .make = makeFunction,
       .samples = {blockSample("  y: {type: function, input: p, function: sin}\n"),
                   blockSample("  y: {type: function, input: q, function: square}\n")},
       .facts = {.jumps = hasJump, .passesJumps = true}});
  registerLookups(registry);
}

}  // namespace flexloop::control
