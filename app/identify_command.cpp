#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addIdentifyCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command =
      addModelCommand(program, "identify",
                      "finds the gains of a block, such as a black box, by perturbation", line);
  auto request = std::make_shared<commands::IdentifyRequest>();
  command.add_option("--block", request->block, "name of the block")->type_name("NAME")->required();
  command
      .add_option("--about", request->about,
                  "operating point: initial, equilibrium or steady (default: as for modes)")
      ->type_name("STATE");
  command
      .add_option("--at", request->at, "operating point: the state of a simulation at this time")
      ->type_name("TIME");
  command
      .add_option("--delta", request->delta,
                  "time perturbation, as a fraction of the step (default: 0.1)")
      ->type_name("NUMBER");
  command
      .add_option("--order", request->order,
                  "pid, integrals (up to three) or derivatives (up to two)")
      ->type_name("GAINS");
  command.callback([request, &line] {
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->model = typed.model;
      request->targets = typed.targets;
      return commands::identify(*request, console);
    };
  });
}

}  // namespace flexloop::app
