// The lowest modes K φ = λ M φ of a symmetric stiffness K and a mass M, positive or zero, by shift-invert block Lanczos
// (block_lanczos.hpp) about a shift below all eigenvalues, so that free parts need no supports; with the number of modes
// checked by Sylvester's inertia of K − μM at a μ above the last (docs/theory/30_component_modes.md, section 30.2).
//
// The last `multipliers` unknowns are Lagrange multipliers: K = [K₀ Cᵀ; C 0], M = [M₀ 0; 0 0]. Each adds one negative pivot.
#pragma once

#include <functional>
#include <optional>

#include <Eigen/Core>

#include "base/result.hpp"
#include "linalg/symmetric/symmetric_factors.hpp"

namespace flexloop::linalg {

// Called now and then with what is done of the work, from 0 to 1, and a word for it; false stops the work.
using Progress = std::function<bool(double fraction, const char* what)>;

struct ModeRequest {
  int count = 10;
  // All modes with λ below this instead, at most `count` of them.
  std::optional<double> below;
  // About the size of the lowest eigenvalue that is not zero, from above rather than from below; 0: not known.
  double scale = 0.0;
  bool verify = true;
  double tolerance = 1e-10;                // residual of a mode, as a share of its θ (30.3)
  const Eigen::MatrixXd* start = nullptr;  // vectors near the modes, to begin with
  SymmetricOptions factors;
};

enum class ModesStatus {
  kFound,
  kStopped,       // by the progress callback
  kIndefinite,    // K has an eigenvalue below zero; `unknown` takes the largest part in it
  kSingular,      // `unknown` has neither stiffness nor mass
  kTooMany,       // below `below` there are more than `count`: `total`
  kNotConverged,  // or a count that could not be confirmed
  kFailed,        // `failure` says why
};

struct LowestModes {
  ModesStatus status = ModesStatus::kFound;
  Eigen::VectorXd values;   // rising; those of rigid motions are zero exactly
  Eigen::MatrixXd vectors;  // Φᵀ M Φ = I
  int zeros = 0;            // the first values
  bool verified = false;    // that none are missing
  int total = 0;            // modes below the shift of the check
  int unknown = -1;
  double shift = 0.0;  // of the factorisation
  int solves = 0;      // right-hand sides
  std::optional<base::Failure> failure;
};

LowestModes findLowestModes(const SparseMatrix& K, const SparseMatrix& M, int multipliers,
                            const ModeRequest& request, const Progress& progress = {});

// The same for a number of modes of a large matrix, from factors in single precision at first: they show, in half the time, where
// the gap behind the last mode is, and factors there find the modes and count them. Nothing where the matrix is small, has
// multipliers, or is too stiff beside its lowest modes for single precision; findLowestModes then goes its own way.
std::optional<LowestModes> findLowestModesByGap(const SparseMatrix& K, const SparseMatrix& M,
                                                const ModeRequest& request,
                                                const Progress& progress = {});

// λ of K φ = λ M φ that are below μ. Nothing where μ cannot be distinguished from an eigenvalue.
base::Result<std::optional<int>> countModesBelow(const SparseMatrix& K, const SparseMatrix& M,
                                                 int multipliers, double mu,
                                                 const SymmetricOptions& options = {});

// K − shift · M of lower triangles.
SparseMatrix shiftMatrix(const SparseMatrix& K, const SparseMatrix& M, double shift);

}  // namespace flexloop::linalg
