// One step of the Lie-group generalized-α method for motion, states and algebraic unknowns in one
// Newton iteration (docs/theory/09_time.md). The Newton unknowns are the algorithmic accelerations a,
// the algorithmic rates w, and the algebraic values; constraints are divided by βh², so that the
// iteration matrix
//
//     S = w2 M + hγ C + h²β K T   with rows B T and columns Bᵀ                                   (9.4)
//
// tends to [M Bᵀ; B 0] and its condition does not depend on h.
//
// The stabilised index-2 form imposes the constraints on velocities and, by a shift z of the positions
// along S⁻¹Bᵀ, on positions too; both use the same factorisation (9.11).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linalg/sparse_solver.hpp"
#include "solve/mass_system.hpp"
#include "solve/scheme.hpp"
#include "solve/signal_correction.hpp"
#include "system/assembler.hpp"

namespace flexloop::solve {

enum class ConstraintForm {
  kIndex3,            // positions satisfy their constraints
  kStabilizedIndex2,  // positions and velocities do
};

struct StepperOptions {
  Scheme scheme;
  double tolerance = 1e-7;  // of accelerations and forces, relative to the largest seen
  int maxIterations = 20;
  ConstraintForm constraints = ConstraintForm::kIndex3;
  double constraintScale = 1.0;    // k of the augmented Lagrangian
  double constraintPenalty = 0.0;  // p
  bool scaleConstraints = true;    // division by βh²; off only to show what it does
  linalg::SolverChoice solver = linalg::SolverChoice::kAutomatic;
};

struct StepReport {
  bool converged = false;
  int iterations = 0;
  int factorizations = 0;
  double contraction = 0.0;  // the last measured
  std::string trouble;       // why it failed, by the user's names
};

// What a stepper knows beside the state, so that a run can go on from a file with the same bits.
struct StepperMemory {
  Eigen::VectorXd acceleration, value;  // of the step before
  std::vector<double> numbers;
};

class TimeStepper {
 public:
  TimeStepper(system::Assembler& assembler, const StepperOptions& options);

  // Takes over a consistent state (positions, velocities, accelerations, multipliers, states) and
  // chooses the algorithmic variables for steps of about h so that multipliers are of order 2 from
  // the first step on (9.8).
  void start(system::State& state, double h);
  // Goes on after a jump of accelerations, rates of states and algebraic unknowns from `before`, as
  // at every instant of a sampled controller: the algorithmic variables jump alike, as far as the next
  // step resolves it (9.14), which saves the search for third derivatives and keeps the order where
  // every step ends at an instant.
  void resume(const system::State& state, const system::State& before);

  // Advances the state by h; a state that failed is unchanged. `end` is the time at which the
  // equations hold: a hair before t + h where a source jumps there, so that its old value counts.
  [[nodiscard]] StepReport step(system::State& state, double h, double end);
  [[nodiscard]] StepReport step(system::State& state, double h) {
    return step(state, h, state.time + h);
  }

  // Takes the last step back; `state` must be the one that it returned.
  void reject(system::State& state);

  StepperMemory memory() const;
  void restore(const StepperMemory& memory);
  // The next step begins with new tangents and a new choice of pivots, as it would after restore.
  void forgetFactors();

  const linalg::SparseMatrix& matrix() const { return matrix_; }
  // Of the last step: of positions in m, of rotations in rad, of states in their unit up to the size
  // one and beyond it as a share of their size (9.15), (9.16).
  double localError() const { return localError_; }
  // Of redundant constraints, by unknown; see RedundancyReport.
  void setCompliance(const Eigen::VectorXd& compliance,
                     const Eigen::VectorXd& accelerationCompliance);
  std::string solverName() const { return solver_ == nullptr ? "" : solver_->name(); }

 private:
  // Unknowns whose corrections are judged by one scale.
  enum Class : std::uint8_t { kTranslation, kRotation, kMultiplier, kState, kSignal, kClasses };

  void setWeights(double h, const Scheme& scheme);
  void predict(const system::State& from, double h, double end, const Scheme& scheme);
  void update(const system::State& from, const Eigen::VectorXd& delta);
  // The state with shifted velocities is in base_; false if there is nothing to shift.
  bool correctForStepChange(const system::State& state, double h);
  // Replaces the jump at the start of a step, in base_, by what the step resolves of it (9.14).
  [[nodiscard]] bool filterJump(StepReport& report);
  void addDrivenJump(Eigen::VectorXd& rhs) const;
  [[nodiscard]] bool factorize(const system::State& at, StepReport& report);
  // Of a correction: one is as large as the tolerance allows.
  struct Norm {
    double all = 0.0;
    double mechanical = 0.0;  // of motions and multipliers
    double others = 0.0;      // of states and signals
  };
  Norm calcNorm(const Eigen::VectorXd& delta) const;
  bool isRoundOff(const Norm& norm, double h) const;
  bool isLastDigit(double h) const;
  bool hasMotions() const { return classCount_[kTranslation] + classCount_[kRotation] > 0; }
  void remember(const system::State& from, double h, double startCoefficient);
  void classify();
  void classifyConstraints();
  void renewScales(const system::State& state);
  double calcMeanMass() const;
  double calcStartCoefficient(double ratio) const;
  void shiftVelocity(system::State& state, double jerkFactor, double bracketFactor,
                     const Eigen::VectorXd& jerk);
  // Second derivative of the velocity of the consistent motion; false if it has no meaning for h. For
  // states it is that of the value, zero where it has no meaning.
  bool calcJerk(const system::State& state, double h, Eigen::VectorXd& jerk);
  double calcMotionError(const system::State& from, const MotionScheme& scheme, double h) const;
  double calcStateError(const system::State& from, const StateScheme& scheme, double h) const;
  std::string describeWorst(const Eigen::VectorXd& delta) const;
  bool solveStep(const system::State& from, double h, StepReport& report);
  void calcTrialResidual();
  void solveCorrection();
  void correctSignals();

  system::Assembler& assembler_;
  StepperOptions options_;
  system::Weights weights_;
  linalg::SparseMatrix matrix_;
  std::unique_ptr<linalg::SparseSolver> solver_;
  std::unique_ptr<SignalCorrection> signalCorrection_;  // null: not worthwhile
  MassSystem massSystem_;
  system::State trial_, base_;
  Eigen::VectorXd increment_, residual_, delta_, compliance_;
  // Of the stabilised index-2 form: the constraints on positions, and the shift that closes them.
  Eigen::VectorXd positionGap_, shift_;
  system::TimeDerivatives derivatives_;
  // What a step needs to know of the one before it; [1] is older, for reject.
  struct Memory {
    Eigen::VectorXd acceleration,
        value;                      // of states the rate x' stands in place of an acceleration
    double step = 0.0;              // 0: there was none
    double startCoefficient = 0.0;  // C_q of (9.9)
    double distance = 0.0;          // in time, to those rates: `step`, or what a start assumes
    bool hasJump = false;           // of v', x' and algebraic values since that step:
    Eigen::VectorXd jump;
  };
  std::array<Memory, 2> memory_;
  Eigen::VectorXd jump_;      // what the step resolves of it, or zero
  std::vector<Class> class_;  // by unknown
  std::array<int, kClasses> classCount_{};
  std::array<double, kClasses> scale_{};
  double length_ = 1.0;         // size of the positions
  double meanMass_ = 0.0;       // of a translation: forces are judged against it times acceleration
  Eigen::VectorXd largest_;     // by unknown: the largest size of a state so far, at least one
  Eigen::VectorXd normWeight_;  // by unknown: one over the square of the allowed correction
  double factorStep_ = 0.0;     // step length of the factorisation in use; 0: none
  double weightStep_ = 0.0, weightGamma_ = 0.0,
         weightTheta_ = 0.0;  // what the weights are made for
  bool hasMultipliers_ = false;
  bool hasDrives_ = false;    // multipliers whose constraints depend on signals
  double contraction_ = 0.0;  // of the last step
  double localError_ = 0.0;
};

}  // namespace flexloop::solve
