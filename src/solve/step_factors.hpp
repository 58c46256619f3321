// Factors of the iteration matrices of a few steps. A matrix depends on the length of its step and ages with the
// motion; steps that alternate between two or three lengths, as those cut by clocks with an offset do, find their
// own factors again and need no more factorisations than equal steps.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/factored_matrix.hpp"
#include "solve/signal_correction.hpp"

namespace flexloop::solve {

// What the weights of an iteration matrix depend on: of values, rates and accelerations of motions, and of values
// and rates of states.
using WeightKey = std::array<double, 5>;

struct StepFactors {
  WeightKey key{};
  bool isValid = false;      // false: new tangents are due before the next use
  double force = 0.0;        // size of the multipliers when the matrix was made
  double contraction = 0.0;  // of the last step that used them
  linalg::FactoredMatrix matrix;
  linalg::MatrixScaling scaling;              // of the matrix
  WeightKey scaledKey{};                      // for which it was made
  Eigen::VectorXd softness;                   // of soft constraints
  std::unique_ptr<SignalCorrection> signals;  // null: not worthwhile
  std::int64_t lastUse = 0;
};

class StepFactorCache {
 public:
  static constexpr int kSlots = 3;

  // The factors for weights that differ from `key` by a hair at most; else those that were not used for the longest
  // time, invalid and with the new key.
  StepFactors& select(const WeightKey& key);
  void invalidate();

  // For a checkpoint, and back.
  std::vector<std::vector<double>> record() const;
  void restore(const std::vector<std::vector<double>>& records, const linalg::SparseMatrix& pattern,
               linalg::SolverChoice choice, const std::vector<int>& groups);

  std::array<StepFactors, kSlots>& slots() { return slots_; }
  int indexOf(const StepFactors& slot) const { return static_cast<int>(&slot - slots_.data()); }

 private:
  std::array<StepFactors, kSlots> slots_;
  std::int64_t uses_ = 0;
};

}  // namespace flexloop::solve
