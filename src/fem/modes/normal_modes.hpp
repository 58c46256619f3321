// Normal modes of a component with a part of its boundary held, and what is wrong with a component that has none.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "fem/reduction/component.hpp"

namespace flexloop::fem {

struct NormalModeSet {
  Eigen::MatrixXd
      vectors;  // unknowns × modes, unit modal mass; zero where the component is held and in multipliers
  Eigen::VectorXd omega2;  // rising, 1/s²; without those of rigid motions
  int rigid = 0;           // motions without stiffness, which are apart:
  Eigen::MatrixXd rigidVectors;
  bool verified = false;  // by Sylvester's inertia: none are missing
};

// The lowest elastic modes with these unknowns held, `request.count` of them or those below `request.below`. A free component
// with more motions without stiffness than its rigid ones is a mechanism: a failure that names where it moves.
base::Result<NormalModeSet> findNormalModes(const Component& component,
                                            const std::vector<int>& held,
                                            linalg::ModeRequest request,
                                            const linalg::Progress& progress = {});

}  // namespace flexloop::fem
