// Constraints in loops are compliant, but the gaps that their compliance would leave are taken back: what is
// left of it is that multipliers are unique (docs/theory/09_time.md, section 9.6).
#include <algorithm>
#include <cmath>

#include "solve/time_stepper.hpp"

namespace flexloop::solve {

namespace {

// Of the compliance of positions: under it the round-off of positions leaves 1e-6 of the weight in multipliers.
constexpr double kOfPositions = 10.0;
constexpr double kLargestFactor = 1e4;
// What compliance may leave in accelerations, as a share of the tolerance.
constexpr double kUnnoticed = 0.01;

}  // namespace

// Where positions are constrained, their round-off is magnified by 1/(βh²) in the multipliers of dependent constraints,
// unless their compliance grows alike.
double TimeStepper::calcComplianceFactor(double nominalStep) const {
  if (!isCompliant_ || isIndex2()) return 1.0;
  double factor = 1.0;
  const double unit = nominalStep * nominalStep * options_.scheme.motion.beta;
  for (int u = 0; u < compliance_.size(); ++u) {
    if (redundancy_.compliance[u] == 0.0) continue;
    const double ofPositions = kOfPositions * redundancy_.compliance[u] / unit;
    factor = std::max(factor, ofPositions / redundancy_.stepCompliance[u]);
  }
  return std::min(factor, kLargestFactor);
}

void TimeStepper::setComplianceFactor(double factor) {
  complianceFactor_ = factor;
  if (!isCompliant_) return;
  for (int u = 0; u < compliance_.size(); ++u) {
    const bool isDependent = redundancy_.compliance[u] != 0.0;
    compliance_[u] = (isDependent ? factor : 1.0) * redundancy_.stepCompliance[u];
  }
}

// B y at the trial. It has no share of a self-stress there, whatever y is.
void TimeStepper::calcRelief() {
  if (!isCompliant_) return;
  trial_.rate.swap(memory_[0].relief);
  assembler_.calcMotion(trial_);
  assembler_.calcConstraintRates(reliefGap_);
  trial_.rate.swap(memory_[0].relief);
  const double unit = step_.h * step_.h * scheme_.motion.beta;
  for (int u = 0; u < reliefGap_.size(); ++u) {
    reliefGap_[u] = compliance_[u] == 0.0 ? 0.0 : unit * reliefGap_[u];
  }
}

// B y follows cλ, by the displacements under the forces of those multipliers that it does not hold yet.
void TimeStepper::followMultipliers(const Eigen::VectorXd& multipliers) {
  if (!isCompliant_) return;
  const double unit = step_.h * step_.h * scheme_.motion.beta;
  const std::vector<double>& values = factors_->matrix.values();
  delta_.setZero();
  double noticed = 0.0;
  for (int column = 0; column < matrix_.cols(); ++column) {
    if (compliance_[column] == 0.0) continue;
    const double missing = multipliers[column] - reliefGap_[column] / (unit * compliance_[column]);
    const double allowed = redundancy_.gapByMove[column] * scale_[kTranslation] +
                           redundancy_.gapByTurn[column] * scale_[kRotation];
    noticed = std::max(noticed, compliance_[column] * std::abs(missing) / allowed);
    for (int k = matrix_.outerIndexPtr()[column]; k < matrix_.outerIndexPtr()[column + 1]; ++k) {
      const int row = matrix_.innerIndexPtr()[k];
      if (class_[row] <= kRotation) delta_[row] += values[k] * missing;
    }
  }
  memory_[0].hasRelief = true;
  if (noticed < kUnnoticed * options_.tolerance) return;
  factors_->matrix.solve(delta_);
  Eigen::VectorXd& relief = memory_[0].relief;
  for (int u = 0; u < relief.size(); ++u) {
    if (class_[u] <= kRotation) relief[u] += delta_[u];
  }
}

}  // namespace flexloop::solve
