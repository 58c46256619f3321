// A part of finite elements as the small body that the equations of motion use (docs/theory/30_component_modes.md).
#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "fem/assembly/interfaces.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/assembly/prestress.hpp"
#include "fem/reduction/reduction_options.hpp"
#include "mechanics/parts/reduced_model.hpp"

namespace flexloop::fem {

struct ReducedPart {
  mechanics::ReducedModel model;
  ReductionReport report;
  Eigen::MatrixXd Phi;  // unknowns of the part × coordinates: what recovery needs
};

// K_g over the nodal freedoms, lower triangle.
using GeometricStiffness = std::function<linalg::SparseMatrix(const StressState& state)>;

struct PartReduction {
  ReductionOptions options;
  linalg::SymmetricOptions factors;
  ReductionPieces pieces;                             // of an interrupted reduction
  GeometricStiffness geometricStiffness;              // for stiffening and foreshortening
  std::function<std::string(int nodalFreedom)> name;  // for messages; 6 · node + component
};

// D of (30.17), with one ratio for all elastic modes of the free part; or (30.18), of the part with these interfaces held.
void setModalDamping(mechanics::ReducedModel& model, double ratio,
                     const std::vector<int>& held = {});

// Fails where the part has less or more than six motions without stiffness, its stiffness is not positive, or the work was
// interrupted.
base::Result<ReducedPart> reducePart(const PartSystem& part,
                                     const std::vector<PartInterface>& interfaces,
                                     const PartReduction& request,
                                     const linalg::Progress& progress = {});

}  // namespace flexloop::fem
