// The commands that have files of their own. Each adds itself to the program and, if it is the one that
// the user typed, leaves its action in the command line.
#pragma once

#include "command_line.hpp"

namespace CLI {
class App;
}

namespace flexloop::app {

// MODEL, -p, --set and the options of addTargetOptions.
CLI::App& addModelCommand(CLI::App& program, const char* name, const char* what, CommandLine& line);
// -p and --set
void addOverrideOptions(CLI::App& command, CommandLine& line);
// --out, --json, --csv, --quiet
void addTargetOptions(CLI::App& command, CommandLine& line);
// --from, --to
void addPortOptions(CLI::App& command, commands::LinearRequest& request);
// --cut, --range, --points, --linear, --frequencies
void addFrequencyOptions(CLI::App& command, commands::FrfRequest& request);

void addModesCommand(CLI::App& program, CommandLine& line);
void addSweepCommand(CLI::App& program, CommandLine& line);
void addFrfCommand(CLI::App& program, CommandLine& line);
void addLinearizeCommand(CLI::App& program, CommandLine& line);
void addPlotCommand(CLI::App& program, CommandLine& line);
void addExportCommand(CLI::App& program, CommandLine& line);
void addIdentifyCommand(CLI::App& program, CommandLine& line);
void addViewCommand(CLI::App& program, CommandLine& line);
void addReportCommand(CLI::App& program, CommandLine& line);
void addHelpCommand(CLI::App& program, CommandLine& line);

}  // namespace flexloop::app
