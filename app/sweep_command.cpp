#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addSweepCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = addModelCommand(
      program, "sweep",
      "repeats an analysis for a range of parameter values, -p NAME=from:to:count", line);
  auto request = std::make_shared<commands::SweepRequest>();
  command
      .add_option("--do", request->analysis, "modes (default), equilibrium, run, frf or linearize")
      ->type_name("ANALYSIS");
  command
      .add_option("--jobs", request->jobs,
                  "points computed at once (default: number of cores; 1 with black boxes that are "
                  "called directly)")
      ->type_name("N");
  command.add_flag("--log", request->logarithmic, "logarithmic spacing");
  command
      .add_option("--find-stability-limit", request->modes.limitOf,
                  "find where a mode becomes unstable, within the range of this parameter")
      ->type_name("NAME");
  command.add_option("--count", request->modes.count, "number of modes (default: 10)")
      ->type_name("N");
  command.add_option("--near", request->modes.nearHz, "modes nearest to this frequency [Hz]")
      ->type_name("HZ");
  command.add_option("--loop", request->modes.loop, "closed, open or locked")->type_name("VIEW");
  command.add_option("--bodies", request->modes.bodies, "flexible or rigid")->type_name("VIEW");
  command
      .add_option("--about", request->modes.about,
                  "operating point: initial, equilibrium or steady (default: as in the model)")
      ->type_name("STATE");
  command
      .add_option("--at", request->modes.at,
                  "operating point: the state of a simulation at this time")
      ->type_name("TIME");
  addPortOptions(command, request->response);
  addFrequencyOptions(command, request->response);
  command.add_flag("--minimal", request->minimal,
                   "state equations: omit uncontrollable and unobservable states");
  command.add_option("--svg", line.svgFile, "figure; - for standard output")->type_name("FILE");
  command
      .add_option("--figure", request->figure,
                  "campbell (default), locus or damping; with two parameters, a stability map")
      ->type_name("KIND");
  command.callback([request, &line] {
    line.stopsGently = true;
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->modes.model = typed.model;
      request->modes.targets = typed.targets;
      request->svgFile = typed.svgFile;
      return commands::sweep(*request, console);
    };
  });
}

}  // namespace flexloop::app
