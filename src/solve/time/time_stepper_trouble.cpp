// What the equations of a step that failed are like at its last iterate (docs/theory/27_trust.md, section 27.5).
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {
namespace {

bool isFinite(const system::State& state) {
  const auto isFrameFinite = [](const math::Frame<double>& frame) {
    return frame.R.allFinite() && frame.x.allFinite();
  };
  return state.value.allFinite() && state.rate.allFinite() && state.acceleration.allFinite() &&
         std::all_of(state.frames.begin(), state.frames.end(), isFrameFinite);
}

}  // namespace

const system::State* TimeStepper::lastIterate() const {
  return isFinite(trial_) ? &trial_ : nullptr;
}

StepTrouble TimeStepper::examine(int worst) {
  StepTrouble trouble;
  if (lastIterate() == nullptr) return trouble;
  StepReport ignored;
  calcTrialResidual();
  const bool isSolvable = residual_.allFinite() && factorize(trial_, ignored);
  cache_.invalidate();
  if (!residual_.allFinite()) return trouble;
  trouble.isKnown = true;
  const double inertia =
      class_[worst] <= kRotation ? weights_.acceleration[worst] * inertia_[worst] : 0.0;
  if (inertia > 0.0) trouble.stiffness = std::abs(matrix_.coeff(worst, worst)) / inertia;
  trouble.answer = std::numeric_limits<double>::infinity();
  if (!isSolvable) return trouble;
  const linalg::MatrixScaling& scaling = factors_->matrix.scaling();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(matrix_.rows());
  x[worst] = 1.0 / scaling.rows[worst];
  factors_->matrix.solve(x);
  const double own = std::abs(x[worst]);
  trouble.answer =
      inertia > 0.0 ? own * scaling.rows[worst] * inertia : own / scaling.columns[worst];
  return trouble;
}

}  // namespace flexloop::solve
