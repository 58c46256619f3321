// E(t) − E(0) − ∫P dt falls with the square of the step: P is the power of loads, actuators, drives and dampers, from sensors of
// the motion and the laws of these parts. Parts whose power no sensor tells lose their damping (When::kNotInEnergyBalance).
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "random/checks.hpp"

namespace flexloop::random {
namespace {

constexpr int kMostHalvings = 6;
constexpr double kRoundOff = 1e-8;

struct Balance {
  double gap = 0.0;    // largest
  double scale = 0.0;  // of energy and work
};

Balance calcBalance(const Trajectory& run) {
  const std::vector<double>& energy = run.columns[run.columns.size() - 2];
  const std::vector<double>& work = run.columns.back();
  Balance balance;
  for (std::size_t i = 0; i < energy.size(); ++i) {
    balance.gap = std::max(balance.gap, std::abs(energy[i] - energy[0] - work[i]));
    balance.scale = std::max({balance.scale, std::abs(energy[i]), std::abs(work[i])});
  }
  return balance;
}

}  // namespace

bool checkEnergy(Study& study) {
  Writing writing;
  writing.hasBalance = true;
  Balance before = calcBalance(study.run(writing));
  const double velocity = study.scale(kVelocity);
  const double motion = velocity * velocity;  // of a kilogram
  std::string gaps;
  for (writing.refinement = 1; writing.refinement <= kMostHalvings; ++writing.refinement) {
    const Balance now = calcBalance(study.run(writing));
    if (now.gap <= kRoundOff * std::max(now.scale, motion) ||
        std::pow(2.0, 1.5) * now.gap <= before.gap)
      return true;
    char text[32];
    std::snprintf(text, sizeof text, " %.3g", before.gap);
    gaps += text;
    before = now;
  }
  char text[96];
  std::snprintf(text, sizeof text, " %.3g J of %.3g J", before.gap, before.scale);
  throw Failure("energy and work differ with halved steps by" + gaps + text);
}

}  // namespace flexloop::random
