// Whether tangents of an earlier step may end an iteration (docs/theory/09_time.md, section 9.2). Those that have become too
// stiff make small corrections of large residuals, and a correction that is small shows nothing.
#include "solve/time_stepper.hpp"

namespace flexloop::solve {

namespace {

// Of a residual, what may be left of it in the next one, in its own direction. Tangents that are too stiff leave all of it, and
// no more: a larger one is that of others.
constexpr double kStuck = 0.8, kGrown = 1.2;
// Tangents that are stiffer than the mass by this factor.
constexpr double kStiff = 2.0;
// Steps for which tangents are believed where residuals may be round-off.
constexpr int kTrustedSteps = 16;

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

}  // namespace

TimeStepper::Evidence TimeStepper::judgeTangents(bool hasTwo) const {
  double all = 0.0;
  bool isStuck = false;
  for (const system::Node& node : assembler_.system().nodes()) {
    Shares shares;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const double mass = weights_.acceleration[u] * motionSizes_.inertia(u);
      // Where they are no stiffer than the mass, a small correction is that of a small residual.
      if (mass > 0.0 && motionSizes_.diagonal(u) > kStiff * mass)
        shares.add(normWeight_[u] / (mass * mass), residual_[u], previousResidual_[u]);
    }
    all += shares.now;
    isStuck = isStuck || shares.isStuck();
  }
  for (const int u : others_) {
    Shares shares;
    // What the tolerance of motions leaves open of a signal is known by these tangents only.
    const double rate = class_[u] == kState ? weights_.rate[u] : 1.0;
    shares.add(calcOtherWeight(u, roundOff_[u]) / (rate * rate), residual_[u],
               previousResidual_[u]);
    all += shares.now;
    isStuck = isStuck || shares.isStuck();
  }
  if (all <= 1.0) return Evidence::kHeld;
  if (!hasTwo) return Evidence::kNone;
  return isStuck ? Evidence::kContradicted : Evidence::kHeld;
}

bool TimeStepper::isTrusted(const Norm& norm) const {
  return factors_->steps < kTrustedSteps && isRoundOff(norm, 1.0);
}

}  // namespace flexloop::solve
