// The commands `frf` and `linearize`.
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {
namespace {

void addLinearOptions(CLI::App& command, commands::LinearRequest& request) {
  addPortOptions(command, request);
  command
      .add_option("--about", request.about,
                  "operating point: initial, equilibrium or steady (default: as in the model)")
      ->type_name("STATE");
  command.add_option("--at", request.at, "operating point: the state of a simulation at this time")
      ->type_name("TIME");
}

}  // namespace

void addPortOptions(CLI::App& command, commands::LinearRequest& request) {
  command.add_option("--from", request.from, "inputs: signals, or loads that have no signal")
      ->type_name("SIGNAL…");
  command.add_option("--to", request.to, "outputs: signals and sensors")->type_name("SIGNAL…");
}

void addFrequencyOptions(CLI::App& command, commands::FrfRequest& request) {
  command
      .add_option("--cut", request.cut,
                  "cut the loop at this signal; without --from and --to, find its margins")
      ->type_name("SIGNAL");
  command
      .add_option("--range", request.range,
                  "frequency range [Hz] (default: around the first ten modes)")
      ->type_name("LOW:HIGH");
  command.add_option("--points", request.points, "number of frequencies (default: 200)")
      ->type_name("N");
  command.add_flag("--linear", request.linear,
                   "linear instead of logarithmic spacing of frequencies");
  command.add_option("--frequencies", request.frequencies, "list of frequencies [Hz]")
      ->type_name("HZ,…")
      ->delimiter(',');
}

void addFrfCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command =
      addModelCommand(program, "frf", "finds frequency responses and loop margins", line);
  auto request = std::make_shared<commands::FrfRequest>();
  addLinearOptions(command, *request);
  addFrequencyOptions(command, *request);
  command.add_option("--svg", line.svgFile, "Bode figure; - for standard output")
      ->type_name("FILE");
  command.callback([request, &line] {
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->model = typed.model;
      request->targets = typed.targets;
      request->svgFile = typed.svgFile;
      return commands::frf(*request, console);
    };
  });
}

void addLinearizeCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = addModelCommand(program, "linearize",
                                      "finds state equations A, B, C, D between signals", line);
  auto request = std::make_shared<commands::LinearizeRequest>();
  addLinearOptions(command, *request);
  command.add_flag("--minimal", request->minimal, "omit uncontrollable and unobservable states");
  command.add_option("--mat", request->matFile, "MAT-file for MATLAB, Octave and SciPy")
      ->type_name("FILE");
  command.callback([request, &line] {
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->model = typed.model;
      request->targets = typed.targets;
      return commands::linearize(*request, console);
    };
  });
}

}  // namespace flexloop::app
