// The Newton iteration of a step: residual, tangents, corrections and when they end
// (docs/theory/09_time.md, sections 9.2, 9.5 and 9.7).
#include <algorithm>
#include <cmath>

#include "solve/time_stepper.hpp"
#include "system/signal_graph.hpp"

namespace flexloop::solve {

using system::State;
using system::UnknownIndex;

namespace {

// A step whose iteration contracts slower than this gets new tangents in its middle.
constexpr double kSlowContraction = 0.6;
// Before a step has measured its own contraction, the last one counts, but not below this: it grows as
// the tangents age.
constexpr double kSmallestContraction = 0.1;

}  // namespace

bool TimeStepper::factorize(const State& at, StepReport& report) {
  assembler_.calcIterationMatrix(at, weights_, &increment_, matrix_);
  for (int u = 0; u < compliance_.size(); ++u) {
    if (compliance_[u] != 0.0) {
      matrix_.coeffRef(u, u) -= compliance_[u] * weights_.row[u] * weights_.value[u];
    }
  }
  if (solver_ == nullptr)
    solver_ = linalg::makeSparseSolver(matrix_, options_.solver, assembler_.eliminationGroups());
  ++report.factorizations;
  const linalg::FactorReport factored =
      solver_ == nullptr ? linalg::FactorReport{false, -1, 0.0} : solver_->factorize(matrix_);
  if (factored.ok && signalCorrection_ != nullptr) signalCorrection_->factorize(matrix_);
  if (!factored.ok) {
    report.trouble = "the equations cannot be solved";
    if (factored.singularColumn >= 0) {
      const UnknownIndex singular{factored.singularColumn};
      const std::string loop = describeLoop(assembler_.system(), singular);
      report.trouble +=
          loop.empty() ? ": nothing determines the " + assembler_.system().unknownName(singular)
                       : ": the algebraic loop of " + loop + " has no unique solution";
    }
  }
  return factored.ok;
}

std::string TimeStepper::describeWorst(const Eigen::VectorXd& delta) const {
  const system::System& system = assembler_.system();
  int worst = 0;
  for (int u = 0; u < delta.size(); ++u) {
    if (!std::isfinite(delta[u])) {
      worst = u;
      break;
    }
    if (std::abs(delta[u]) > std::abs(delta[worst])) worst = u;
  }
  const std::string loop = describeLoop(system, UnknownIndex{worst});
  return "'" + system.equationName(UnknownIndex{worst}) + "'" +
         (loop.empty() ? "" : ", part of the algebraic loop of " + loop);
}

void TimeStepper::calcTrialResidual() {
  assembler_.calcResidual(trial_, residual_);
  if (options_.constraints == ConstraintForm::kStabilizedIndex2 && hasMultipliers_) {
    positionGap_ = residual_;
    if (hasDrives_) {
      SignalSystem& signals = massSystem_.signals();
      if (signals.solve(trial_).empty()) signals.calcRates(trial_);
    }
    assembler_.calcTimeDerivatives(trial_, derivatives_);
    // Φ' in units of Φ: a change δa moves the velocity by hγ and the position by h²β.
    const MotionScheme& m = options_.scheme.motion;
    const double toPosition = weightStep_ * m.beta / weightGamma_;
    for (int u = 0; u < residual_.size(); ++u) {
      if (class_[u] == kMultiplier) residual_[u] = toPosition * derivatives_.first[u];
    }
  }
  residual_ -= compliance_.cwiseProduct(trial_.value);
}

void TimeStepper::solveCorrection() {
  delta_ = -weights_.row.cwiseProduct(residual_);
  solver_->solve(delta_);
  shift_.setZero();
  if (options_.constraints != ConstraintForm::kStabilizedIndex2 || !hasMultipliers_) return;
  // What the velocity correction leaves open of the positions is closed along S⁻¹Bᵀ.
  for (int u = 0; u < shift_.size(); ++u) {
    if (class_[u] == kMultiplier) shift_[u] = -weights_.row[u] * (positionGap_[u] - residual_[u]);
  }
  solver_->solve(shift_);
  for (int u = 0; u < shift_.size(); ++u) {
    shift_[u] = class_[u] <= kRotation ? weights_.value[u] * shift_[u] : 0.0;
  }
}

void TimeStepper::correctSignals() {
  if (signalCorrection_ == nullptr || !signalCorrection_->isUsable()) return;
  assembler_.calcSignalResidual(trial_, residual_);
  signalCorrection_->solve(residual_, delta_);
  if (!delta_.allFinite()) return;
  increment_ += weights_.value.cwiseProduct(delta_);
  trial_.algorithmic += delta_;
  trial_.rate += weights_.rate.cwiseProduct(delta_);
  trial_.value += weights_.value.cwiseProduct(delta_);
}

bool TimeStepper::solveStep(const State& from, double h, StepReport& report) {
  bool fresh = false;
  double previousNorm = 0.0, previousMotion = 0.0;
  for (report.iterations = 1; report.iterations <= options_.maxIterations; ++report.iterations) {
    calcTrialResidual();
    report.trouble = describeUndefined(assembler_.system(), residual_);
    if (!report.trouble.empty()) return false;
    if (factorStep_ == 0.0) {
      if (!factorize(trial_, report)) return false;
      factorStep_ = h;
      fresh = true;
      previousNorm = 0.0;
    }
    solveCorrection();
    const Norm parts = calcNorm(delta_);
    const double norm = parts.all;
    if (!std::isfinite(norm)) {
      report.trouble = "the iteration diverged at " + describeWorst(delta_);
      return false;
    }
    update(from, delta_);
    const double rate =
        previousNorm > 0.0 ? norm / previousNorm : std::max(contraction_, kSmallestContraction);
    if (previousNorm > 0.0) {
      // New tangents are worth their cost where they help the motions.
      const double judged = previousMotion > 0.0 ? parts.mechanical / previousMotion : rate;
      report.contraction = std::max(report.contraction, std::min(judged, 1.0));
    }
    if (rate < 1.0 && norm * rate / (1.0 - rate) <= 1.0) return true;
    if (isRoundOff(parts, h)) return true;
    if (fresh && previousNorm > 0.0 && rate > kSlowContraction && isLastDigit(h)) return true;
    if (previousNorm > 0.0 && rate > kSlowContraction) {
      if (fresh && rate > 2.0) {
        report.trouble = "the iteration does not converge at " + describeWorst(delta_);
        return false;
      }
      factorStep_ = 0.0;
    }
    correctSignals();
    previousNorm = norm;
    previousMotion = parts.mechanical;
  }
  report.trouble = "no convergence in " + std::to_string(options_.maxIterations) +
                   " iterations; the largest correction is at " + describeWorst(delta_);
  return false;
}

}  // namespace flexloop::solve
