// Parameters that nothing uses: often a name that was changed in one place only.
#pragma once

#include "base/diagnostics.hpp"
#include "language/raw_model.hpp"

namespace flexloop::language {

// Of the model's own file; an included one may define more than is needed. A word that may be a parameter counts as
// its use.
void warnOfUnusedParameters(RawModel& model, base::Diagnostics& remarks);

}  // namespace flexloop::language
