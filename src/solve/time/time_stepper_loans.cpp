// Steps with factors that another length lends (docs/theory/09_time.md, section 9.2).
#include <algorithm>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

namespace {

// Slower than this, the next step begins with new tangents.
constexpr double kRenewContraction = 0.06;
// New tangents would not save any.
constexpr int kFewIterations = 2;
// Before a step has measured its own contraction, the last one counts, but not below this: it grows as
// the tangents age.
constexpr double kSmallestContraction = 0.1;
// Where the tangents are those of another length.
constexpr double kSmallestBorrowed = 0.3;
// There the iteration converges linearly to its end, and its last correction leaves more than usual.
constexpr double kBorrowedRest = 0.1;

}  // namespace

void TimeStepper::discardFactors(double contraction) {
  if (cache_.isBorrowed()) {
    cache_.learn(*factors_, contraction);
    factors_ = &cache_.claim(key_);
  }
  factors_->isValid = false;
}

void TimeStepper::judgeFactors(const StepReport& report) {
  const double contraction = report.contraction;
  ++factors_->steps;
  if (haveForcesChanged()) factors_->isValid = false;
  if (cache_.isBorrowed()) {
    cache_.learn(*factors_, contraction);
    return;
  }
  if (contraction > 0.0) factors_->contraction = contraction;
  // With index 3 multipliers carry what iterations leave open for many steps, so that less of it is better.
  const bool isQuick = report.iterations <= kFewIterations && !isIndex3();
  if (factors_->contraction > kRenewContraction && !isQuick) factors_->isValid = false;
}

double TimeStepper::expectContraction() const {
  if (!cache_.isBorrowed()) return std::max(factors_->contraction, kSmallestContraction);
  return std::max({factors_->contraction, cache_.expectedContraction(), kSmallestBorrowed});
}

double TimeStepper::allowedRest() const {
  return cache_.isBorrowed() ? kBorrowedRest : 1.0;
}

// What signals measure of the first correction is wrong by the difference of the lengths, and right after the second: how fast
// the iteration contracts is seen from then on, as long as it has not come to its end.
double TimeStepper::judgeLoan(double norm, double previous, int iterations) {
  return iterations > 2 && previous > kBorrowedRest ? norm / previous : 0.0;
}

// Rows of constraints and columns of motions and states are scaled so that masses and constraints are those of this
// step; only stiffness and damping remain those of the other.
void TimeStepper::scaleLoan(Eigen::VectorXd& x) const {
  for (const int u : multipliers_) x[u] /= cache_.motionScale();
}

void TimeStepper::scaleBack(Eigen::VectorXd& x) const {
  for (int u = 0; u < x.size(); ++u) {
    if (class_[u] <= kRotation) x[u] *= cache_.motionScale();
    if (class_[u] == kState) x[u] *= cache_.stateScale();
  }
}

void TimeStepper::followAxes(const system::State& state) {
  rowAxes_.setTurns(state, factors_->matrix.values());
  spinAxes_.setTurns(state, factors_->matrix.values());
}

void TimeStepper::toFactors(Eigen::VectorXd& x) const {
  if (cache_.isBorrowed()) scaleLoan(x);
  rowAxes_.toFactors(x);
  spinAxes_.toFactors(x);
}

void TimeStepper::solveByFactors(Eigen::VectorXd& x) {
  toFactors(x);
  factors_->matrix.solve(x);
  rowAxes_.fromFactors(x);
  spinAxes_.fromFactors(x);
  if (cache_.isBorrowed()) scaleBack(x);
}

// Of the second one only motions are asked for, and what soft constraints leave open.
void TimeStepper::solvePairByFactors(Eigen::VectorXd& x, Eigen::VectorXd& y) {
  toFactors(x);
  toFactors(y);
  factors_->matrix.solvePair(x, y);
  rowAxes_.fromFactors(x);
  spinAxes_.fromFactors(x);
  if (!soft_.isEmpty()) rowAxes_.fromFactors(y);
  spinAxes_.fromFactors(y);
  if (!cache_.isBorrowed()) return;
  scaleBack(x);
  scaleBack(y);
}

}  // namespace flexloop::solve
