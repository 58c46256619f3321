// What the rate of a parameter does to the coordinates of motions (docs/theory/38_parameter_dependent_models.md, section 38.9):
//
//     G_d = Φᵀ M (∂Φ/∂p_d)  at fixed matter                                                        (38.19)
#pragma once

#include <vector>

#include "study/lpv/local_model.hpp"
#include "study/lpv/lpv_grid.hpp"

namespace flexloop::study {

// U_aᴴ M U_b with the shapes of b where the matter of a is; the mean of both masses.
Eigen::MatrixXcd calcLikeness(const LocalModel& a, const Eigen::MatrixXcd& shapesOfA,
                              const LocalModel& b, const Eigen::MatrixXcd& shapesOfB,
                              bool followsMatter);

// By parameter, at one point of the grid, from mass-normalised shapes at all of them: displacements of the masses by coordinate.
std::vector<Eigen::MatrixXd> calcRateTerms(const std::vector<LocalModel>& points,
                                           const std::vector<Eigen::MatrixXd>& shapes,
                                           const LpvGrid& grid, int point);

}  // namespace flexloop::study
