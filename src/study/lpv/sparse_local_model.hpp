// The slowest motions of a large machine, one by one, from its sparse equations (docs/theory/38_parameter_dependent_models.md,
// section 38.2): with right and left vectors X and Y of the roots in Λ,
//
//     K X + C X Λ + M X Λ² = 0,   Kᵀ Y + Cᵀ Y Λ + Mᵀ Y Λ² = 0,   N = Yᵀ C X + Λᵀ Yᵀ M X + Yᵀ M X Λ,
//
//     z' = Λ z + N⁻¹ Yᵀ F w,   u = X z + rest
//
// and the rest, which is faster, has its response at rest.
#pragma once

#include "study/lpv/local_model.hpp"

namespace flexloop::study {

// Some more than `order` states that inputs reach and outputs see.
base::Result<LocalModel> makeSparseLocalModel(const model::Model& model,
                                              const analysis::LinearModel& linear,
                                              const analysis::LinearPorts& ports, int order);

}  // namespace flexloop::study
