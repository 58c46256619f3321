// What commands on a record of a run are given: the record itself, or the model, which is run first.
#pragma once

#include <string>

#include "commands/commands.hpp"
#include "results/record_file.hpp"

namespace flexloop::commands {

struct RecordSource {
  std::string file;
  results::RecordKind kind = results::RecordKind::kResult;
};

// `options.model.file` names it; a folder means the result.h5 in it. The outcome is that of the run.
// Throws base::InputError for a file that is neither, or a record whose model shall change.
Outcome findRecord(const RunOptions& options, const Console& console, RecordSource& source);

}  // namespace flexloop::commands
