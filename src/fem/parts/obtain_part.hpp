// A reduced part for a request: from the store where it has been reduced before, from a file, or from its mesh.
#pragma once

#include "base/result.hpp"
#include "fem/parts/part_request.hpp"
#include "fem/reduction/reduced_file.hpp"
#include "linalg/symmetric/lowest_modes.hpp"

namespace flexloop::fem {

// With `compares`, the report compares the reduced with the full part, which takes longer; otherwise what is stored is
// sufficient.
base::Result<StoredPart> obtainPart(const PartRequest& request, bool compares = false,
                                    const linalg::Progress& progress = {});

}  // namespace flexloop::fem
