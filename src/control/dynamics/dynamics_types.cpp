#include "control/dynamics/dynamics_types.hpp"

#include <memory>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/dynamics/derivative.hpp"
#include "control/dynamics/integrator.hpp"
#include "control/dynamics/rate_limiter.hpp"
#include "control/dynamics/realization.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

Parameter value(const char* name, const char* doc) {
  return anyUnit(number(name, base::kDimensionless, doc));
}

void makeIntegrator(const Item& item, Builder& builder) {
  Integrator::Settings s;
  s.gain = item.number("gain");
  s.start = item.number("initial");
  s.limits = {item.number("lower", s.limits.lower), item.number("upper", s.limits.upper)};
  s.hasReset = item.has("reset");
  if (s.limits.lower >= s.limits.upper) {
    return fail(builder, item, "lower", "'lower' is not less than 'upper'");
  }
  if (s.limits.branchOf(s.start) != 0) {
    return fail(builder, item, "initial", "'initial' is not between the limits");
  }
  std::vector<BlockInput> inputs = inputsOf(item, "input", builder);
  const BlockStart start{.states = {s.start}, .outputs = {s.start}};
  if (!s.hasReset && !item.has("lower") && !item.has("upper")) {
    const auto one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x); };
    const StateMatrices plain{one(0.0), one(s.gain), one(1.0), one(0.0)};
    return addBlock(item, std::make_unique<LinearSystem>(plain), inputs, builder, start);
  }
  if (s.hasReset) inputs.push_back(inputsOf(item, "reset", builder).front());
  addBlock(item, std::make_unique<Integrator>(s), inputs, builder, start);
}

void makeDerivative(const Item& item, Builder& builder) {
  BlockStart start;
  start.memory.assign(Derivative::kMemory, 0.0);
  if (item.has("initial")) {
    start.memory[Derivative::kOffset] = item.number("initial");
    start.memory[Derivative::kHasStarted] = 1.0;
  }
  addBlock(item, std::make_unique<Derivative>(item.number("filter")),
           inputsOf(item, "input", builder), builder, start);
}

void makeRateLimiter(const Item& item, Builder& builder) {
  BlockStart start;
  start.memory.assign(RateLimiter::kMemory, 0.0);
  if (item.has("initial")) {
    start.states = {item.number("initial")};
    start.memory[RateLimiter::kHasStarted] = 1.0;
  }
  const double up = item.number("up");
  addBlock(item,
           std::make_unique<RateLimiter>(Range{-item.number("down", up), up}, item.number("lag")),
           inputsOf(item, "input", builder), builder, start);
}

bool integratesFreely(const Item& item) {
  return !item.has("lower") && !item.has("upper") && !item.has("reset") &&
         item.number("gain", 1.0) != 0.0;
}

void registerIntegrator(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "integrator",
       .doc = "The integral of a signal. It stays at a limit while the input pushes outwards.",
       .parameters = {inputParameter(), withDefault(value("gain", "factor of the input"), "1"),
                      withDefault(value("initial", "value at the start and after a reset"), "0"),
                      withNote(value("lower", "lower limit"), "none"),
                      withNote(value("upper", "upper limit"), "none"),
                      withNote(system::signal("reset", base::kDimensionless,
                                              "when this signal rises through zero, the integral "
                                              "restarts from its initial value"),
                               "none")},
       .make = makeIntegrator,
       .samples = {blockSample("  y: {type: integrator, input: p, gain: 2.5, initial: 0.3}\n"),
                   blockSample(
                       "  y: {type: integrator, input: p, lower: -1, upper: 2, reset: q}\n"),
                   blockSample("  y: {type: integrator, input: p, gain: -3, upper: 0.2}\n")},
       .facts = {.integratesFreely = integratesFreely, .keepsAway = true}});
}

}  // namespace

Parameter inputParameter() {
  return required(system::signal("input", base::kDimensionless, "the signal"));
}

Parameter initialOutputParameter() {
  return withNote(value("initial_output", "the block starts in steady state with this output"),
                  "all states are zero");
}

void addSingleSystem(const Item& item, const StateMatrices& system, Builder& builder,
                     const char* key) {
  BlockStart start;
  if (item.has(key)) {
    const auto rest = findRest(system, item.number(key));
    if (!rest) {
      return fail(builder, item, key, "the block has no steady state with this output",
                  "its steady-state output is zero for any input; omit it");
    }
    start = {.states = *rest, .outputs = {item.number(key)}};
  }
  addBlock(item, std::make_unique<LinearSystem>(system), inputsOf(item, "input", builder), builder,
           start);
}

void registerDynamics(system::Registry& registry) {
  registerIntegrator(registry);
  registry.add(
      {.section = "blocks",
       .type = "derivative",
       .doc = "The filtered derivative s/(T s + 1) of a signal. A sensor has an exact derivative: "
              "NAME.rate.",
       .parameters = {inputParameter(),
                      required(positive(number("filter", base::kTime, "time constant T"))),
                      withNote(value("initial", "value of the input before the start"),
                               "the input at the start, so that the derivative starts at zero")},
       .make = makeDerivative,
       .samples = {blockSample("  y: {type: derivative, input: p, filter: 50 ms}\n"),
                   blockSample("  y: {type: derivative, input: p, filter: 1, initial: 2}\n")}});
  registerLinearSystems(registry);
  registerFilters(registry);
  registerPid(registry);
  registerDelay(registry);
  registry.add(
      {.section = "blocks",
       .type = "rate_limiter",
       .doc = "Follows a signal with a short lag, limited to given rates of increase and decrease.",
       .parameters =
           {inputParameter(), required(positive(value("up", "largest increase per second"))),
            withNote(positive(value("down", "largest decrease per second")), "as up"),
            withDefault(positive(number("lag", base::kTime, "time constant with which it follows")),
                        "1 ms"),
            withNote(value("initial", "output at the start"), "the input at the start")},
       .make = makeRateLimiter,
       .samples = {
           blockSample("  y: {type: rate_limiter, input: p, up: 0.5, down: 2, lag: 0.1}\n"),
           blockSample("  y: {type: rate_limiter, input: p, up: 3, initial: 0.2, lag: 0.5}\n")}});
}

}  // namespace flexloop::control
