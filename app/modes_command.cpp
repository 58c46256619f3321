#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addModesCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command =
      addModelCommand(program, "modes", "finds the modes of a model with its controllers", line);
  auto request = std::make_shared<commands::ModesRequest>();
  command.add_option("--count", request->count, "number of modes (default: 10)")->type_name("N");
  command.add_option("--near", request->nearHz, "modes nearest to this frequency [Hz]")
      ->type_name("HZ");
  command
      .add_option("--loop", request->loop,
                  "closed; open: actuator forces are constant; locked: driven joints are held")
      ->type_name("VIEW");
  command
      .add_option("--bodies", request->bodies,
                  "flexible, or rigid as often assumed in controller design")
      ->type_name("VIEW");
  command
      .add_option("--method", request->method,
                  "full; with PID-like controllers also undamped, 2n or 3n (effective matrices)")
      ->type_name("METHOD");
  command
      .add_option("--matrices", request->matricesFile,
                  "write the effective matrices of machine and controllers as JSON")
      ->type_name("FILE");
  command
      .add_option("--about", request->about,
                  "operating point: initial, equilibrium or steady (default: as in the model)")
      ->type_name("STATE");
  command
      .add_option("--at", request->at, "operating point: the state of a simulation at this time")
      ->type_name("TIME");
  command
      .add_option("--every", request->every,
                  "find the modes repeatedly during a simulation, at this interval [s]")
      ->type_name("TIME");
  command
      .add_option("--sensitivity", request->sensitivity,
                  "sensitivities of the modes to parameters; list the N largest (default: 10)")
      ->type_name("N")
      ->expected(0, 1)
      ->default_str("10");
  command
      .add_option("--of", request->of,
                  "include this value of the model, for example springs.k1.stiffness")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command
      .add_option(
          "--find-stability-limit", request->limitOf,
          "find where a mode becomes unstable, in this range (default: around the present value)")
      ->type_name("NAME[=from:to]");
  command.add_flag("--compare", request->compare,
                   "compare modes with controllers, with rigid bodies and with locked joints");
  command.add_flag("--explain", request->explain,
                   "describe each mode and where its damping comes from");
  command
      .add_option("--mac", request->macFile,
                  "compare the shapes with those in the JSON file of another run")
      ->type_name("FILE");
  command.callback([request, &line] {
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->model = typed.model;
      request->targets = typed.targets;
      return commands::modes(*request, console);
    };
  });
}

}  // namespace flexloop::app
