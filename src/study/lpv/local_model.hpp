// A machine at one value of its parameters as independent motions (docs/theory/38_parameter_dependent_models.md,
// section 38.2): state equations between its ports, split by roots that rounding does not mix.
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

#include "analysis/linear/linear_ports.hpp"
#include "base/result.hpp"
#include "linalg/roots/quadratic_pencil.hpp"
#include "linalg/state_space/state_matrices.hpp"
#include "model/model.hpp"
#include "study/lpv/drawn_beams.hpp"

namespace flexloop::study {

// Roots that belong together, with x = X z + … and z = Y x. Of pairs of conjugate roots the half with im > 0.
struct LocalPart {
  bool isReal = false;
  Eigen::MatrixXcd A, X, Y;
  std::complex<double> root;  // the mean
  double damping = 1.0;       // the largest ratio −Re/| | of its roots
  bool moves = false;         // some mass moves
  double weight =
      0.0;  // largest share of the sum of all |C X| |Y B|/|root|, over inputs and outputs

  int states() const { return static_cast<int>(isReal ? A.rows() : 2 * A.rows()); }
};

struct LocalModel {
  std::vector<double> at;        // values of the parameters
  linalg::StateMatrices system;  // between the ports
  Eigen::MatrixXd motions;       // rows: displacements of all masses from the states
  Eigen::MatrixXd observed;      // rows: these, signals, the rates of both, and states of blocks
  Eigen::Index meaningful = 0;   // of them, those without the states of blocks
  linalg::SparseMatrix M;        // of the displacements
  std::vector<LocalPart> parts;  // by the size of the root, rising
  int free = 0;                  // of them, the first ones: roots at zero
  BeamMatter matter;             // whose displacements these are
  bool isWhole = true;           // otherwise the slowest motions only, and the rest at rest
  // Of one that is not whole: what is known of the motions that are not in it.
  bool isRestStable = true;
  std::vector<std::complex<double>> growing{};  // conjugates once
  analysis::LinearPorts ports;                  // the machine itself, for comparisons
};

// Of machines of thousands of unknowns, and of those whose state equations would lose digits, the slowest motions are found
// one by one: some more than `order` states (sparse_local_model.hpp).
base::Result<LocalModel> makeLocalModel(const model::Model& model, const system::State& state,
                                        const analysis::LinearModel& linear,
                                        const analysis::LinearPorts& ports, std::vector<double> at,
                                        int order);

// M of the displacements.
linalg::SparseMatrix takeMasses(const analysis::LinearPorts& ports, const ObservedRows& rows);
// Sets `moves` and `weight` of all parts.
void weighParts(LocalModel& local);

}  // namespace flexloop::study
