#include "commands/linear_request.hpp"

#include <ostream>

#include "commands/mode_options.hpp"

namespace flexloop::commands {

LinearCommand::LinearCommand(const LinearRequest& request, const analysis::PortNames& names,
                             const Console& console)
    : request_(request), console_(console), machine_(request.model, names) {}

void LinearCommand::checkOperatingPoint() const {
  (void)readOperatingPoint(request_.at, request_.about, machine_.model());
}

void LinearCommand::linearize(bool hasSamples) {
  const model::Model& model = machine_.model();
  if (!console_.quiet) model.warnings().print(*console_.errors);
  api::throwIfAny(machine_.linearize(readOperatingPoint(request_.at, request_.about, model)));
  if (!hasSamples) warnOfSamples();
  if (console_.quiet) return;
  console_.warn(machine_.warnings());
  if (std::string note = machine_.describeAxes(); !note.empty()) {
    console_.warn(std::vector<std::string>{std::move(note)});
  }
}

void LinearCommand::warnOfSamples() const {
  if (machine_.sampled().elements.empty()) return;
  console_.warn(
      "sampled blocks have no equations in continuous time: here they hold their outputs",
      "A, B, C and D are those of the machine without what they feed back; `flexloop frf` and "
      "`flexloop modes` treat them exactly");
}

std::string LinearCommand::title() const {
  const model::Description& description = machine_.model().description();
  return description.title.empty() ? description.file : description.title;
}

std::vector<Option> portOptions(LinearRequest& request) {
  return {{"--from", "SIGNAL…", "inputs: signals, or loads without one", &request.from},
          {"--to", "SIGNAL…", "outputs: signals and sensors", &request.to}};
}

std::vector<Option> stateOptions(LinearRequest& request) {
  return {{"--about", "STATE",
           "state that is linearised: initial, equilibrium or steady (as the model says)",
           &request.about},
          {"--at", "TIME", "state that is linearised: of a simulation at this time", &request.at}};
}

std::vector<Option> frequencyOptions(FrfRequest& request) {
  return {{"--cut", "SIGNAL", "cuts the loop at this signal; alone: its margins", &request.cut},
          {"--range", "LOW:HIGH", "frequencies [Hz] (about the first ten modes)", &request.range},
          {"--points", "N", "number of frequencies (200)", &request.points},
          {"--linear", "", "frequencies in equal steps, not equal factors", &request.linear},
          {"--frequencies",
           "HZ,…",
           "frequencies one by one [Hz]",
           &request.frequencies,
           {.delimiter = ','}}};
}

}  // namespace flexloop::commands
