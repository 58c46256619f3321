#include <memory>
#include <utility>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/blocks/clock_parameters.hpp"
#include "control/sampled/sampled.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::Item;
using system::number;
using system::numbers;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

Parameter inputSignal() {
  return required(system::signal("input", base::kDimensionless, "the signal that is sampled"));
}

Parameter initialNumber() {
  return withDefault(
      anyUnit(number("initial", base::kDimensionless, "output before the first instant")), "0");
}

Parameter gain(const char* name, const char* doc) {
  return anyUnit(number(name, base::kDimensionless, doc));
}

void makeHold(const Item& item, Builder& builder) {
  const double initial = item.number("initial");
  addBlock(item, std::make_unique<ZeroOrderHold>(clockOf(item, builder)),
           inputsOf(item, "input", builder), builder, {.outputs = {initial}, .memory = {initial}});
}

void makeUnitDelay(const Item& item, Builder& builder) {
  const double initial = item.number("initial");
  addBlock(item, std::make_unique<UnitDelay>(clockOf(item, builder)),
           inputsOf(item, "input", builder), builder,
           {.outputs = {initial}, .memory = {initial, initial}});
}

// Without the zeros in front, which are no powers of z.
std::vector<double> coefficientsOf(const Item& item, std::string_view key) {
  std::vector<double> all = item.numbers(key);
  const auto first = std::find_if(all.begin(), all.end(), [](double c) { return c != 0.0; });
  all.erase(all.begin(), first);
  return all;
}

void makeTransferFunction(const Item& item, Builder& builder) {
  std::vector<double> numerator = coefficientsOf(item, "numerator");
  std::vector<double> denominator = coefficientsOf(item, "denominator");
  if (denominator.empty()) return fail(builder, item, "denominator", "the denominator is zero");
  if (numerator.size() > denominator.size()) {
    return fail(builder, item, "numerator",
                "the numerator has degree " + std::to_string(numerator.size() - 1) +
                    " and the denominator " + std::to_string(denominator.size() - 1) +
                    ", so the output would depend on future inputs",
                "give coefficients of descending powers of z, the last that of 1: [1, 0] is z");
  }
  numerator.insert(numerator.begin(), denominator.size() - numerator.size(), 0.0);
  const double leading = denominator.front();
  for (double& c : numerator) c /= leading;
  for (double& c : denominator) c /= leading;
  const double initial = item.number("initial");
  addBlock(
      item,
      std::make_unique<DiscreteStateSpace>(clockOf(item, builder), realize(numerator, denominator)),
      inputsOf(item, "input", builder), builder, {.outputs = {initial}, .memory = {initial}});
}

std::string sizeText(const Eigen::MatrixXd& m) {
  return std::to_string(m.rows()) + "×" + std::to_string(m.cols());
}

bool hasSize(const Item& item, const char* key, const Eigen::MatrixXd& m, Eigen::Index rows,
             Eigen::Index columns, Builder& builder) {
  if (m.rows() == rows && m.cols() == columns) return true;
  fail(builder, item, key,
       std::string("'") + key + "' is " + sizeText(m) + " and must be " + std::to_string(rows) +
           "×" + std::to_string(columns),
       "A has a row and a column per state, B a column per input, C a row per output, D a row per "
       "output and a column per input");
  return false;
}

void makeStateSpace(const Item& item, Builder& builder) {
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  linalg::StateMatrices m{item.matrix("A"), item.matrix("B"), item.matrix("C"), {}};
  const auto states = m.A.rows(), outputs = m.C.rows();
  const auto columns = static_cast<Eigen::Index>(inputs.size());
  m.D = item.has("D") ? item.matrix("D") : Eigen::MatrixXd::Zero(outputs, columns);
  if (!hasSize(item, "A", m.A, states, states, builder) ||
      !hasSize(item, "B", m.B, states, columns, builder) ||
      !hasSize(item, "C", m.C, outputs, states, builder) ||
      !hasSize(item, "D", m.D, outputs, columns, builder)) {
    return;
  }
  BlockStart start;
  start.memory.assign(outputs, item.number("initial"));
  start.outputs = start.memory;
  if (item.has("x0")) {
    const std::vector<double> x0 = item.numbers("x0");
    if (static_cast<Eigen::Index>(x0.size()) != states) {
      return fail(builder, item, "x0",
                  "'x0' has " + std::to_string(x0.size()) + " entries, but there are " +
                      std::to_string(states) + " states");
    }
    start.memory.insert(start.memory.end(), x0.begin(), x0.end());
  }
  addBlock(item, std::make_unique<DiscreteStateSpace>(clockOf(item, builder), std::move(m)), inputs,
           builder, start);
}

DiscretePid::Method methodOf(const std::string& word) {
  if (word == "forward") return DiscretePid::Method::kForward;
  return word == "backward" ? DiscretePid::Method::kBackward : DiscretePid::Method::kTrapezoidal;
}

void makePid(const Item& item, Builder& builder) {
  DiscretePid::Settings settings{
      .kp = item.number("kp"),
      .ki = item.number("ki"),
      .kd = item.number("kd"),
      .period = item.number("sample"),
      // A derivative that is none has nothing to remember, and makes no branch.
      .filter = item.number("kd") != 0.0 ? item.number("filter") : 0.0,
      .method = methodOf(item.text("method"))};
  settings.limits = readRange(item, builder);
  std::vector<BlockInput> inputs = inputsOf(item, "input", builder);
  inputs.push_back(inputsOf(item, "reference", builder).front());
  const double initial = item.number("initial");
  addBlock(item, std::make_unique<DiscretePid>(clockOf(item, builder), settings), inputs, builder,
           {.outputs = {initial}, .memory = {initial}});
}

void registerHolds(system::Registry& registry) {
  const auto addHold = [&](const char* type, const char* doc) {
    registry.add({.section = "blocks",
                  .type = type,
                  .doc = doc,
                  .parameters = joined({inputSignal(), initialNumber()}, clockParameters()),
                  .make = makeHold,
                  .samples = {blockSample(std::string("  y: {type: ") + type +
                                          ", input: p, sample: 1 ms}\n")}});
  };
  addHold("zero_order_hold", "Samples a signal at every instant and holds it until the next.");
  addHold("hold", "Short name for zero_order_hold.");
  registry.add({.section = "blocks",
                .type = "unit_delay",
                .doc = "The signal at the previous instant, held until the next.",
                .parameters = joined(
                    {inputSignal(), withDefault(anyUnit(number("initial", base::kDimensionless,
                                                               "output until the second "
                                                               "instant")),
                                                "0")},
                    clockParameters()),
                .make = makeUnitDelay,
                .samples = {blockSample(
                    "  y: {type: unit_delay, input: p, sample: 5 ms, initial: 0.4}\n")}});
}

void registerLinear(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "discrete_transfer_function",
       .doc = "A transfer function in z, evaluated at every instant.",
       .parameters =
           joined({inputSignal(),
                   required(anyUnit(numbers("numerator", base::kDimensionless,
                                            "coefficients of descending powers of z"))),
                   required(anyUnit(numbers("denominator", base::kDimensionless,
                                            "coefficients of descending powers of z, no fewer than "
                                            "those of the numerator"))),
                   initialNumber()},
                  clockParameters()),
       .make = makeTransferFunction,
       .samples = {blockSample("  y: {type: discrete_transfer_function, input: p, sample: 1 ms, "
                               "numerator: [0.1, 0.2], denominator: [1, -0.7]}\n")}});
  registry.add(
      {.section = "blocks",
       .type = "discrete_state_space",
       .doc = "y = C x + D u at every instant; the states are A x + B u at the next.",
       .parameters = joined(
           {required(system::signals("inputs", "u; -NAME is negative")),
            required(system::matrix("A", "a row and a column per state")),
            required(system::matrix("B", "a row per state, a column per input")),
            required(system::matrix("C", "a row per output, a column per state")),
            withNote(system::matrix("D", "a row per output, a column per input"), "zero"),
            withNote(anyUnit(numbers("x0", base::kDimensionless, "states at the first instant")),
                     "zero"),
            withDefault(anyUnit(number("initial", base::kDimensionless,
                                       "outputs before the first instant")),
                        "0")},
           clockParameters()),
       .make = makeStateSpace,
       .samples = {
           blockSample("  z: {type: discrete_state_space, inputs: [p, -q], sample: 2 ms, A: "
                       "[[0.9, 0.1], [0, 0.8]], B: [[0, 0], [1, 0.5]], C: [[1, 0], [0, 1]], "
                       "D: [[0.1, 0], [0, 0]], x0: [0.3, 0]}\n"
                       "  y: {type: sum, inputs: [z.1, z.2]}\n")}});
}

void registerPid(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "discrete_pid",
       .doc = "A sampled PID controller: kp e + integral + derivative, e = reference − input; "
              "integral and derivative are zero at the first instant.",
       .parameters = joined(
           {required(system::signal("input", base::kDimensionless, "the measured signal")),
            withDefault(system::signal("reference", base::kDimensionless, "the setpoint"), "0"),
            required(gain("kp", "gain of the error")),
            withDefault(gain("ki", "gain of its integral"), "0"),
            withDefault(gain("kd", "gain of its derivative"), "0"),
            withDefault(notNegative(number("filter", base::kTime,
                                           "time constant of a lag on the derivative")),
                        "0"),
            withDefault(
                system::choice(
                    "method", {"backward", "forward", "trapezoidal"},
                    "integration rule: with the current error, the previous error, or their mean"),
                "backward"),
            withNote(counted(anyUnit(numbers("limits", base::kDimensionless,
                                             "smallest and largest output; the integral is held "
                                             "rather than driving the output beyond them")),
                             2),
                     "none"),
            initialNumber()},
           clockParameters()),
       .make = makePid,
       .samples = {blockSample(
                       "  y: {type: discrete_pid, input: p, reference: q, kp: 3, ki: 2, kd: 0.1, "
                       "sample: 1 ms}\n"),
                   blockSample(
                       "  y: {type: discrete_pid, input: p, reference: 0.5, kp: 3, ki: 2, kd: 0.1, "
                       "filter: 4 ms, method: trapezoidal, limits: [-2, 2], sample: 1 ms, offset: "
                       "0.3 ms, initial: 0.2}\n")},
       .facts = {.isController = true, .integratesFreely = [](const Item& item) {
                   return !item.has("limits") && item.number("ki") != 0.0;
                 }}});
}

}  // namespace

void registerSampled(system::Registry& registry) {
  registerHolds(registry);
  registerLinear(registry);
  registerPid(registry);
}

}  // namespace flexloop::control
