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

// What a residual may be by the last digits of what is in its equation. Rows that are no stiffer than the mass are not
// judged: there a small correction is that of a small residual.
void TimeStepper::measureNoise() {
  Eigen::VectorXd& noise = factors_->noise;
  noise.setZero(matrix_.rows());
  bool isAnyJudged = !others_.empty();
  for (int u = 0; u < noise.size(); ++u) {
    if (class_[u] > kRotation) continue;
    const bool isStiff =
        std::abs(matrix_.coeff(u, u)) > kStiff * weights_.acceleration[u] * inertia_[u];
    if (!isStiff) noise[u] = std::numeric_limits<double>::infinity();
    isAnyJudged = isAnyJudged || isStiff;
  }
  if (!isAnyJudged) return;
  const double motion = step_.h * step_.h * scheme_.motion.beta;
  for (int column = 0; column < matrix_.cols(); ++column) {
    double size = 0.0;
    if (class_[column] <= kRotation) {
      size = (class_[column] == kRotation ? 1.0 : partSizes_.of(column).length) / motion;
    } else if (class_[column] == kMultiplier) {
      size = gradient_[column] > 0.0 ? partSizes_.of(column).force / gradient_[column] : 0.0;
    } else {
      size = seen_[column] / weights_.value[column];
    }
    for (linalg::SparseMatrix::InnerIterator entry(matrix_, column); entry; ++entry) {
      noise[entry.row()] += kNoiseUlps * kEpsilon * std::abs(entry.value()) * size;
    }
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
