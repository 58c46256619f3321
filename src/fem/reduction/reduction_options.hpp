// What is asked of a reduction, and what it reports.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fem/reduction/component_basis.hpp"

namespace flexloop::fem {

struct ReductionOptions {
  ReductionMethod method = ReductionMethod::kCraigBampton;
  std::optional<NormalModes> normalModes;  // without it, those that the method usually has
  std::vector<int> held;                   // interfaces that hybrid modes hold; empty: the first
  // Normal modes: so many; or all below `upTo`; or as many as all frequencies of the free reduced part up to `upTo` need to be
  // within `accuracy` of those of the full part.
  int modes = 20;
  std::optional<double> upTo;      // Hz
  std::optional<double> accuracy;  // relative
  double damping = 0.0;            // ratio, of every elastic mode of the reduced part
  bool stiffening = false;         // geometric stiffness of the stresses of a spin
  bool foreshortening = false;     // and of forces at interfaces
  int compared = 10;  // frequencies of the full part that the report compares with; 0: none
};

struct ReductionReport {
  ReductionMethod method = ReductionMethod::kCraigBampton;
  int freedoms = 0;           // of the full part
  int interfaceFreedoms = 0;  // of the reduced one
  int modes = 0;              // its internal coordinates
  int normalModes = 0;        // that were taken into the basis
  int dropped = 0;            // columns that depended on others
  // Without those of rigid motions, Hz. `full` may be shorter, or empty where nothing was compared.
  Eigen::VectorXd frequencies, fullFrequencies;
  Eigen::VectorXd frequencyErrors;  // relative, as long as `fullFrequencies`
  bool verified = false;  // that no frequency of the full part is missing between those listed
  // Largest error of the displacements under a unit load on one interface freedom, balanced by the inertia of rigid
  // acceleration, as a share in the norm of strain energy.
  double staticError = 0.0;
  double massError = 0.0;  // of the mass of rigid motions, relative
  double mass = 0.0;       // kg
  // Of the internal coordinates in rigid motions of the interfaces, modes × 6: (xᵢᵀ M R_j)², kg and kg m² about the
  // centre of mass. Their sums tend to the mass and the inertia.
  Eigen::MatrixXd effectiveMasses;
  std::optional<double> reachedAccuracy;  // where `accuracy` was asked for
};

}  // namespace flexloop::fem
