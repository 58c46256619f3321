#include "analysis/time/run_health.hpp"

#include <cmath>
#include <cstdio>
#include <numbers>

namespace flexloop::analysis {
namespace {

// Shares from which on a run is not to be trusted.
constexpr double kLargeDrift = 1e-6;        // of the size of the machine
constexpr double kLargeEnergyError = 0.1;   // of what flows
constexpr double kLargeDissipation = 0.25;  // of what is exchanged
constexpr double kPoorResolution = 0.2;     // of the way: four steps per period
constexpr double kGoodResolution = 0.01, kBeyondOrder = 0.5;
constexpr double kStrongRinging = 1.5;  // of two
constexpr double kManySteps = 0.1;      // of all, that were halved

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// The error grows with the square of the step, as long as that is not much too long.
std::string describePoorResolution(const RunHealth& health) {
  const double share = *health.resolution;
  const std::string text = format(
      "from t = %.4g s on, steps of %.3g s resolve the motion only to about %.0f %% (use "
      "'adaptive: true' or ",
      health.resolutionTime, health.resolvedStep, 100.0 * share);
  if (share > kBeyondOrder) return text + "a much smaller step)";
  return text +
         format("a step of %.2g s)", health.resolvedStep * std::sqrt(kGoodResolution / share));
}

}  // namespace

double Growth::doublingTime() const {
  return std::numbers::ln2 / rate;
}

std::string formatShare(double share) {
  const double percent = 100.0 * share, size = std::abs(percent);
  return format(size >= 99.5 && size < 1e6 ? "%.0f %%" : "%.2g %%", percent);
}

void judge(RunHealth& health) {
  std::vector<std::string>& doubts = health.doubts;
  if (health.growth) doubts.push_back(health.growth->text + " (" + health.growth->hint + ")");
  if (health.resolution && !(*health.resolution < kPoorResolution)) {
    doubts.push_back(describePoorResolution(health));
  }
  if (health.turnsFar) {
    doubts.push_back("a node rotates too far per step while its axis moves (see the warning)");
  }
  if (health.ringing && !(*health.ringing < kStrongRinging)) {
    doubts.push_back(
        "accelerations and forces ring from step to step (a smaller step or a smaller rho helps)");
  }
  if (health.dissipation && !(std::abs(*health.dissipation) < kLargeDissipation)) {
    const bool isLost = *health.dissipation > 0.0;
    doubts.push_back(format("the scheme has %s %s of the energy exchanged in the machine (%s)",
                            isLost ? "dissipated" : "added",
                            formatShare(std::abs(*health.dissipation)).c_str(),
                            isLost ? "a smaller step or a larger rho keeps more"
                                   : "a smaller step or a smaller rho helps"));
  } else if (health.energyError && !(std::abs(*health.energyError) < kLargeEnergyError)) {
    doubts.push_back(
        format("energy is not balanced: in one step the machine %s %s of the energy exchanged (a "
               "smaller step helps)",
               *health.energyError > 0.0 ? "gains" : "loses",
               formatShare(std::abs(*health.energyError)).c_str()));
  }
  if (!(health.drift < kLargeDrift)) {
    doubts.push_back(format("the joint equation '%s' is open by %.2g of the size of the machine",
                            health.driftWhere.c_str(), health.drift));
  }
  const auto share = static_cast<double>(health.halvedSteps) / static_cast<double>(health.steps);
  if (health.steps > 0 && !health.isAdaptive && share > kManySteps) {
    doubts.push_back(
        format("%lld of %lld steps did not converge and were halved (use a smaller step)",
               static_cast<long long>(health.halvedSteps), static_cast<long long>(health.steps)));
  }
}

std::string RunHealth::verdict() const {
  if (isTrusted()) return {};
  std::string text = "do not trust this run: ";
  for (std::size_t i = 0; i < doubts.size(); ++i) text += (i > 0 ? "; " : "") + doubts[i];
  return text;
}

std::vector<std::string> RunHealth::lines() const {
  std::vector<std::string> lines;
  if (resolution) {
    lines.push_back(format("steps of %.3g s resolve the motion to about %s", resolvedStep,
                           formatShare(*resolution).c_str()));
  }
  if (energyError) {
    lines.push_back(format("energy balanced to %s of the energy exchanged",
                           formatShare(std::abs(*energyError)).c_str()));
  }
  if (drift > 0.0) lines.push_back(format("joints open by %.1e of their size", drift));
  if (contraction > 0.0) {
    lines.push_back(format("slowest contraction %.2g at t = %.4g s", contraction, contractionTime));
  }
  return lines;
}

}  // namespace flexloop::analysis
