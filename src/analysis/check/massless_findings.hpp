// Massless motions in the words of the model: which body, node or beam lacks what.
#pragma once

#include "base/diagnostics.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

// Errors, since no analysis can work with such a model; none where every motion is determined.
base::Diagnostics explainMasslessMotions(const model::Model& model);

}  // namespace flexloop::analysis
