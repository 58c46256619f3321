// Where Newton's corrections lead back and forth across a steep law, such as friction that changes its sign within a hair of
// velocity (docs/theory/09_time.md, section 9.2).
#include <cmath>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::State;

namespace {

// A correction takes the one before it back if it is about as long, in units of that, and points the other way.
constexpr double kShortest = 0.6, kLongest = 1.7, kOpposite = -0.9;
// Of the correction at the end of the way, what is left where its tangents are those of the steep part.
constexpr double kSteep = 0.5;
// Of the way: to the last digits of what it adds.
constexpr int kMostHalvings = 50;

}  // namespace

// Multipliers follow from the others.
double TimeStepper::calcProduct(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
  double sum = 0.0;
  for (int u = 0; u < a.size(); ++u) {
    if (class_[u] != kMultiplier) sum += normWeight_[u] * a[u] * b[u];
  }
  return sum;
}

bool TimeStepper::isAlternating() {
  signalDelta_ = delta_;
  axes_.toStart(signalDelta_);
  const double before = std::sqrt(calcProduct(last_, last_));
  const double now = std::sqrt(calcProduct(signalDelta_, signalDelta_));
  return now > kShortest * before && now < kLongest * before &&
         calcProduct(last_, signalDelta_) < kOpposite * now * before;
}

// On the way of the last correction, the one that would follow points forward at its beginning and back at its end. Where it
// changes its direction lies the solution, if one law alone is steep; else a better point to begin at.
void TimeStepper::searchBetween(const State& from) {
  signalDelta_ = delta_;
  axes_.toStart(signalDelta_);
  const double end = std::abs(calcProduct(last_, signalDelta_));
  double low = 0.0, high = 1.0, at = 1.0;
  for (int i = 0; i < kMostHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    delta_ = (middle - at) * last_;
    shift_ = (middle - at) * lastShift_;
    add(from, delta_, shift_);
    at = middle;
    calcTrialResidual();
    delta_ = -weights_.row.cwiseProduct(residual_);
    if (isIndex2()) {
      for (const int u : multipliers_) delta_[u] = 0.0;
    }
    solveByFactors(delta_);
    axes_.toStart(delta_);
    const double product = calcProduct(last_, delta_);
    if (std::abs(product) <= kSteep * end) break;
    (product > 0.0 ? low : high) = middle;
  }
  shift_.setZero();
}

}  // namespace flexloop::solve
