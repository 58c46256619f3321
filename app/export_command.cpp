// The command `export`.
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addExportCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command =
      *program.add_subcommand("export", "exports a run or modes to formats of other programs");
  auto request = std::make_shared<commands::ExportRequest>();
  command
      .add_option("RESULT", line.model.file,
                  "result.h5 of a run, its folder, or a model, which is run first")
      ->required();
  addOverrideOptions(command, line);
  command
      .add_option("-o", request->file,
                  ".csv or .mat: channels; .pvd (ParaView) or .glb (glTF): the moving machine")
      ->required()
      ->type_name("FILE");
  command.add_option("--frames", request->frames, "largest number of frames (default: 500)")
      ->type_name("N")
      ->check(CLI::Range(2, 1000000));
  command.add_flag("--modes", request->modes, "export modes instead of the run, as .vtu or .glb");
  command.add_option("--count", request->count, "number of modes (default: as in the model)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_flag("--quiet", line.quiet, "errors only");
  command.callback([request, &line] {
    line.stopsGently = true;
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->run.model = typed.model;
      request->run.version = FLEXLOOP_VERSION;
      request->run.stopRequest = console.stopRequest;
      return commands::exportResult(*request, console);
    };
  });
}

}  // namespace flexloop::app
