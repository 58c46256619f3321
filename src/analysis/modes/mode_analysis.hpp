// Modes: the roots of P(s) and their shapes (docs/theory/18_eigenproblem.md). Small models by LAPACK,
// all roots; large ones by a Krylov method, the nearest. PID-like controllers may be put into effective
// matrices before (docs/theory/21_effective_matrices.md). With sampled controllers they are those of a map
// from cycle to cycle of the clocks (docs/theory/25_delays_and_samples.md).
#pragma once

#include <algorithm>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "analysis/sampled/sampled_roots.hpp"
#include "base/result.hpp"

namespace flexloop::analysis {

enum class ModeMethod {
  kFull,      // motions, multipliers, states and signals together
  kUndamped,  // K_eff φ = ω² M_eff φ
  kSecond,    // s² M_eff + s C_eff + K_eff: `2n`
  kThird,     // s³ M_eff + s² C_eff + s K_eff + Q_eff: `3n`
};

struct ModeOptions {
  int count = 10;
  double nearHz = 0.0;  // modes nearest to this frequency
  LinearView view{};
  ModeMethod method = ModeMethod::kFull;
};

struct Mode {
  std::complex<double> eigenvalue;  // [1/s], im ≥ 0
  // Increments of all unknowns of the system; the largest displacement of a node is one.
  Eigen::VectorXcd shape;
  double residual = 0.0;  // see linalg::calcResidual, of the scaled pencil
  // With sampled blocks, what the shape is multiplied with in one cycle.
  std::optional<std::complex<double>> multiplier{};
  double uncertainty = 0.0;  // [1/s] by rounding of the equations, where it is known (18.11)

  double frequencyHz() const;
  double dampingRatio() const;
  // What grows by less than round-off does not grow, as in growing_roots.hpp.
  bool isStable() const {
    return eigenvalue.real() <= std::max(16.0 * uncertainty, 1e-10 * std::abs(eigenvalue));
  }
};

// Whether anything grows, of all modes and not only of those that are listed.
struct StabilityVerdict {
  int growing = 0;   // modes that grow, a conjugate pair once; all that were found are listed
  int doubtful = 0;  // modes that seem to grow, but by no more than rounding may make of them
  // Otherwise more may grow: doubtful modes, or modes faster than those that were looked at.
  bool isCertain = false;
  double searchedHz = 0.0;  // if it is not certain, all modes up to this frequency were looked at

  bool isStable() const { return isCertain && growing == 0; }
};

struct ModeResult {
  std::optional<base::Failure> failure;  // an input error: the method does not suit the model
  // By frequency, then by decay: those that were asked for, and beside them all that grow and all integrals that
  // nothing takes back.
  std::vector<Mode> modes;
  int unknowns = 0;         // of the pencil
  bool isComplete = false;  // all modes were computed
  bool mayMiss = false;     // modes that are as near as those that were found
  int total = 0;            // how many were computed; `modes` has those that were asked for
  int rigidMotions = 0;     // modes of frequency zero: the machine floats
  StabilityVerdict verdict;
  std::optional<SampledCycle> sampled;
  std::vector<std::string> notes;  // what the user should know about them

  bool ok() const { return !failure; }
};

[[nodiscard]] ModeResult findModes(const model::Model& model, const system::State& state,
                                   const ModeOptions& options);

// Of roots that are neither moving nor decaying, and of the order in which modes are listed.
void arrangeModes(std::vector<Mode>& modes);

}  // namespace flexloop::analysis
