// What commands on a record of a run are given: the record itself, or the model, which is run first.
#pragma once

#include <string>

#include "commands/requests.hpp"
#include "results/record_file.hpp"

namespace flexloop::commands {

struct RecordSource {
  std::string file;
  results::RecordKind kind = results::RecordKind::kResult;
};

// `request.model.file` names it; a folder means the result.h5 in it. Throws base::InputError for a file that is neither, or a
// record whose model shall change, and what `run` throws.
RecordSource findRecord(const RunRequest& request, const Console& console);

}  // namespace flexloop::commands
