#include "control/blocks/block_samples.hpp"
#include "control/blocks/clock_parameters.hpp"
#include "control/boxes/box_item.hpp"
#include "control/boxes/discon/discon_maker.hpp"
#include "control/boxes/discon/discon_records.hpp"
#include "system/parameter_makers.hpp"

namespace flexloop::control {
namespace {

std::string listOf(const std::vector<DisconRecord>& records) {
  std::string list;
  for (const DisconRecord& record : records) {
    list += std::string(list.empty() ? "" : "; ") + "`" + record.name + "` " + record.doc;
  }
  return list;
}

}  // namespace

void registerDiscon(system::Registry& registry) {
  using system::withNote;
  const system::Parameter outputs{.name = "outputs",
                                  .shape = system::Shape::kTexts,
                                  .doc = "the demands that become signals NAME.OUTPUT: " +
                                         listOf(disconOutputs()) + "; `record_N` any record",
                                  .defaultNote = "all of these"};
  registry.add(
      {.section = "blocks",
       .type = "discon",
       .doc = "A wind-turbine controller in a shared library with the function DISCON(avrSWAP, "
              "aviFAIL, accINFILE, avcOUTNAME, avcMSG), called at every instant of its clock.",
       .parameters = joined(
           {required(system::text("path", "the shared library, relative to this file")),
            withNote(system::text("parameters_file",
                                  "the file whose path the controller gets, relative to this file"),
                     "none"),
            withNote(system::byName(
                         "inputs", system::signals("signal", "the signal, or one for each blade"),
                         "what the controller measures, by name: " + listOf(disconInputs()) +
                             "; `record_N` any record"),
                     "none; other records are zero"),
            outputs, withDefault(samplePeriod(), "10 ms"),
            withDefault(system::text("symbol", "name of the function"), "DISCON")},
           isolationParameters()),
       .make = makeDiscon,
       .samples = {blockSample("  turbine: {type: discon, path: ./boxes/discon.so, inputs: "
                               "{generator_speed: p, blade_pitch: [p, q, p]}, sample: 2 ms}\n"
                               "  y: {type: sum, inputs: [turbine.torque, turbine.pitch1]}\n"),
                   blockSample("  y: {type: discon, path: ./boxes/discon.so, inputs: "
                               "{generator_speed: q, record_120: 3}, outputs: [torque]}\n")},
       .facts = {.isBox = true, .isController = true}});
}

}  // namespace flexloop::control
