#include "control/dynamics/pid.hpp"

#include <algorithm>
#include <limits>

namespace flexloop::control {
namespace {

constexpr double kEdgeShare = 1e-3;     // share of the range between the limits
constexpr double kEdgeRoundOff = 1e-6;  // share of the edge
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool hasFilter(const PidSettings& s) {
  return s.kd != 0.0 && s.filter > 0.0;
}

}  // namespace

StateMatrices makePidSystem(const PidSettings& s) {
  const int integral = s.ki != 0.0 ? 1 : 0;
  const int states = integral + (hasFilter(s) ? 1 : 0);
  const int inputs = 2 + (s.usesRate ? 1 : 0) + (s.usesReferenceRate ? 1 : 0);
  StateMatrices system{Eigen::MatrixXd::Zero(states, states), Eigen::MatrixXd::Zero(states, inputs),
                       Eigen::MatrixXd::Zero(1, states), Eigen::MatrixXd::Zero(1, inputs)};
  system.D(0, 0) = -s.kp;
  system.D(0, 1) = s.kp * s.b;
  if (s.usesRate) system.D(0, 2) = -s.kd;
  if (s.usesReferenceRate) system.D(0, inputs - 1) = s.kd * s.c;
  if (integral > 0) {
    system.B.row(0).head<2>() << -s.ki, s.ki;
    system.C(0, 0) = 1.0;
  }
  if (hasFilter(s)) {
    const Eigen::RowVector2d w(-1.0, s.c);
    system.A(integral, integral) = -1.0 / s.filter;
    system.B.row(integral).head<2>() = w / s.filter;
    system.C(0, integral) = -s.kd / s.filter;
    system.D.row(0).head<2>() += (s.kd / s.filter) * w;
  }
  return system;
}

Pid::Pid(const PidSettings& settings, const PidLimits* limits)
    : rows_(makePidSystem(settings)),
      limits_(limits != nullptr ? *limits : PidLimits{}),
      isLimited_(limits != nullptr),
      hasIntegral_(settings.ki != 0.0),
      filterState_(hasFilter(settings) ? rows_.states() - 1 : -1),
      filter_(settings.filter),
      edge_(kEdgeShare * (limits_.upper - limits_.lower)) {}

int Pid::findMode(double v) const {
  const double held = hasEdge() ? edge_ : kInfinity;
  if (v > limits_.upper) return v > limits_.upper + held ? kHeld : kEdge;
  if (v < limits_.lower) return v < limits_.lower - held ? -kHeld : -kEdge;
  return kFree;
}

void Pid::calcIndicators(const BlockPorts<double>& p, double* values) const {
  const bool hasStarted = filterState_ < 0 || p.memory[kHasStarted] > 0.5;
  values[0] = hasStarted ? 1.0 : -1.0;
  if (!isLimited_) return;
  std::array<double, 2> x{};
  const double v = calcLinear<double>(p, x, {});
  const int mode = modeOf(p.memory[kMode], kHeld);
  // How far v is beyond the limit of this side, and the bounds of the branch there.
  const double beyond = mode >= 0 ? v - limits_.upper : limits_.lower - v;
  const double inner = std::abs(mode) == kHeld ? edge_ : 0.0;
  if (mode == kFree) {
    values[1] = -beyond;
    values[2] = v - limits_.lower;
  } else {
    values[1] = beyond - inner;
    // Where clamping ends, at the outer side of the edge, the integral rests.
    const double outer = edge_ * (1.0 + kEdgeRoundOff);
    values[2] = std::abs(mode) == kEdge && hasEdge() ? outer - beyond : 1.0;
  }
}

void Pid::switchBranches(const BlockPorts<double>& p, BlockMemory to) const {
  double g[3] = {1.0, 1.0, 1.0};
  calcIndicators(p, g);
  std::array<double, 2> x{};
  if (g[0] < 0.0) {
    // At rest: x_d + c = w.
    std::array<double, 2> rates{};
    calcLinear<double>(p, x, std::span<double>(rates).first(rows_.states()));
    to.memory[kOffset] += filter_ * rates[filterState_];
    to.memory[kHasStarted] = 1.0;
  } else if (g[1] < 0.0 || g[2] < 0.0) {
    to.memory[kMode] = findMode(calcLinear<double>(p, x, {}));
  }
}

void Pid::settleAtRest(const BlockPorts<double>& p, BlockMemory to) const {
  if (!isLimited_) return;
  std::array<double, 2> x{}, rates{};
  const double v = calcLinear<double>(p, x, std::span<double>(rates).first(rows_.states()));
  double& memory = to.memory[kMode];
  if (!hasEdge()) {
    memory = findMode(v);
    return;
  }
  const int mode = modeOf(p.memory[kMode], kLastMode);
  if (mode == kFree) {
    // One that left this limit, although its rest is beyond, goes away from it as far as the other limit.
    const int beyond = v > limits_.upper ? 1 : (v < limits_.lower ? -1 : 0);
    const int side = beyond * p.memory[kMode] > 0.0 ? -beyond : beyond;
    if (beyond != 0) memory = side * kRestHeld;
    return;
  }
  const int side = mode > 0 ? 1 : -1;
  if (side * rates[0] < 0.0) {
    memory = side * kHasLeft;
  } else if (std::abs(mode) != kRestEdge && side * (v - boundOf(mode)) < edge_) {
    memory = side * kRestEdge;
  }
}

// At rest: x_d + c = w.
void Pid::endRest(const BlockPorts<double>& p, BlockMemory to) const {
  to.memory[kHasStarted] = 1.0;
  const int mode = modeOf(p.memory[kMode], kLastMode);
  if (mode == kFree) to.memory[kMode] = kFree;
  if (std::abs(mode) == kRestHeld) to.memory[kMode] = mode > 0 ? kHeld : -kHeld;
  if (std::abs(mode) == kRestEdge) to.memory[kMode] = mode > 0 ? kEdge : -kEdge;
}

}  // namespace flexloop::control
