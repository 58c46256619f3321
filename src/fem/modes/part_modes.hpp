// Modes of an assembled part, free or with some nodes held.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fem/assembly/part_system.hpp"
#include "fem/modes/normal_modes.hpp"

namespace flexloop::fem {

struct PartModes {
  std::vector<double> frequencies;  // Hz, zeros of rigid motions first
  Eigen::MatrixXd shapes;           // nodal freedoms × modes, unit modal mass
  bool verified = false;
};

// `held` are nodes whose freedoms are all held. `name` gives the name of a nodal freedom, 6 · node + component, for messages.
base::Result<PartModes> findPartModes(const PartSystem& part, const std::vector<int>& held,
                                      int count, const std::function<std::string(int)>& name = {},
                                      const linalg::Progress& progress = {});

// About the size of the lowest eigenvalue of a free part that is not zero, from above: Rayleigh's quotient of displacements that
// are polynomials of second degree, and rotations of first degree.
double estimateLowestEigenvalue(const PartSystem& part);

// Names of unknowns from those of nodal freedoms; without these, numbers from 0.
std::function<std::string(int)> makeUnknownNames(const PartSystem& part,
                                                 const std::function<std::string(int)>& name);

}  // namespace flexloop::fem
