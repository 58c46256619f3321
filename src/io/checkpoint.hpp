// A checkpoint on disk, in HDF5: the State and what the run knows beside it, with the model that they
// belong to.
#pragma once

#include <string>

#include "analysis/run_point.hpp"
#include "model/model.hpp"

namespace flexloop::io {

// Written under a name of its own first, so that the file is whole or not there.
void writeCheckpoint(const std::string& path, const model::Model& model,
                     const analysis::RunPoint& point);

// Throws base::InputError where the file is none of ours or belongs to another model.
analysis::RunPoint readCheckpoint(const std::string& path, const model::Model& model);

}  // namespace flexloop::io
