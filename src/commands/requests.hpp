// What is asked for, of commands that other commands and the viewer call too. Each throws base::InputError for what cannot be,
// and api::Failed where there is no result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/state_space.hpp"
#include "api/load.hpp"
#include "commands/console.hpp"
#include "reports/response_text.hpp"

namespace flexloop::commands {

struct RunRequest {
  api::ModelSource model{};
  Targets targets{};
  std::vector<double> checkpoints{};  // times at which the run can be continued from
  std::string from{};                 // a checkpoint to continue from; empty: the start
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
  bool explain = false;            // describes in the text what each mode is
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
};

struct LinearizeRequest : LinearRequest {
  bool minimal = false;
  std::string matFile;  // empty: none
};

// Ranges `name=from:to:count` are among the overrides of the model.
struct SweepRequest {
  ModesRequest modes;              // the model, the targets and the state that is linearised too
  FrfRequest response;             // signals and frequencies; of `linearize` the signals
  bool minimal = false;            // of `linearize`
  std::string analysis = "modes";  // equilibrium, run, frf, linearize
  bool logarithmic = false;        // steps
  std::optional<int> jobs;         // points at once; absent: as many as there are cores
  std::string figure;              // campbell, locus, damping; empty: by the number of ranges
};

void run(const RunRequest& request, const Console& console);
void frf(const FrfRequest& request, const Console& console);
void linearize(const LinearizeRequest& request, const Console& console);

// What `frf` and `linearize` compute. Only warnings go to the console.
reports::ResponseReport calcResponse(const FrfRequest& request, const Console& console);
analysis::StateSpaceResult calcStateSpace(const LinearizeRequest& request, const Console& console);

// out/<model>: named after the file, or after its folder if the file is called `model`.
std::string defaultDirectory(const std::string& modelFile);

}  // namespace flexloop::commands
