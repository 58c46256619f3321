// One step of the Lie-group generalized-α method for motion, states and algebraic unknowns in one
// Newton iteration (docs/theory/09_time.md). The Newton unknowns are the algorithmic accelerations a,
// the algorithmic rates w, and the algebraic values; constraints are divided by βh², so that the
// iteration matrix
//
//     S = w2 M + hγ C + h²β K T   with rows B T and columns Bᵀ                                   (9.4)
//
// tends to [M Bᵀ; B 0] and its condition does not depend on h.
//
// The parameters are those of the length of the step for one lag, which belongs to the nominal step and stays
// the same whatever the lengths of the steps are (9.7): no sequence of steps excites the scheme.
//
// The stabilised index-2 form imposes the constraints on velocities and, by a shift z of the positions
// along S⁻¹Bᵀ, on positions too; both use the same factorisation (9.17).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "solve/prepared_machine.hpp"
#include "solve/soft_constraints.hpp"
#include "solve/time/constraint_form.hpp"
#include "solve/time/motion_reach.hpp"
#include "solve/time/part_sizes.hpp"
#include "solve/time/row_axes.hpp"
#include "solve/time/scheme.hpp"
#include "solve/time/spin_axes.hpp"
#include "solve/time/step_carry.hpp"
#include "solve/time/step_factors.hpp"
#include "solve/time/stepper_memory.hpp"
#include "solve/time/time_stepper_law.hpp"
#include "solve/unit_scaling.hpp"
#include "system/assembler.hpp"
#include "system/inner_states.hpp"
#include "system/step_axes.hpp"
#include "system/turn_counting.hpp"

namespace flexloop::solve {

struct StepperOptions {
  Scheme scheme;
  double tolerance = 1e-7;  // of accelerations and forces, relative to the largest seen
  int maxIterations = 20;
  ConstraintForm constraints = ConstraintForm::kStabilizedIndex2;
  double constraintScale = 1.0;    // k of the augmented Lagrangian
  double constraintPenalty = 0.0;  // p
  bool scaleConstraints = true;    // division by βh²; off only to show what it does
  bool estimatesError = false;     // of every step, for steps that follow it
  linalg::SolverChoice solver = linalg::SolverChoice::kAutomatic;
};

struct StepReport {
  int iterations = 0;
  int factorizations = 0;
  double contraction = 0.0;  // the last measured
  std::optional<base::Failure> failure;
  int worst = -1;  // the unknown where the iteration failed; negative: it did not, or none is known

  bool converged() const { return !failure; }
};

// What the equations of a step that failed are like where it did (27.4).
struct StepTrouble {
  bool isKnown = false;
  // Of a motion: the tangent of its equation, over that of the inertia.
  double stiffness = 0.0;
  // What a disturbance of the equation does to its unknown, relative to what it would do with the inertia alone, or in units of
  // the part: large where the equations have no unique solution.
  double answer = 0.0;
};

// Of a step, by part of the machine: root sums of squares, of moves and of turns times the length of the part.
struct StepSizes {
  double path = 0.0;          // how far it moves
  double error = 0.0;         // what the step errs of that (9.10)
  double acceleration = 0.0;  // at its end
  double change = 0.0;        // of accelerations in it
  double length = 0.0;        // of the part
};

class TimeStepper {
 public:
  // The machine is used by nobody else as long as steps are taken. Dependencies of its constraints are those at the start.
  TimeStepper(PreparedMachine& machine, const StepperOptions& options, const system::State& start);

  // Takes over a consistent state (positions, velocities, accelerations, multipliers, states) and
  // chooses the algorithmic variables for the nominal step so that multipliers are of order 2 from
  // the first step on (9.14).
  void start(system::State& state, double nominalStep);
  // Starts anew with another nominal step in the middle of a run, where the lag has to change at once: accelerations
  // become consistent, and the impulse that is on its way through the filter becomes velocity (9.28). The state stays as it
  // is where no accelerations are found.
  void restart(system::State& state, double nominalStep);
  // The nominal step changes, as where steps adapt: the lag of the scheme follows it in the coming steps (9.25).
  void setNominalStep(double nominalStep) { wish_ = nominalStep; }
  // That of the present lag.
  double nominalStep() const { return memory_[0].nominal; }
  // Goes on after a jump of accelerations, rates of states and algebraic unknowns from `before`, whatever its
  // origin and size: the algorithmic variables jump alike, as far as the next step resolves it (9.16), so that the
  // impulse of every force is right, however it is switched. Both know the second time derivatives of the signals that
  // drive joints. Where the slopes of blocks jump too, stiff forces may be gone, and what rings beside them is dropped.
  void resume(system::State& state, const system::State& before, bool slopesJump);
  // After such a jump, or a break at which third derivatives may jump: `before` has its time.
  void followJump(system::State& state, const system::State& before);
  // Before such a jump: a scheme without lag forgets what errors of iterations have made of velocities across joints,
  // which a very short step would turn into forces. Others do nothing.
  void forget(system::State& state, double time);
  // Whether what follows the state, up to the end, is so violent that it may be a blow.
  bool isViolent(const system::State& state, double end);
  // Passes an interval of this length that is far shorter than the step as a blow, with sources up to `end`: positions, velocities and states move on,
  // and what jumps at its end jumps from there. The nominal step counts where no step has been made. False, with the state as
  // it was, where accelerations are no larger than usual, or nothing is found: then a step serves as well.
  [[nodiscard]] bool strike(system::State& state, double length, double end, double nominalStep);
  // After the jumps at the end of blows, in place of followJump.
  void renewNormalVelocity(system::State& state);
  // The tangents have jumped too: the coming steps find theirs anew.
  void renewTangents() { cache_.invalidate(); }

  // Advances the state by h; a state that failed is unchanged. `end` is the time at which the
  // equations hold: a hair before t + h where a source jumps there, so that its old value counts.
  [[nodiscard]] StepReport step(system::State& state, double h, double end);
  [[nodiscard]] StepReport step(system::State& state, double h) {
    return step(state, h, state.time + h);
  }

  // Of a step that has failed just now, and the equations there; null where that has no finite numbers. Steps that follow
  // find their tangents anew.
  const system::State* lastIterate() const;
  StepTrouble examine(int worst);

  // Takes the last step back; `state` must be the one that it returned.
  void reject(system::State& state);

  StepperMemory memory() const;
  // Throws std::invalid_argument, before anything is used, where the memory does not have the form of this machine.
  void restore(const StepperMemory& memory);

  // For consistent states between the steps.
  MassSystem& massSystem() { return massSystem_; }
  // Whether accelerations and multipliers of a step of length h are known worse than the tolerance asks for, because
  // positions are known to their last digit only (section 9.2).
  bool isNoisy(double h) const;
  // Of the last step: by its tolerance, and by the last digits of positions.
  // Of the part that an unknown of a motion belongs to.
  OpenAccelerations openAccelerations(int unknown) const;

  const linalg::SparseMatrix& matrix() const { return matrix_; }
  // Of the last step, if it is to be estimated: as a share of how far the machine has moved so far, and of the sizes of
  // states (9.19), (9.20).
  double localError() const { return localError_; }
  // Where the last step began; until the next one.
  const system::State& previous() const { return trial_; }
  // With index 3, a constraint across which velocities have been as large as those of the machine for many steps, which no
  // motion of it explains; with how far a body has turned in the last one. Negative: none.
  struct Growth {
    int constraint = -1;
    double turn = 0.0;  // [rad]
  };
  Growth growth() const { return growth_; }
  // Of the last step.
  void measureStep(std::vector<StepSizes>& parts) const;
  // Of the last step, for its energy: rates at both ends with the impulses that are on their way through the filter (9.27), and
  // the accelerations that it began with, of jumps what it resolves (9.16).
  struct Passage {
    Eigen::VectorXd startRate, startAcceleration, endRate;
  };
  void calcPassage(const system::State& end, Passage& passage) const;
  // The constraint that is open most, by the size of its part or of a radian; negative where there is none.
  struct Opening {
    int constraint = -1;
    double share = 0.0;
  };
  Opening findLargestOpening(const system::State& state);
  // Of the last step, the constraint among those that depend on each other that is open by more than this share of the
  // size of the machine or of a radian: they contradict each other. Negative: none.
  int findContradiction(const system::State& state, double share);
  std::string solverName() const { return factors_ == nullptr ? "" : factors_->matrix.name(); }

 private:
  // Unknowns whose corrections are judged by one scale.
  enum Class : std::uint8_t { kTranslation, kRotation, kMultiplier, kState, kSignal, kClasses };

  bool isIndex2() const {
    return options_.constraints == ConstraintForm::kStabilizedIndex2 && hasMultipliers_;
  }
  bool isIndex3() const {
    return options_.constraints == ConstraintForm::kIndex3 && hasMultipliers_;
  }
  void takePattern();
  void setWeights(const StepLength& step);
  // The coming iterations have tangents of their own, since those in use contract no better than this.
  void discardFactors(double contraction);
  // With the factors in use, which may be those of a step of another length.
  void solveByFactors(Eigen::VectorXd& x);
  void solvePairByFactors(Eigen::VectorXd& x, Eigen::VectorXd& y);
  // Where factors are older than the state: axes that have turned since.
  void followAxes(const system::State& state);
  void toFactors(Eigen::VectorXd& x) const;
  void scaleLoan(Eigen::VectorXd& x) const;
  void scaleBack(Eigen::VectorXd& x) const;
  void judgeFactors(const StepReport& report);
  // The contraction of borrowed factors, by norms of two corrections.
  static double judgeLoan(double norm, double previous, int iterations);
  // Before a step has measured its own.
  double expectContraction() const;
  // Of the tolerance, what the last correction may leave.
  double allowedRest() const;
  WeightKey fillWeights(const StepLength& step);
  bool canExtrapolate() const;
  void predict(const system::State& from, double end, bool extrapolates = true);
  // What accelerations and algebraic values are expected to be at the end of the step, from the last two or three.
  void guess(const system::State& from, bool extrapolates);
  void calcCurvature(const system::State& from);
  void move(const system::State& from);
  void moveRates();
  void update(const system::State& from, Eigen::VectorXd& delta);
  void add(const system::State& from, const Eigen::VectorXd& delta, const Eigen::VectorXd& shift);
  // To rates, accelerations and algorithmic variables, from the unknown `first` on.
  void addToVectors(Eigen::Index first, const Eigen::Ref<const Eigen::VectorXd>& delta);
  // What the step starts from: the state itself, or base_ where velocities are shifted, accelerations renewed or a
  // jump resolved; null if that fails.
  const system::State* prepareStart(const system::State& state, StepReport& report);
  void correctForStepChange();
  bool hasNoMemory() const;
  bool needsRenewal() const;
  void renew(system::State& state);
  // Replaces the jump at the start of a step, in base_, by what the step resolves of it (9.16).
  [[nodiscard]] bool filterJump(StepReport& report);
  void beginAt(const system::State& state);
  void linearizeMoves();
  void addToJump();
  [[nodiscard]] bool calcJumpCorrection(StepReport& report);
  // By motion and state, what the filter has not passed on yet: f (a − v').
  Eigen::VectorXd calcStored(const system::State& state) const;
  double calcLag(double alphaF) const;
  // What a step with the tangents in use makes of it.
  Eigen::VectorXd resolveStored(const Eigen::VectorXd& stored);
  void dropRinging(const system::State& before, system::State& state);
  void addStored(const Eigen::VectorXd& stored, system::State& state);
  void addDrivenJump(const system::State& state, const system::State& before);
  void takeJump();
  bool integrateBlow(const system::State& from, double length, double end, system::State& next);
  bool integratePieces(const system::State& from, double dt, double end, int pieces,
                       system::State& next);
  bool integrateStiffBlow(const system::State& from, double length, double end,
                          system::State& next);
  bool isFromOwnSpeed(const system::State& from, double length);
  double compareBlows(const system::State& from, const system::State& a,
                      const system::State& b) const;
  bool resolveBlow(const system::State& at, const Eigen::VectorXd& blow, Eigen::VectorXd& resolved);
  [[nodiscard]] Eigen::VectorXd calcPush(const system::State& at, const system::State& calm);
  [[nodiscard]] std::vector<double> findDrivenMoves(const system::State& state) const;
  void addBlowToJump(const system::State& before, const system::State& from,
                     const system::State& after);
  [[nodiscard]] bool factorize(const system::State& at, StepReport& report);
  base::Failure describeSingular(int column) const;
  void scaleUnits();
  const SignalTerms& terms();
  // Of a correction: one is as large as the tolerance allows.
  struct Norm {
    double all = 0.0;
    double mechanical = 0.0;  // of motions and multipliers
    double others = 0.0;      // of states and signals
    double motions = 0.0;
    double moving = 0.0;  // of motions and states
    double curved = 0.0;  // of all but multipliers, of which the equations are linear
  };
  Norm calcNorm(const Eigen::VectorXd& delta) const;
  // Sizes of states and signals follow what the correction makes of them; true if one has grown much.
  bool raiseSizes();
  // How far constraints are open, and the size of the shift in units of the tolerance.
  double calcOpening(const Eigen::VectorXd& gap) const;
  double calcShiftNorm() const;
  double calcForceNorm() const;
  bool haveForcesChanged() const;
  bool isRoundOff(const Norm& norm, double rate) const;
  // What the residuals of the last two iterations show of tangents that are older than the step.
  enum class Evidence : std::uint8_t { kHeld, kNone, kContradicted };
  Evidence judgeTangents(bool hasTwo) const;
  void measureInertias();
  void measureNoise();
  void addNoise(Eigen::VectorXd& noise);
  void limitNoise(const Eigen::VectorXd& noise, Eigen::Ref<Eigen::VectorXd> ofParts);
  // Index 3: whether velocities across constraints grow; see growth.
  void watchNormalVelocities();
  int findLargeNormalVelocity();
  double findLargestTurn() const;
  bool isLastDigit();
  // The constraint that is open most, if by more than this share.
  int findOpen(double share) const;
  double calcOpenShare(int constraint) const;
  // Whether positions and rotations are closed up to their last digits in a constraint.
  bool isClosed(int u) const;
  void findOpenParts();
  // What the last digits of positions are in accelerations.
  double calcNoise(const PartSize& size) const;
  bool hasMotions() const { return classCount_[kTranslation] + classCount_[kRotation] > 0; }
  void remember(const system::State& from);
  void classify();
  void classifyConstraints();
  // Of a size that fades, in this step.
  double calcKept() const;
  // `kept`: of sizes that fade.
  void renewScales(const system::State& state, double kept);
  void weighMechanics();
  void renewSizes(const system::State& state, double kept);
  void renewDigits();
  void weighOthers();
  // Of a correction of a state or signal of this size, of which no more is known than this.
  double calcOtherWeight(int u, double size, double known) const;
  // Of a correction, by unknown, from that of accelerations: what states and signals make of it.
  // `noise`: of positions; else what the tolerance leaves open.
  void propagate(bool isNoise, Eigen::VectorXd& sizes);
  bool hasFactors() const {
    return static_cast<Eigen::Index>(factors_->matrix.values().size()) == matrix_.nonZeros();
  }
  void findCentres(const system::State& state);
  void measureMachine(const system::State& state);
  // C of (9.10) for motions and (9.20) for states.
  double calcErrorConstant(double filterError) const;
  void shiftVelocity(system::State& state, double jerkFactor, double bracketFactor,
                     const Eigen::VectorXd& jerk);
  // Second derivative of the velocity of the consistent motion; false if it has no meaning for h. For
  // states it is that of the value, zero where it has no meaning.
  void findFastStates();
  bool isFiltered(int u) const;
  void softenStart(system::State& state);
  bool solveSoftStart(const system::State& none, const Eigen::VectorXd& before);
  bool findHugeParts(const Eigen::VectorXd& before);
  void takeSoftStart(const Eigen::VectorXd& before, system::State& state);
  bool calcJerk(const system::State& state, double h, Eigen::VectorXd& jerk);
  Eigen::VectorXd project(const Eigen::VectorXd& x);
  bool calcJerkBeside(system::State& state, double dt, Eigen::VectorXd& jerk);
  void dropStiff(const Eigen::VectorXd& acceleration, double h, Eigen::VectorXd& jerk);
  // The state a short time later or earlier, with accelerations of centres of mass as vectors in the axes of `state`, which has
  // those given. Sources are not asked for times after the latest.
  [[nodiscard]] bool calcNearby(const system::State& state, const Eigen::VectorXd& acceleration,
                                double t, system::State& at,
                                double latest = std::numeric_limits<double>::infinity());
  double calcMotionError(const system::State& from);
  double calcRelativeError(const system::State& from, double factor, double others);
  void filterStiff(Eigen::VectorXd& changes);
  void findOpenAccelerations();
  void followTurns(const system::State& from, Eigen::VectorXd& changes);
  double calcStateError(const system::State& from) const;
  // Its name, which the report takes along.
  std::string describeWorst(const Eigen::VectorXd& delta, StepReport& report) const;
  // Of a residual that is not finite.
  base::Failure describeDivergence(const system::State* state, StepReport& report) const;
  bool solveStep(const system::State& from, StepReport& report);
  bool areDrivesKnown() const;
  void calcDriveRates();
  bool settleStates(const std::vector<bool>* chosen);
  void takeSignals();
  // Blocks with steep laws within one correction.
  void findLaws();
  bool calcMisfits(const std::vector<bool>* chosen);
  double calcMisfit(TimeStepperLaw& law);
  bool isMisfit(const TimeStepperLaw& law, double misfit) const;
  const Eigen::VectorXd& responseTo(std::size_t law);
  void raiseOutput(std::size_t law, double by);
  void meetLaw(std::size_t law, double misfit);
  void meetLaws();
  void addToOthers(const Eigen::VectorXd& corrections);
  void calcTrialResidual();
  // Where the trial left the domain of an element, the last correction is shortened; false if that does not help.
  bool returnToDomain(const system::State& from, StepReport& report);
  bool shorten(const system::State& from);
  // Corrections that lead back and forth across a steep law: the solution is looked for between their ends.
  bool isAlternating();
  double calcProduct(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const;
  void searchBetween(const system::State& from);
  void solveCorrection();
  void finishShift(const Eigen::VectorXd& gap);
  void closeVelocities(const system::State& from);
  void removeSelfStress(Eigen::VectorXd& rhs);
  // Drives that follow from motions, states and forces.
  struct AnsweringDrive {
    int constraint = 0, signal = 0;  // unknowns
    int entry = 0;                   // of the matrix
  };
  void findWhatDrivesUse();
  void findAnsweringDrives();
  bool areDrivesHeld(const Eigen::VectorXd& solution, const Eigen::VectorXd& gap);
  void findAnswers();
  void holdDrives(double share, Eigen::VectorXd& solution);
  void followStates(const system::State& from);
  // Closes before the first iteration what the last steps let expect to be open (9.6).
  bool expectShift(const system::State& from, StepReport& report);
  bool isShiftExpected() const;
  void guessGap();
  void forgetShift();
  void leaveDependent(const Eigen::VectorXd& solution, double sign);
  // Takes all corrections of the step back.
  void beginAgain(const system::State& from);
  void correctSignals();

  PreparedMachine& machine_;
  system::Assembler& assembler_;
  StepperOptions options_;
  system::Weights weights_;
  StepLength step_;  // what the weights are made for, with the parameters:
  Scheme scheme_;
  StepCarry carry_;
  linalg::SparseMatrix matrix_;
  int patternCount_ = 0;  // of the assembler, when it was made
  StepFactorCache cache_;
  StepFactors* factors_ = nullptr;  // of the cache, for the weights:
  WeightKey key_{};
  RowAxes rowAxes_;
  std::vector<RoundBody> roundBodies_;
  SpinAxes spinAxes_;
  MassSystem& massSystem_;
  system::TurnCounters turnCounters_;
  std::vector<const system::InnerStates*> innerStates_;  // sets of elements that may have some
  bool hasInnerStates_ = false;
  std::vector<TimeStepperLaw> laws_;
  std::vector<int> lawSignals_;        // their inputs and outputs
  std::vector<std::size_t> openLaws_;  // workspace
  struct {
    Eigen::VectorXd value, rate;
  } lawState_;  // what a correction leads to, by signal and state
  system::State trial_, base_;
  system::State signalState_;  // the trial with its signals solved, for the rates of drives
  double driveTime_ = 0.0;     // at which these were found
  Eigen::VectorXd increment_, residual_, delta_, signalDelta_;
  Eigen::VectorXd previousResidual_;  // of the iteration before
  // Of the step: what of its increment is known before (3.9), and rates and accelerations at its start as the
  // scheme adds and averages them (3.8).
  Eigen::VectorXd expected_, startRate_, startAcceleration_, startAlgorithmic_;
  // At the end of the step, in the axes of its start (3.8).
  struct Vectors {
    Eigen::VectorXd rate, acceleration, algorithmic;
  };
  Vectors vectors_;
  system::StepAxes axes_;
  // Of the stabilised index-2 form: the constraints on positions, and the shift that closes them.
  Eigen::VectorXd positionGap_, shift_, velocityDelta_;
  std::vector<AnsweringDrive> answering_;
  std::vector<int> driveStates_;    // on which drives depend
  std::vector<bool> isDriveState_;  // by unknown
  bool drivesUseMotions_ =
      false;  // or forces, in which case their rates change with every correction
  Eigen::VectorXd answerRests_;  // workspace
  double closing_ = 0.0;         // size of a shift for an opening of one, in units of the tolerance
  Eigen::VectorXd stepGap_;      // what all shifts of the step close, by constraint
  double largestShift_ = 0.0;    // of the step, in units of the tolerance
  std::vector<char> isOpen_;     // by part: positions are not closed
  // What is left of the last correction and shift, and how often they have been shortened.
  Eigen::VectorXd last_, lastShift_;
  int shortenings_ = 0;
  Eigen::VectorXd gap_;  // of positions or velocities, by constraint
  using Memory = StepMemory;
  std::array<Memory, 2> memory_;  // [1] is older, for reject
  // All numbers that are in both, side by side.
  template <class Stepper, class Kept, class Visit>
  static void eachPair(Stepper& stepper, Kept& memory, Visit&& visit);
  void judgeGuess(const system::State& from, Memory& step) const;
  void rememberEarlier(const Memory& last, Memory& step);
  // What is guessed, and what a third step adds to a guess by two.
  Eigen::VectorXd guess_, curvature_;
  bool hasCurvature_ = false, usesCurvature_ = false;
  Eigen::VectorXd jump_;                                // what the step resolves of it, or zero
  std::vector<Class> class_;                            // by unknown
  std::vector<int> multipliers_, notMotions_, others_;  // others: states and signals
  std::array<int, kClasses> classCount_{};
  SoftConstraints soft_;
  SoftConstraints all_;            // for poses in which further constraints become dependent
  bool hasDependentPose_ = false;  // the step ends in one
  Eigen::VectorXd moves_, turns_;  // by constraint; see RedundancyReport
  Eigen::VectorXd selfStress_;
  PartSizes partSizes_;
  std::vector<PartSize> sizesBefore_;  // at the start of the step
  double length_ =
      0.0;  // of the machine as a whole, and mean mass of a move: units of its equations
  double meanMass_ = 0.0;
  // Workspace of measureNoise().
  struct NoiseTerms {
    std::vector<char> isStiff;            // by unknown
    system::Weights weights;              // of positions alone
    linalg::SparseMatrix stiffness;       // by these weights
    std::vector<double> speeds, largest;  // by part
    Eigen::VectorXd places,
        others;  // by unknown: last digits of positions and signals, of rates and forces
  };
  NoiseTerms noiseTerms_;
  Eigen::VectorXd inertia_;        // by motion, at the start
  Eigen::VectorXd gradient_;       // by multiplier: the force of one; see calcGradientSizes
  Eigen::VectorXd positionTerms_;  // by state and signal: what positions are in its equation
  Eigen::VectorXd seen_;           // by state and signal: the largest size so far
  Eigen::VectorXd recent_;         // that of the last steps, which halves with every nominal one
  Eigen::VectorXd size_;   // seen_ with what the step has led to, about; infinite for all others
  bool hasBegun_ = false;  // a signal of which nothing but round-off was known begins to move
  bool areWeightsOld_ = true;  // of states and signals
  // Of a correction of a state or signal: what is known of it; and seen_ at that time.
  Eigen::VectorXd digits_, seenByDigits_;
  Eigen::VectorXd roundOff_;            // the same, by round-off alone
  int digitsAge_ = 0;                   // steps
  std::unique_ptr<SignalTerms> terms_;  // at its first use
  Eigen::VectorXd normWeight_;          // by unknown: one over the square of the allowed correction
  Eigen::VectorXd lastDigit_;           // by unknown: a shift that is none
  mutable Eigen::ArrayXd squares_;      // workspace
  mutable std::vector<double> partSquares_;
  bool hasMultipliers_ = false;
  bool hasLoops_ = false;   // of bodies and joints
  bool hasDrives_ = false;  // multipliers whose constraints depend on signals
  double wish_ = 0.0;       // nominal step
  double localError_ = 0.0;
  Growth growth_;
  int largeSteps_ = 0;                // in which normal velocities were too large
  std::vector<double> speed_, spin_;  // by part, the largest so far
  std::vector<bool> isStiff_;         // by part, for the step at the last start
  // By part at a start: the largest acceleration, and what a step resolves of it.
  struct StartSize {
    double full = 0.0, resolved = 0.0;
    bool isHuge = false;
  };
  std::vector<StartSize> startSizes_;
  std::vector<bool> isFastState_;  // by unknown, for the step after the last jump
  MotionReach reach_;
  std::vector<OpenAccelerations> open_;  // by part; workspace
  std::vector<bool> isJudged_;           // by layer of relative motions; workspace
  Eigen::VectorXd errors_;               // workspace
  // Of a jump: what its moves make of the equations, by correction, and its corrections so far.
  linalg::SparseMatrix moving_;
  Eigen::VectorXd moved_;
};

}  // namespace flexloop::solve
