// HDF5 on a CommitFile: numbers of tables are data, everything that describes the file is a change.
#pragma once

#include "files/hdf5_file.hpp"

namespace flexloop::files {

class CommitFile;

// Puts a file under the access properties of HDF5. It has to exist for as long as the file of HDF5.
void useCommitFile(CommitFile& file, std::int64_t accessProperties);

}  // namespace flexloop::files
