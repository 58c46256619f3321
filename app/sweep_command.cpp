#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addSweepCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = addModelCommand(
      program, "sweep", "repeats an analysis for the values of -p NAME=from:to:count", line);
  auto request = std::make_shared<commands::SweepRequest>();
  command
      .add_option("--do", request->analysis, "modes (default), equilibrium, run, frf or linearize")
      ->type_name("ANALYSIS");
  command
      .add_option("--jobs", request->jobs,
                  "points at once (as many as cores; 1 with black boxes that are called directly)")
      ->type_name("N");
  command.add_flag("--log", request->logarithmic, "steps by equal factors");
  command
      .add_option("--find-stability-limit", request->modes.limitOf,
                  "where a mode turns unstable, within the range of this parameter")
      ->type_name("NAME");
  command.add_option("--count", request->modes.count, "number of modes (10)")->type_name("N");
  command.add_option("--near", request->modes.nearHz, "modes nearest to this frequency [Hz]")
      ->type_name("HZ");
  command.add_option("--loop", request->modes.loop, "closed, open or locked")->type_name("VIEW");
  command.add_option("--bodies", request->modes.bodies, "flexible or rigid")->type_name("VIEW");
  command
      .add_option("--about", request->modes.about,
                  "state that is linearised: initial, equilibrium or steady (as the model says)")
      ->type_name("STATE");
  command.add_option("--at", request->modes.at, "state that is linearised: at this time")
      ->type_name("TIME");
  addPortOptions(command, request->response);
  addFrequencyOptions(command, request->response);
  command.add_flag("--minimal", request->minimal,
                   "of state equations: leaves out what no input reaches or no output sees");
  command.add_option("--svg", line.svgFile, "figure; - for standard output")->type_name("FILE");
  command
      .add_option("--figure", request->figure,
                  "campbell (default), locus or damping; a map of stability for two parameters")
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
