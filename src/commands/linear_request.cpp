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
      "sampled blocks have no equations in continuous time: their outputs are held constant here",
      "A, B, C and D are those of the machine without their feedback; `flexloop frf` and `flexloop "
      "modes` treat them exactly");
}

std::string LinearCommand::about() const {
  return balanceName(readOperatingPoint(request_.at, request_.about, machine_.model()));
}

std::string LinearCommand::title() const {
  const model::Description& description = machine_.model().description();
  return description.title.empty() ? description.file : description.title;
}

std::vector<Option> portOptions(LinearRequest& request) {
  return {{"--from", "SIGNAL…", "inputs: signals, or loads that have no signal", &request.from},
          {"--to", "SIGNAL…", "outputs: signals and sensors", &request.to}};
}

std::vector<Option> stateOptions(LinearRequest& request) {
  return {{"--about", "STATE",
           "operating point: initial, equilibrium or steady (default: as in the model)",
           &request.about},
          {"--at", "TIME", "operating point: the state of a simulation at this time", &request.at}};
}

std::vector<Option> frequencyOptions(FrfRequest& request) {
  return {{"--cut", "SIGNAL",
           "cut the loop at this signal; without --from and --to, find its margins", &request.cut},
          {"--range", "LOW:HIGH", "frequency range [Hz] (default: around the first ten modes)",
           &request.range},
          {"--points", "N", "number of frequencies (default: 200)", &request.points},
          {"--linear", "", "linear instead of logarithmic spacing of frequencies", &request.linear},
          {"--frequencies",
           "HZ,…",
           "list of frequencies [Hz]",
           &request.frequencies,
           {.delimiter = ','}}};
}

}  // namespace flexloop::commands
