// The commands of the program, for the command line, Python and others. Results go to files,
// readable text to `Console::text`, and what is wrong to `Console::errors`.
//
// Nothing is thrown: bad input and errors of the environment end in an Outcome.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/load.hpp"
#include "reports/scheme_options.hpp"
#include "reports/spectrum_options.hpp"

namespace flexloop::commands {

enum class Outcome { kDone = 0, kBadInput = 2, kNumericsFailed = 3, kFailed = 4 };

struct Console {
  std::ostream* text = nullptr;               // never null
  std::ostream* errors = nullptr;             // never null; progress goes here too
  bool isTerminal = false;                    // of `errors`: draw a bar
  bool quiet = false;                         // errors only
  const volatile int* stopRequest = nullptr;  // not zero: the user wants to stop; may be null
};

struct Targets {
  std::string directory;  // empty: out/<model>
  std::string csvFile;    // empty: none; `-`: standard output
  std::string jsonFile;
};

struct RunOptions {
  api::ModelSource model;
  Targets targets;
  std::string version;                        // of the program, for the result file
  const volatile int* stopRequest = nullptr;  // not zero: the user wants to stop
  std::vector<double> checkpoints;            // times at which the run can be continued from
  std::string from;                           // a checkpoint to go on from; empty: the start
};

// Values that are not given are those of the model's `analysis: modes`.
struct ModesRequest {
  api::ModelSource model;
  Targets targets;
  std::optional<int> count;
  std::optional<double> nearHz;
  std::optional<double> at;  // [s] of the state that is linearised
  std::optional<double> every;
  std::string about;            // initial, equilibrium or steady; empty: as the model says
  std::string loop = "closed";  // open, locked
  std::string bodies = "flexible";
  std::string method = "full";     // undamped, 2n, 3n
  std::string matricesFile;        // of the effective matrices; empty: none; `-`: standard output
  bool compare = false;            // three views side by side; `loop` and `bodies` are not used
  bool explain = false;            // tells in the text what each mode is
  std::string macFile;             // modes of another run whose shapes are compared; empty: none
  std::optional<int> sensitivity;  // how many parameters are listed for each mode
  std::vector<std::string> of;     // paths of further values than the parameters, for sensitivities
  std::string limitOf;             // NAME or NAME=from:to whose stability limit is wanted
};

// Of commands on the linearised machine between named signals.
struct LinearRequest {
  api::ModelSource model;
  Targets targets;
  std::vector<std::string> from, to;
  std::optional<double> at;  // [s] of the state that is linearised
  std::string about;         // initial, equilibrium or steady; empty: as `analysis: modes` says
};

struct FrfRequest : LinearRequest {
  std::string cut;                  // a signal that its readers no longer see; empty: none
  std::string range;                // LOW:HIGH [Hz]; empty: from the modes
  int points = 200;                 // in the range
  bool linear = false;              // equal steps instead of equal factors
  std::vector<double> frequencies;  // [Hz] instead of a range
  std::string svgFile;              // empty: none; `-`: standard output
};

struct LinearizeRequest : LinearRequest {
  bool minimal = false;
  std::string matFile;  // empty: none
};

// Ranges `name=from:to:count` stand among the overrides of the model.
struct SweepRequest {
  ModesRequest modes;              // the model, the targets and the state that is linearised too
  FrfRequest response;             // signals and frequencies; of `linearize` the signals
  bool minimal = false;            // of `linearize`
  std::string analysis = "modes";  // equilibrium, run, frf, linearize
  bool logarithmic = false;        // steps
  std::optional<int> jobs;         // points at once; absent: as many as there are cores
  std::string svgFile;             // empty: none; `-`: standard output
  std::string figure;              // campbell, locus, damping; empty: by the number of ranges
};

struct IdentifyRequest {
  api::ModelSource model;
  Targets targets;
  std::string block;
  std::optional<double> at;   // [s] of the state in which the block is perturbed
  std::string about;          // initial, equilibrium or steady; empty: as `analysis: modes` says
  double delta = 0.1;         // share of the time step
  std::string order = "pid";  // integrals, derivatives
};

struct SchemeOptions {
  std::vector<language::OptionText> values;  // of reports::schemeOptions()
  Targets targets;
  std::string svgFile;  // empty: none; `-`: standard output
};

struct SpectrumOptions {
  RunOptions
      run;  // its model may be a result file or CSV instead; its targets name the folder only
  std::vector<std::string> channels;         // empty: all
  std::vector<language::OptionText> values;  // of reports::spectrumOptions()
  bool keepsMean = false;
  Targets targets;
  std::string svgFile;  // empty: none; `-`: standard output
};

// A figure of recorded channels.
struct PlotRequest {
  RunOptions run;                     // of records that are models; their file is not used
  std::vector<std::string> records;   // result.h5, CSV, folder of a result, or model; at least one
  std::vector<std::string> channels;  // empty: all
  std::string over;                   // a channel instead of the time; empty: the time
  std::vector<language::OptionText> limits;  // from, to
  std::optional<std::string> title;
  std::string file;  // .svg, .png, .pdf or `-`; empty: plot.svg beside the first result
};

// Of `view` and `report`: results of runs, folders that hold one, or models.
struct ViewRequest {
  std::vector<std::string> files;
  language::Overrides overrides;  // of their models
  std::string version;            // of the program
  int port = 0;                   // 0: any that is free
  bool opensBrowser = true;
  bool watches = false;  // follows runs that still go on
};

struct ReportRequest {
  std::vector<std::string> files;
  language::Overrides overrides;
  std::string version;
  std::string target;  // file
};

// What a run or the modes look like to other programs.
struct ExportRequest {
  RunOptions run;            // its model may be a result.h5 or its folder
  std::string file;          // .csv, .mat, .pvd or .glb; of modes .vtu or .glb
  int frames = 500;          // most instants of a motion
  bool modes = false;        // instead of the run
  std::optional<int> count;  // of modes; absent: as the model says
};

// out/<model>: named after the file, or after its folder if the file is called `model`.
std::string defaultDirectory(const std::string& modelFile);

Outcome check(const api::ModelSource& model, const Targets& targets, const Console& console);
// At rest, or in the steady motion that its start begins.
Outcome equilibrium(const api::ModelSource& model, bool isSteady, const Targets& targets,
                    const Console& console);
Outcome run(const RunOptions& options, const Console& console);
Outcome modes(const ModesRequest& request, const Console& console);
// One analysis over the values of numbers of the model.
Outcome sweep(const SweepRequest& request, const Console& console);
Outcome frf(const FrfRequest& request, const Console& console);
Outcome linearize(const LinearizeRequest& request, const Console& console);
Outcome identify(const IdentifyRequest& request, const Console& console);
// Spectral properties of a time scheme; needs no model.
Outcome scheme(const SchemeOptions& options, const Console& console);
// Spectra and damped modes of what a run has recorded.
Outcome spectrum(const SpectrumOptions& options, const Console& console);
Outcome plot(const PlotRequest& request, const Console& console);
Outcome exportResult(const ExportRequest& request, const Console& console);

// Where it is seen that the user wants to stop (not zero), for code of black boxes that takes long: it is
// ended a second later.
void heedStopRequest(const volatile int* request);

// Serves the viewer to the browser of this computer until Console::stopRequest.
Outcome view(const ViewRequest& request, const Console& console);
// The viewer with all its data in one file.
Outcome report(const ReportRequest& request, const Console& console);

// The JSON Schema of the model language; to `Console::text` if no file is named.
Outcome writeSchema(const std::string& file, const Console& console);
// The generated reference pages of the manual.
Outcome writeManual(const std::string& directory, const Console& console);

}  // namespace flexloop::commands
