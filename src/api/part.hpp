// A part of a model by itself: reduced, with a report of how good it is.
#pragma once

#include <string>

#include "api/load.hpp"
#include "fem/parts/obtain_part.hpp"

namespace flexloop::api {

struct PartReduction {
  std::string name;
  fem::StoredPart part;
};

// An empty name means the only part of the model. Throws base::InputError, and Failed where there is no result.
PartReduction reducePart(const ModelSource& source, const std::string& part,
                         const linalg::Progress& progress = {});

}  // namespace flexloop::api
