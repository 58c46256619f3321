// The equations of the signals alone, at given motions, states and multipliers:
//
//     r_y(y) = 0,   E δy = −r_y,   E y' = −∂r_y/∂t along the motion                              (9.13)
//
// For what happens between steps, where signals jump and nothing else does: sources at their breaks,
// sampled blocks at their instants, relays when they switch.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "linalg/solvers/factored_matrix.hpp"
#include "solve/signal_terms.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

class SignalSystem {
 public:
  explicit SignalSystem(system::Assembler& assembler);

  bool isEmpty() const { return signals_.empty(); }
  // Whether a constraint depends on a signal: then rates of signals are rates of motions.
  bool hasDrives() const { return !drives_.empty(); }
  struct Drive {
    int constraint = 0, signal = 0;  // unknowns
  };
  const std::vector<Drive>& drives() const { return drives_; }
  const std::vector<int>& states() const { return states_; }  // unknowns
  // Whether signals that drive joints follow from time alone, and neither from motions nor from states.
  bool areDrivesGivenByTime() const { return areDrivesGivenByTime_; }

  // Solves for the values of all signals.
  [[nodiscard]] std::optional<base::Failure> solve(system::State& state);
  // First and second time derivatives of the signals, and second ones of the states, along the
  // motion; they are in `rate` and `acceleration`. After solve at the same state.
  void calcRates(system::State& state);
  void calcSecondRates(system::State& state);
  // As if it had never been solved.
  void forget() { factors_.reset(); }
  // For a checkpoint, and back; see FactoredMatrix.
  linalg::FactorRecord record() const { return factors_.record(); }
  void restore(const linalg::FactorRecord& record);
  // Lets all blocks sample whose clocks are due.
  [[nodiscard]] std::optional<base::Failure> sample(system::State& state,
                                                    const std::vector<bool>& dueClocks);

 private:
  void readPattern();
  bool followFromTime(std::vector<int> signals) const;
  bool factorize(const system::State& state, int& singular);
  linalg::MatrixScaling findScaling(const system::State& state) const;
  void holdUndefined();
  void gather(const Eigen::VectorXd& full);
  void solveLocally();
  double compareChange(const system::State& state, int& worst);

  system::Assembler& assembler_;
  std::vector<int> signals_, states_;  // unknowns
  std::vector<int> entries_;           // of the matrix, in the values of the assembler's pattern
  int patternCount_ = 0;               // of the assembler, when full_ was made
  linalg::SparseMatrix full_, matrix_;
  Eigen::VectorXd residual_, local_, sizes_, correction_;
  std::unique_ptr<SignalTerms> terms_;
  system::TimeDerivatives derivatives_;
  std::vector<int> groups_;  // every signal by itself
  linalg::FactoredMatrix factors_;
  std::vector<Drive> drives_;
  bool areDrivesGivenByTime_ = false;
  bool holdsSignals_ = false;  // that had no value or no slope
  bool hasUndefined_ = false;  // a signal that had no value at the last iteration
};

}  // namespace flexloop::solve
