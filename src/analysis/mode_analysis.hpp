// Modes: the roots of P(s) and their shapes (docs/theory/18_eigenproblem.md). Small models by LAPACK,
// all roots; large ones by a Krylov method, the nearest.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "analysis/linear_model.hpp"

namespace flexloop::analysis {

struct ModeOptions {
  int count = 10;
  double nearHz = 0.0;  // modes nearest to this frequency
  LinearView view;
};

struct Mode {
  std::complex<double> eigenvalue;  // [1/s], im ≥ 0
  // Increments of all unknowns of the system; the largest displacement of a node is one.
  Eigen::VectorXcd shape;
  double residual = 0.0;  // see linalg::calcResidual

  double frequencyHz() const;
  double dampingRatio() const;
  // What grows by less than round-off does not grow.
  bool isStable() const { return eigenvalue.real() <= 1e-10 * std::abs(eigenvalue); }
};

struct ModeResult {
  bool ok = false;
  std::string trouble, hint;
  std::vector<std::string> warnings;  // about black boxes
  std::vector<Mode> modes;            // by frequency, then by decay
  int unknowns = 0;                   // of the pencil
  bool isComplete = false;            // all modes were computed
  int rigidMotions = 0;               // modes of frequency zero: the machine floats
};

[[nodiscard]] ModeResult findModes(const model::Model& model, const system::State& state,
                                   const ModeOptions& options);

// Of roots that are neither moving nor decaying, and of the order in which modes are listed.
void arrangeModes(std::vector<Mode>& modes);

}  // namespace flexloop::analysis
