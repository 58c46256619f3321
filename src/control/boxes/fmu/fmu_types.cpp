#include <utility>

#include "control/blocks/block_samples.hpp"
#include "control/blocks/clock_parameters.hpp"
#include "control/boxes/box_item.hpp"
#include "control/boxes/fmu/fmu_maker.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {

using system::Parameter;
using system::withNote;

void registerFmus(system::Registry& registry) {
  const Parameter value{.name = "value",
                        .shape = system::Shape::kText,
                        .doc = "its value, in SI where the FMU states a unit",
                        .anyDimension = true};
  const Parameter outputs{.name = "outputs",
                          .shape = system::Shape::kTexts,
                          .doc =
                              "the outputs that become signals NAME.OUTPUT, and NAME itself if "
                              "there is only one",
                          .defaultNote = "all outputs of the FMU"};
  Parameter feedthrough = withNote(
      system::boolean("feedthrough",
                      "of co-simulation: whether outputs at the start follow from the inputs at "
                      "the start; with false, from the start values of the inputs"),
      "as the FMU says");
  feedthrough.defaultText.clear();
  registry.add(
      {.section = "blocks",
       .type = "fmu",
       .doc = "A foreign model: an FMU of FMI 2.0 or 3.0, for co-simulation or model exchange.",
       .parameters = joined(
           {required(system::text("path", "the FMU, relative to this file")),
            withNote(
                system::byName("inputs", system::signals("signal", "the signal; -NAME is negative"),
                               "its inputs by name and the signals that they get, in SI"),
                "none"),
            withNote(system::byName("parameters", value,
                                    "its parameters and start values by name; numbers are SI where "
                                    "the FMU states a unit"),
                     "those of the FMU"),
            outputs,
            withNote(system::choice("kind", {"cs", "me"}, "co-simulation or model exchange"),
                     "what the FMU offers; of both, cs with 'sample' and me without"),
            withNote(samplePeriod(), "the step that the FMU proposes; of co-simulation only"),
            std::move(feedthrough)},
           isolationParameters()),
       .make = makeFmu,
       .samples =
           {blockSample("  y: {type: fmu, path: ./boxes/pid2_cs.fmu, inputs: {e: p}, parameters: "
                        "{Kp: 2.5, Ki: 1}, sample: 1 ms}\n"),
            blockSample("  y: {type: fmu, path: ./boxes/pid2_me.fmu, inputs: {e: -p}, parameters: "
                        "{Kp: 2.5, Ki: 1}}\n"),
            blockSample("  y: {type: fmu, path: ./boxes/pid3_cs.fmu, inputs: {e: p}, sample: 2 "
                        "ms, isolate: false}\n"),
            blockSample("  box: {type: fmu, path: ./boxes/plant3_me.fmu, inputs: {u: q}}\n"
                        "  y: {type: sum, inputs: [box.position, box.square]}\n")},
       .facts = {.isBox = true, .isController = true}});
}

}  // namespace flexloop::control
