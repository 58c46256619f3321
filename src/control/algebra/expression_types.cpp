#include <memory>

#include "control/algebra/formula_block.hpp"
#include "control/blocks/block_maker.hpp"
#include "control/blocks/block_samples.hpp"
#include "control/sources/source_maker.hpp"
#include "control/sources/time_functions.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Builder;
using system::Item;

namespace {

void makeExpression(const Item& item, Builder& builder) {
  math::NameIndex names{"t"};
  std::vector<BlockInput> inputs;
  if (item.has("inputs")) {
    for (const auto& [name, signal] : item.namedSignals("inputs")) {
      names.add(name);
      inputs.push_back(inputOf(signal, item.placeOf("inputs"), builder));
    }
  }
  const int count = static_cast<int>(inputs.size());
  if (count > FormulaBlock::kMostInputs) {
    return fail(builder, item, "inputs",
                "the formula has " + std::to_string(count) + " inputs, but at most " +
                    std::to_string(FormulaBlock::kMostInputs) + " are allowed",
                "split it into several blocks");
  }
  auto expression = math::Expression::parse(item.text("value"), names);
  if (!expression) {
    const base::Failure& failure = expression.failure();
    const bool isUnknown = failure.message.starts_with("unknown name") && failure.hint.empty();
    return fail(
        builder, item, "value", failure.message,
        isUnknown ? "a signal that the formula uses must be listed in 'inputs'" : failure.hint);
  }
  if (count == 0) return addSource(item, builder, std::make_unique<Formula>(expression.value()));
  addBlock(item, std::make_unique<FormulaBlock>(expression.value(), count), inputs, builder);
}

}  // namespace

void registerExpressions(system::Registry& registry) {
  system::Parameter formula{.name = "value",
                            .shape = system::Shape::kExpression,
                            .doc = "formula of the time t in seconds and of the inputs by name",
                            .required = true,
                            .choices = {"t"}};
  registry.add(
      {.section = "blocks",
       .type = "expression",
       .doc = "A formula of time and signals. Where it has no value, such as after a division by "
              "zero, the simulation stops with a message that names the block. Time steps do not "
              "end at its kinks and jumps.",
       .parameters = {std::move(formula),
                      withNote(system::namedSignals(
                                   "inputs",
                                   "the signals used in the formula: a list of their names, or a "
                                   "map that gives each its own name in the formula"),
                               "a formula of time alone")},
       .make = makeExpression,
       .samples =
           {sourceSample("{type: expression, value: \"= exp(-2*t)*sin(5*t) + t^2\"}"),
            blockSample("  y: {type: expression, value: \"= a*sin(b) + t\", inputs: {a: p, b: "
                        "p.rate}}\n"),
            blockSample("  y: {type: expression, value: \"= p*q - p.rate^3\", inputs: [p, q, "
                        "p.rate]}\n")},
       .facts = {.hasRate = [](const Item& item) { return !item.has("inputs"); },
                 .passesJumps = true}});
}

}  // namespace flexloop::control
