// The command `plot`.
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace flexloop::app {

void addPlotCommand(CLI::App& program, CommandLine& line) {
  CLI::App& command = *program.add_subcommand("plot", "plots the outputs of a run");
  auto request = std::make_shared<commands::PlotRequest>();
  request->records.emplace_back();
  command
      .add_option("RECORD", request->records.front(),
                  "result.h5 or CSV of a run, its folder, or a model, which is run first")
      ->required();
  command.add_option("CHANNEL", request->channels,
                     "outputs to plot, such as theta1 hand *.x (default: all)");
  addOverrideOptions(command, line);
  command
      .add_option("-o", request->file,
                  "output file: .svg, .png or .pdf (default: plot.svg next to the result)")
      ->type_name("FILE");
  command.add_option("--over", request->over, "plot over this channel instead of time")
      ->type_name("CHANNEL");
  command
      .add_option_function<std::vector<std::string>>(
          "--with",
          [request](const std::vector<std::string>& more) {
            request->records.insert(request->records.end(), more.begin(), more.end());
          },
          "plot another record in the same figure")
      ->type_name("RECORD")
      ->allow_extra_args(false);
  for (const char* limit : {"from", "to"}) {
    command
        .add_option_function<std::string>(
            std::string("--") + limit,
            [request, limit](const std::string& text) {
              request->limits.push_back({limit, text});
            },
            limit == std::string("from") ? "start of the plotted interval"
                                         : "end of the plotted interval")
        ->type_name("TIME");
  }
  command
      .add_option("--title", request->title,
                  "title of the figure (default: the name of the result)")
      ->type_name("TEXT");
  command.add_flag("--quiet", line.quiet, "errors only");
  command.callback([request, &line] {
    line.stopsGently = true;
    line.svgFile = request->file;
    line.action = [request](const CommandLine& typed, const commands::Console& console) {
      request->run.model.overrides = typed.model.overrides;
      request->run.version = FLEXLOOP_VERSION;
      request->run.stopRequest = console.stopRequest;
      return commands::plot(*request, console);
    };
  });
}

}  // namespace flexloop::app
