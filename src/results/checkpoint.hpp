// A checkpoint on disk, in HDF5: the State and what the run knows beside it, with the model that they
// belong to, sealed by a checksum of the whole file (file_seal.hpp).
#pragma once

#include <string>

#include "analysis/time/run_point.hpp"
#include "model/model.hpp"
#include "model/source_files.hpp"

namespace flexloop::results {

// Written under a name of its own first, so that the file is whole or not there. `sources` are the files of the model.
void writeCheckpoint(const std::string& path, const model::Model& model,
                     const analysis::RunPoint& point, const model::SourceFiles& sources = {});

// Throws base::InputError where the file is none of ours, is damaged or belongs to another model. `changed` gets the
// names of the sources that are not those of the run which made it.
analysis::RunPoint readCheckpoint(const std::string& path, const model::Model& model,
                                  const model::SourceFiles& sources = {},
                                  std::string* changed = nullptr);

}  // namespace flexloop::results
