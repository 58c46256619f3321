#include "control/blocks/state_settlement.hpp"

#include <cmath>

namespace flexloop::control {
namespace {

// Of the tolerance of the step: corrections below are left to the iteration of the whole machine, and those here end there.
constexpr double kNeeded = 0.1, kEnough = 1e-3;
constexpr int kMostIterations = 40, kMostHalvings = 24;
// A correction shortened to s must shrink the next one, by the same tangents, to less than 1 − s/4 of it.
constexpr double kShrink = 0.25;

// A x = b by elimination with row pivots, in place; rows may have units of their own.
bool solveInPlace(Eigen::MatrixXd& A, Eigen::VectorXd& b) {
  const Eigen::Index n = b.size();
  for (Eigen::Index r = 0; r < n; ++r) {
    const double largest = A.row(r).cwiseAbs().maxCoeff();
    if (!(largest > 0.0) || !std::isfinite(largest)) return false;
    A.row(r) /= largest;
    b[r] /= largest;
  }
  for (Eigen::Index c = 0; c < n; ++c) {
    Eigen::Index pivot = 0;
    const double largest = A.col(c).tail(n - c).cwiseAbs().maxCoeff(&pivot);
    if (!(largest > 0.0)) return false;
    if (pivot > 0) {
      A.row(c).swap(A.row(c + pivot));
      std::swap(b[c], b[c + pivot]);
    }
    for (Eigen::Index r = c + 1; r < n; ++r) {
      const double factor = A(r, c) / A(c, c);
      if (factor == 0.0) continue;
      A.row(r).tail(n - c) -= factor * A.row(c).tail(n - c);
      b[r] -= factor * b[c];
    }
  }
  for (Eigen::Index c = n - 1; c >= 0; --c) {
    b[c] /= A(c, c);
    b.head(c) -= b[c] * A.col(c).head(c);
  }
  return b.allFinite();
}

}  // namespace

void StateSettlement::begin(int states) {
  for (Eigen::VectorXd* v : {&value_, &rate_, &valueWeights_, &rateWeights_, &norms_, &d_, &trial_,
                             &residual_, &delta_, &next_}) {
    v->setZero(states);
  }
}

void StateSettlement::setState(int k, double value, double rate, double valueWeight,
                               double rateWeight, double norm) {
  value_[k] = value;
  rate_[k] = rate;
  valueWeights_[k] = valueWeight;
  rateWeights_[k] = rateWeight;
  norms_[k] = norm;
}

double StateSettlement::calcNorm(const Eigen::VectorXd& d) const {
  return std::sqrt(norms_.dot(d.cwiseAbs2()));
}

// False where the block has no value.
bool StateSettlement::calcResidual(const Place& place, const Eigen::VectorXd& d) {
  const Eigen::Index n = d.size();
  for (Eigen::Index k = 0; k < n; ++k) place.x[k] = value_[k] + valueWeights_[k] * d[k];
  place.block.calc(place.ports);
  for (Eigen::Index k = 0; k < n; ++k) {
    residual_[k] = rate_[k] + rateWeights_[k] * d[k] - place.ports.dx[k];
  }
  return residual_.allFinite();
}

void StateSettlement::calcMatrix(const Place& place) {
  const Eigen::Index n = d_.size();
  partials_.setZero(n + static_cast<Eigen::Index>(place.ports.y.size()),
                    n + static_cast<Eigen::Index>(place.ports.u.size()));
  place.block.calcPartials(place.ports, partials_);
  matrix_ = -partials_.topLeftCorner(n, n) * valueWeights_.asDiagonal();
  matrix_.diagonal() += rateWeights_;
}

bool StateSettlement::calcCorrection(Eigen::VectorXd& correction) {
  eliminated_ = matrix_;
  correction = -residual_;
  return solveInPlace(eliminated_, correction);
}

// Halves the correction until what would follow it by the same tangents is smaller: this does not depend on the units of states
// and equations.
bool StateSettlement::takeStep(const Place& place) {
  const double size = calcNorm(delta_);
  double share = 1.0;
  for (int halvings = 0; halvings < kMostHalvings; ++halvings, share *= 0.5) {
    trial_ = d_ + share * delta_;
    if (!calcResidual(place, trial_) || !calcCorrection(next_)) continue;
    if (calcNorm(next_) > (1.0 - kShrink * share) * size) continue;
    d_.swap(trial_);
    return true;
  }
  return false;
}

bool StateSettlement::solve(const Block& block, const BlockPorts<double>& ports,
                            std::span<double> x) {
  const Place place{block, ports, x};
  if (!calcResidual(place, d_) || residual_.isZero(0.0)) return false;
  for (int i = 0; i < kMostIterations; ++i) {
    calcMatrix(place);
    if (!calcCorrection(delta_)) return false;
    const double size = calcNorm(delta_);
    if (i == 0 && size <= kNeeded) return false;
    if (size <= kEnough) return true;
    if (takeStep(place)) continue;
    // At the last digits of what is in the equations nothing shrinks any more.
    return i > 0 && size <= kNeeded && calcResidual(place, d_);
  }
  return false;
}

}  // namespace flexloop::control
