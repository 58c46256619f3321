#include "commands/command.hpp"

// A command is one line here: its name, the function of its file that declares it, and its line of the help.
#define FLEXLOOP_COMMANDS(ADD)                                                              \
  ADD("check", declareCheck, "reads, checks and describes a model")                         \
  ADD("equilibrium", declareEquilibrium, "finds the static equilibrium of a model")         \
  ADD("run", declareRun, "simulates a model in time")                                       \
  ADD("modes", declareModes, "finds the modes of a model with its controllers")             \
  ADD("spectrum", declareSpectrum,                                                          \
      "prints frequencies, damping ratios and amplitudes of recorded outputs")              \
  ADD("sweep", declareSweep,                                                                \
      "repeats an analysis for a range of parameter values, -p NAME=from:to:count")         \
  ADD("frf", declareFrf, "finds frequency responses and loop margins")                      \
  ADD("linearize", declareLinearize, "finds state equations A, B, C, D between signals")    \
  ADD("design", declareDesign, "designs controllers for a model and writes them as blocks") \
  ADD("lpv", declareLpv, "makes and evaluates models whose matrices depend on a parameter") \
  ADD("identify", declareIdentify,                                                          \
      "finds the gains of a block, such as a black box, by perturbation")                   \
  ADD("convert", declareConvert, "makes a model of a file of another program")              \
  ADD("wrap", declareWrap, "writes the C source that makes code in C a black box")          \
  ADD("part", declarePart, "reports what is in a mesh: mass, quality of elements, modes")   \
  ADD("reduce", declareReduce, "reduces a part of a model and reports how good it is")      \
  ADD("plot", declarePlot, "plots the outputs of a run")                                    \
  ADD("export", declareExport, "exports a run or modes to formats of other programs")       \
  ADD("fmu", declareFmu, "exports a model as an FMU, for other tools")                      \
  ADD("view", declareView,                                                                  \
      "shows a machine, its runs and its modes in a browser on this computer")              \
  ADD("report", declareReport,                                                              \
      "writes a machine, its runs and its modes as a self-contained page")                  \
  ADD("scheme", declareScheme, "prints the spectral properties of a time scheme")           \
  ADD("schema", declareSchema, "writes the JSON Schema of the model language, for editors") \
  ADD("manual", declareManual, "writes the reference pages of the model language")          \
  ADD("help", declareHelp, "prints what the manual says about a word")

namespace flexloop::commands {

#define DECLARE(name, declare, meaning) void declare(Call& call);
FLEXLOOP_COMMANDS(DECLARE)
#undef DECLARE

const std::vector<Command>& commandList() {
#define LIST(name, declare, meaning) {name, meaning, declare},
  static const std::vector<Command> list{FLEXLOOP_COMMANDS(LIST)};
#undef LIST
  return list;
}

}  // namespace flexloop::commands
