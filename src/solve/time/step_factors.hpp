// Factors of the iteration matrices of a few steps. A matrix depends on the length of its step and ages with the
// motion; steps that alternate between a few lengths, as those cut by clocks with an offset do, find their own factors
// again and need no more factorisations than equal steps. A step of any other length, as those beside an event are, borrows
// the factors of the nearest one as long as its iteration contracts with them (docs/theory/09_time.md, section 9.2).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "linalg/solvers/factored_matrix.hpp"
#include "solve/time/signal_correction.hpp"

namespace flexloop::solve {

// What the weights of an iteration matrix depend on: of values, rates and accelerations of motions, and of values
// and rates of states.
using WeightKey = std::array<double, 5>;

struct StepFactors {
  WeightKey key{};
  bool isValid = false;      // false: new tangents are due before the next use
  double force = 0.0;        // size of the multipliers when the matrix was made
  double contraction = 0.0;  // of the last step that used them
  int steps = 0;             // since they were made
  linalg::FactoredMatrix matrix;
  linalg::MatrixScaling scaling;  // of the matrix
  WeightKey scaledKey{};          // for which it was made
  Eigen::VectorXd softness;       // of soft constraints
  Eigen::MatrixXd answers;        // see TimeStepper::holdDrives; empty: not asked for yet
  std::vector<Eigen::VectorXd> responses;  // see TimeStepper::responseTo; empty likewise
  Eigen::VectorXd noise;          // by equation, and then by part; see TimeStepper::measureNoise
  std::unique_ptr<SignalCorrection> signals;  // null: not worthwhile
  std::int64_t lastUse = 0;
};

// What a checkpoint keeps of it.
struct StepFactorsRecord {
  WeightKey key{};
  bool isValid = false;
  double force = 0.0, contraction = 0.0;
  int steps = 0;
  std::int64_t lastUse = 0;
  Eigen::VectorXd softness, noise;
  linalg::FactorRecord matrix, signals;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("key", self.key);
    visit("is_valid", self.isValid);
    visit("force", self.force);
    visit("contraction", self.contraction);
    visit("steps", self.steps);
    visit("last_use", self.lastUse);
    visit("softness", self.softness);
    visit("noise", self.noise);
    visit("matrix", self.matrix);
    visit("signals", self.signals);
  }
};

class StepFactorCache {
 public:
  static constexpr int kSlots = 16;

  // The factors for weights that differ from `key` by a hair at most; else valid ones of another length that are
  // expected to do; else those that were not used for the longest time, invalid and with the new key.
  StepFactors& select(const WeightKey& key);
  // Those that were not used for the longest time, for this key.
  StepFactors& claim(const WeightKey& key);
  void invalidate();

  // Whether steps may borrow at all.
  void setLending(bool lends) { lends_ = lends; }
  // Of the last selection: whether its factors are those of another length, and what the solutions for motions and
  // states have to be multiplied by then.
  bool isBorrowed() const { return loan_.isBorrowed; }
  double motionScale() const { return loan_.motionScale; }
  double stateScale() const { return loan_.stateScale; }
  // How borrowed factors are expected to contract, and what came of it.
  double expectedContraction() const {
    return loan_.nativeContraction + loan_.gain * loan_.distance;
  }
  void learn(StepFactors& lender, double contraction);

  // For a checkpoint, and back. Throws std::invalid_argument where it is of another machine.
  struct Record;
  Record record() const;
  void restore(const Record& record, const linalg::SparseMatrix& pattern,
               linalg::SolverChoice choice, const std::vector<int>& groups);

  std::array<StepFactors, kSlots>& slots() { return slots_; }
  int indexOf(const StepFactors& slot) const { return static_cast<int>(&slot - slots_.data()); }

 private:
  StepFactors* findOwn(const WeightKey& key);
  StepFactors* borrow(const WeightKey& key);

  // Of the last selection.
  struct Loan {
    bool isBorrowed = false;
    double motionScale = 1.0, stateScale = 1.0;
    double distance = 0.0;  // between the weights of the step and those of the borrowed factors
    double nativeContraction = 0.0;  // of the borrowed factors in steps of their own length
    double gain = 0.0;               // what it grows by over that distance

    template <class Self, class Visit>
    static void eachField(Self& self, Visit&& visit) {
      visit("is_borrowed", self.isBorrowed);
      visit("motion_scale", self.motionScale);
      visit("state_scale", self.stateScale);
      visit("distance", self.distance);
      visit("native_contraction", self.nativeContraction);
      visit("gain", self.gain);
    }
  };

  std::array<StepFactors, kSlots> slots_;
  std::int64_t uses_ = 0;
  bool lends_ = true;
  Loan loan_;
};

struct StepFactorCache::Record {
  Loan loan;
  std::array<StepFactorsRecord, kSlots> slots;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("loan", self.loan);
    visit("slots", self.slots);
  }
};

}  // namespace flexloop::solve
