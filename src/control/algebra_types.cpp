#include <memory>

#include "control/algebra.hpp"
#include "control/block_maker.hpp"
#include "control/block_samples.hpp"
#include "control/block_types.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;

namespace {

void makeSum(const Item& item, Builder& builder) {
  const std::vector<BlockInput> inputs = inputsOf(item, "inputs", builder);
  addBlock(item, std::make_unique<Sum>(static_cast<int>(inputs.size())), inputs, builder);
}

void makeGain(const Item& item, Builder& builder) {
  const Eigen::MatrixXd K = Eigen::MatrixXd::Constant(1, 1, item.number("gain"));
  addBlock(item, std::make_unique<Gain>(K), inputsOf(item, "input", builder), builder);
}

}  // namespace

void registerAlgebra(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "sum",
       .doc = "The sum of signals.",
       .parameters = {required(system::signals("inputs", "what is added; -NAME subtracts"))},
       .make = makeSum,
       .samples = {blockSample("  y: {type: sum, inputs: [p, -q, p.rate, 0.5]}\n")}});
  registry.add(
      {.section = "blocks",
       .type = "gain",
       .doc = "A signal times a number.",
       .parameters = {required(system::signal("input", base::kDimensionless, "the signal")),
                      required(
                          anyUnit(system::number("gain", base::kDimensionless, "the factor")))},
       .make = makeGain,
       .samples = {blockSample("  y: {type: gain, input: p, gain: -3.5}\n")}});
}

}  // namespace flexloop::control
