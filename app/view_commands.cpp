// The commands `view` and `report`.
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {
namespace {

void addViewedFiles(CLI::App& command, CommandLine& line, std::vector<std::string>& files) {
  command
      .add_option(
          "RESULT", files,
          "result.h5 of a run, a folder that contains one, or a model; several are compared")
      ->required();
  addOverrideOptions(command, line);
}

}  // namespace

void addViewCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = *program.add_subcommand(
      "view", "shows a machine, its runs and its modes in a browser on this computer");
  auto request = std::make_shared<commands::ViewRequest>();
  addViewedFiles(command, line, request->files);
  command.add_option("--port", request->port, "port to listen on (default: any free port)")
      ->type_name("N")
      ->check(CLI::Range(1, 65535));
  command.add_flag("!--no-open", request->opensBrowser,
                   "print the address instead of opening a browser");
  command.add_flag("--watch", request->watches, "follow a run in progress");
  command.callback([request, &line] {
    line.stopsGently = true;
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->overrides = typed.model.overrides;
      request->version = FLEXLOOP_VERSION;
      return commands::view(*request, console);
    };
  });
}

void addReportCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = *program.add_subcommand(
      "report", "writes a machine, its runs and its modes as a self-contained page");
  auto request = std::make_shared<commands::ReportRequest>();
  addViewedFiles(command, line, request->files);
  command.add_option("-o,--output", request->target, "output file (default: report.html)")
      ->type_name("FILE")
      ->default_str("report.html");
  command.add_flag("--quiet", line.quiet, "errors only");
  command.callback([request, &line] {
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->overrides = typed.model.overrides;
      request->version = FLEXLOOP_VERSION;
      if (request->target.empty()) request->target = "report.html";
      return commands::report(*request, console);
    };
  });
}

}  // namespace flexloop::app
