#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addReportCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = *program.add_subcommand(
      "report", "writes a machine, its runs and its modes as one page that needs no program");
  auto request = std::make_shared<api::ReportRequest>();
  command
      .add_option("RESULT", request->files,
                  "result.h5 of a run, the folder that holds one, or a model; several are compared")
      ->required();
  addOverrideOptions(command, line);
  command.add_option("-o,--output", request->target, "file of the page (report.html)")
      ->type_name("FILE")
      ->default_str("report.html");
  command.add_flag("--quiet", line.quiet, "errors only");
  command.callback([request, &line] {
    line.action = [request](const CommandLine& typed, const api::Console& console) {
      request->overrides = typed.model.overrides;
      request->version = FLEXLOOP_VERSION;
      if (request->target.empty()) request->target = "report.html";
      return api::report(*request, console);
    };
  });
}

}  // namespace flexloop::app
