#include <utility>

#include "control/blocks/block_samples.hpp"
#include "control/blocks/clock_parameters.hpp"
#include "control/boxes/box_item.hpp"
#include "control/boxes/box_maker.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::anyUnit;
using system::numbers;
using system::Parameter;
using system::withNote;

namespace {

std::vector<Parameter> boxParameters() {
  const Parameter outputs{.name = "outputs",
                          .shape = system::Shape::kTexts,
                          .doc =
                              "names of its outputs, in its order: the signals NAME.OUTPUT, and "
                              "NAME itself if there is only one",
                          .required = true};
  return joined(
      {required(system::text("path", "the shared library, relative to this file")),
       required(system::signals("inputs", "its inputs, in its order; -NAME is negative")), outputs,
       withNote(system::text("config", "text passed to block_create"), "an empty text")},
      isolationParameters());
}

void registerLibrary(system::Registry& registry) {
  registry.add(
      {.section = "blocks",
       .type = "library",
       .doc = "A controller in a shared library, called through block_output of flexloop_block.h: "
              "at every instant of its clock or, without 'sample', in continuous time.",
       .parameters =
           joined(boxParameters(),
                  {withNote(samplePeriod(), "no clock: part of the equations"), sampleOffset(),
                   withNote(anyUnit(numbers("initial", base::kDimensionless,
                                            "outputs before the first instant")),
                            "zero")}),
       .make = makeLibrary,
       .samples = {blockSample("  y: {type: library, path: ./boxes/pi.so, inputs: [p], outputs: "
                               "[force], sample: 1 ms, config: \"100 20\"}\n"),
                   blockSample("  y: {type: library, path: ./boxes/pi.so, inputs: [-p], outputs: "
                               "[force], config: \"100 20\", time_limit: 60 s}\n"),
                   blockSample("  box: {type: library, path: ./boxes/cubic.so, inputs: [p, q], "
                               "outputs: [sum, product], isolate: false}\n"
                               "  y: {type: sum, inputs: [box.sum, box.product]}\n")},
       .facts = {.isBox = true, .isController = true}});
}

void registerNonlinear(system::Registry& registry) {
  Parameter states{.name = "states",
                   .shape = system::Shape::kInteger,
                   .doc = "number of states",
                   .required = true,
                   .lower = 0.0};
  Parameter feedthrough =
      system::boolean("feedthrough",
                      "whether outputs depend on inputs at the same instant; with false, a sampled "
                      "controller can close a loop around it");
  feedthrough.defaultText = "true";
  registry.add(
      {.section = "blocks",
       .type = "nonlinear",
       .doc = "x' = f(t, x, u), y = h(t, x, u) in a shared library: block_derivative, "
              "block_nonlinear_output and, if it has one, block_jacobian of flexloop_block.h.",
       .parameters = joined(
           boxParameters(),
           {std::move(states),
            withNote(anyUnit(numbers("x0", base::kDimensionless, "states at the start")), "zero"),
            std::move(feedthrough)}),
       .make = makeNonlinear,
       .samples = {blockSample(
                       "  box: {type: nonlinear, path: ./boxes/pendulum.so, inputs: [p, q], "
                       "outputs: [angle, product, time], states: 2, x0: [0.3, 0]}\n"
                       "  y: {type: sum, inputs: [box.angle, box.product, box.time]}\n"),
                   blockSample("  y: {type: nonlinear, path: ./boxes/lag.so, inputs: [p], outputs: "
                               "[x], states: 1, feedthrough: false}\n")},
       .facts = {.isBox = true, .isController = true}});
}

}  // namespace

void registerBoxes(system::Registry& registry) {
  registerLibrary(registry);
  registerNonlinear(registry);
}

}  // namespace flexloop::control
