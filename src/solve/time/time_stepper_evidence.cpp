// Whether tangents of an earlier step may end an iteration (docs/theory/09_time.md, section 9.2). Those that have become too
// stiff make small corrections of large residuals, and a correction that is small shows nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/time/time_stepper.hpp"

namespace flexloop::solve {

using system::Node;
using system::UnknownIndex;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Of the terms of an equation: what is left of them is round-off.
constexpr double kNoiseUlps = 16.0;
// Of a residual, what may be left of it in the next one, in its own direction. Tangents that are too stiff leave all of it, and
// no more: a larger one is that of others.
constexpr double kStuck = 0.8, kGrown = 1.2;
// Of all residuals of motions, or of states and signals: among many some resemble those before by chance.
constexpr double kMost = 0.5;
// Tangents that are stiffer than the mass by this factor.
constexpr double kStiff = 2.0;

struct Shares {
  double now = 0.0, before = 0.0, product = 0.0;

  void add(double weight, double r, double previous) {
    now += weight * r * r;
    before += weight * previous * previous;
    product += weight * r * previous;
  }
  bool isStuck() const {
    return now > 1.0 && product > kStuck * before && now < kGrown * kGrown * before;
  }
};

// All residuals of a kind.
struct Total {
  double now = 0.0, before = 0.0, product = 0.0, stuck = 0.0;

  void add(const Shares& shares) {
    now += shares.now;
    before += shares.before;
    product += shares.product;
    if (shares.isStuck()) stuck += shares.now;
  }
  bool isStuck() const { return stuck > kMost * now; }
};

}  // namespace

// By motion, that of its node along or about any axis.
void TimeStepper::measureInertias() {
  const linalg::SparseMatrix& M = massSystem_.mass();
  for (const Node& node : assembler_.system().nodes()) {
    double mass = 0.0, turn = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      double& largest = class_[u] == kRotation ? turn : mass;
      largest = std::max(largest, M.coeff(u, u));
    }
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const PartSize& part = partSizes_.of(u);
      const bool isTurn = class_[u] == kRotation;
      const double own = isTurn ? turn : mass;
      inertia_[u] = own > 0.0 ? own : part.mass * (isTurn ? part.length * part.length : 1.0);
    }
  }
}

// What a residual may be by the last digits of what is in its equation: of positions where they make forces, of velocities, of
// forces across joints and of signals. By part, what that is in accelerations. Rows that are no stiffer than the mass are not
// judged: there a small correction is that of a small residual.
void TimeStepper::measureNoise() {
  Eigen::VectorXd& noise = factors_->noise;
  const Eigen::Index n = matrix_.rows();
  noise.setZero(n + partSizes_.count());
  auto ofParts = noise.tail(partSizes_.count());
  for (int p = 0; p < partSizes_.count(); ++p) {
    ofParts[p] = kNoiseUlps * calcNoise(partSizes_.all()[p]);
  }
  std::vector<char>& isStiff = noiseTerms_.isStiff;
  isStiff.assign(n, 0);
  bool isAnyJudged = !others_.empty();
  for (int u = 0; u < n; ++u) {
    if (class_[u] > kRotation) continue;
    const bool isJudged =
        std::abs(matrix_.coeff(u, u)) > kStiff * weights_.acceleration[u] * inertia_[u];
    isStiff[u] = isJudged ? 1 : 0;
    isAnyJudged = isAnyJudged || isJudged;
  }
  if (isAnyJudged) {
    addNoise(noise);
    limitNoise(noise, ofParts);
  }
  for (int u = 0; u < n; ++u) {
    if (class_[u] <= kRotation && isStiff[u] == 0)
      noise[u] = std::numeric_limits<double>::infinity();
  }
}

void TimeStepper::addNoise(Eigen::VectorXd& noise) {
  auto& [isStiff, weights, stiffness, speeds, largest, places, others] = noiseTerms_;
  // Without masses and dampers, which do not feel positions.
  weights = weights_;
  for (int u = 0; u < matrix_.cols(); ++u) {
    if (class_[u] <= kRotation) weights.rate[u] = weights.acceleration[u] = 0.0;
  }
  const system::StepIncrement increment{expected_, increment_, axes_.centres()};
  assembler_.calcIterationMatrix(trial_, weights, &increment, stiffness);
  partSizes_.findLargestMoves(trial_.rate, speeds);
  const double digit = kNoiseUlps * kEpsilon;
  const double toMotion = step_.h * step_.h * scheme_.motion.beta;
  const double toRate = step_.h * scheme_.motion.gamma;
  places.setZero(matrix_.cols());
  others.setZero(matrix_.cols());
  for (int u = 0; u < matrix_.cols(); ++u) {
    if (class_[u] <= kRotation) {
      const double unit = class_[u] == kRotation ? 1.0 : partSizes_.of(u).length;
      places[u] = digit * unit / toMotion;
      others[u] = digit * unit * speeds[partSizes_.part(u)] / toRate;
    } else if (class_[u] == kMultiplier) {
      others[u] = gradient_[u] > 0.0 ? digit * partSizes_.of(u).force / gradient_[u] : 0.0;
    } else {
      places[u] = digit * seen_[u] / weights_.value[u];
    }
  }
  if (!others_.empty()) terms().raise(stiffness.valuePtr(), places);
  for (int column = 0; column < matrix_.cols(); ++column) {
    linalg::SparseMatrix::InnerIterator still(stiffness, column);
    for (linalg::SparseMatrix::InnerIterator entry(matrix_, column); entry; ++entry, ++still) {
      noise[entry.row()] +=
          std::abs(still.value()) * places[column] + std::abs(entry.value()) * others[column];
    }
  }
}

// Where rates of joints are not closed, their positions make noise in all that they hold.
void TimeStepper::limitNoise(const Eigen::VectorXd& noise, Eigen::Ref<Eigen::VectorXd> ofParts) {
  std::vector<double>& largest = noiseTerms_.largest;
  largest.assign(partSizes_.count(), 0.0);
  for (int u = 0; u < matrix_.cols(); ++u) {
    if (class_[u] > kRotation) continue;
    const double unit = class_[u] == kRotation ? partSizes_.of(u).length : 1.0;
    const double acceleration = unit * noise[u] / std::abs(matrix_.coeff(u, u));
    double& most = largest[partSizes_.part(u)];
    most = std::max(most, acceleration);
  }
  for (int p = 0; p < partSizes_.count(); ++p) {
    if (isIndex3() && partSizes_.all()[p].forces > 0) continue;
    ofParts[p] = std::min(ofParts[p], largest[p]);
  }
}

TimeStepper::Evidence TimeStepper::judgeTangents(bool hasTwo) const {
  const Eigen::VectorXd& noise = factors_->noise;
  Total motions, others;
  for (const Node& node : assembler_.system().nodes()) {
    Shares shares;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const double mass = weights_.acceleration[u] * inertia_[u];
      if (!(mass > 0.0) || !(std::abs(residual_[u]) > noise[u])) continue;
      const PartSize& part = partSizes_.of(u);
      const bool isTurn = class_[u] == kRotation;
      const double allowed =
          options_.tolerance * (isTurn ? part.recentRotation : part.recentTranslation) * mass;
      const int count = isTurn ? part.rotations : part.translations;
      shares.add(1.0 / (count * allowed * allowed), residual_[u], previousResidual_[u]);
    }
    motions.add(shares);
  }
  for (const int u : others_) {
    const double rate = class_[u] == kState ? weights_.rate[u] : 1.0;
    // A correction as large as its residual is small where that is.
    if (!(std::abs(residual_[u]) > std::max(noise[u], kStiff * rate * std::abs(delta_[u]))))
      continue;
    Shares shares;
    // What the tolerance of motions leaves open of a signal is known by these tangents only.
    shares.add(calcOtherWeight(u, std::max(recent_[u], std::abs(trial_.value[u])), roundOff_[u]) /
                   (rate * rate),
               residual_[u], previousResidual_[u]);
    others.add(shares);
  }
  const double now = motions.now + others.now, before = motions.before + others.before;
  if (now <= 1.0) return Evidence::kHeld;
  if (!hasTwo) {
    // A first correction that is expected to contract is as large as this where it ends the iteration, and so may be what
    // is wrong if it does not.
    const double rate = expectContraction(), allowed = (1.0 - rate) / rate;
    return now <= allowed * allowed ? Evidence::kHeld : Evidence::kNone;
  }
  // What is left in other directions is that of a turn since the tangents were made, not of a force that is gone.
  const bool isStuck =
      motions.isStuck() || others.isStuck() || motions.product + others.product > kStuck * before;
  return isStuck ? Evidence::kContradicted : Evidence::kHeld;
}

}  // namespace flexloop::solve
