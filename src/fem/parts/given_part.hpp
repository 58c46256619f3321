// A part from `reduced: FILE`: what the model says beside it was settled when the part was reduced, but for its damping.
#pragma once

#include "fem/parts/part_request.hpp"
#include "fem/reduction/reduced_file.hpp"

namespace flexloop::fem {

// Gives the part the damping that the model asks for. Reports to the builder where the model contradicts the file, and warns of
// what the file cannot confirm. Nothing else of the model has an influence on the part.
void applyToGivenPart(const system::Item& item, const PartRequest& request, StoredPart& part,
                      system::Builder& builder);

}  // namespace flexloop::fem
