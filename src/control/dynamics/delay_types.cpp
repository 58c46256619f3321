#include <memory>

#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/dynamics/delay.hpp"
#include "control/dynamics/dynamics_types.hpp"
#include "control/dynamics/realization.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;
using system::number;
using system::Parameter;
using system::withDefault;
using system::withNote;

namespace {

constexpr double kHighestPade = 10.0;

// (14.21): the coefficients of Π(−s τ)/Π(s τ) by descending powers.
StateMatrices makePade(int order, double delay) {
  std::vector<double> numerator(order + 1), denominator(order + 1);
  double coefficient = 1.0;
  for (int k = 0; k <= order; ++k) {
    denominator[order - k] = coefficient;
    numerator[order - k] = k % 2 == 0 ? coefficient : -coefficient;
    coefficient *= delay * (order - k) / ((2.0 * order - k) * (k + 1.0));
  }
  return realizeTransferFunction(numerator, denominator);
}

void makeDelay(const Item& item, Builder& builder) {
  const double delay = item.number("delay"), initial = item.number("initial");
  if (item.has("pade")) {
    return addSingleSystem(item, makePade(item.integer("pade"), delay), builder, "initial");
  }
  addBlock(item, std::make_unique<TransportDelay>(delay), inputsOf(item, "input", builder), builder,
           {.outputs = {initial},
            .memory = TransportDelay::startMemory(),
            .record = TransportDelay::startRecord(initial)});
}

}  // namespace

void registerDelay(system::Registry& registry) {
  Parameter pade{.name = "pade",
                 .shape = system::Shape::kInteger,
                 .doc =
                     "a Padé approximation of this order instead, a transfer function with "
                     "states"};
  pade.lower = 1.0;
  pade.upper = kHighestPade;
  registry.add(
      {.section = "blocks",
       .type = "transport_delay",
       .doc = "A signal delayed by a fixed time.",
       .parameters = {inputParameter(),
                      required(positive(number("delay", base::kTime, "the delay"))),
                      withDefault(anyUnit(number("initial", base::kDimensionless,
                                                 "value of the signal before the start")),
                                  "0"),
                      withNote(pade, "the exact delay")},
       .make = makeDelay,
       .samples = {
           blockSample("  y: {type: transport_delay, input: p, delay: 50 ms, initial: 0.2}\n"),
           blockSample("  y: {type: transport_delay, input: p, delay: 0.3, pade: 3}\n")}});
}

}  // namespace flexloop::control
