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
      edge_(kEdgeShare * (range().upper - range().lower)) {}

int Pid::findBranch(double v) const {
  const int side = range().branchOf(v);
  const double held = hasEdge() ? edge_ : kInfinity;
  return side * (side * v > side * range().end(side) + held ? kHeld : kEdge);
}

void Pid::calcIndicators(const BlockPorts<double>& p, double* values) const {
  const bool hasStarted = filterState_ < 0 || p.memory[kHasStarted] > 0.5;
  values[0] = hasStarted ? 1.0 : -1.0;
  if (!isLimited_) return;
  std::array<double, 2> x{};
  const double v = calcLinear<double>(p, x, {});
  const int branch = readBranch(p.memory[kBranch], kHeld);
  if (branch == kFree) return range().calcIndicators(kFree, v, values + 1);
  // How far v is beyond the limit of this side, and the bounds of the branch there.
  const double beyond = range().beyond(branch, v);
  const double inner = std::abs(branch) == kHeld ? edge_ : 0.0;
  values[1] = beyond - inner;
  // Where clamping ends, at the outer side of the edge, the integral rests.
  const double outer = edge_ * (1.0 + kEdgeRoundOff);
  values[2] = std::abs(branch) == kEdge && hasEdge() ? outer - beyond : 1.0;
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
    to.memory[kBranch] = findBranch(calcLinear<double>(p, x, {}));
  }
}

void Pid::settleAtRest(const BlockPorts<double>& p, BlockMemory to) const {
  if (!isLimited_) return;
  std::array<double, 2> x{}, rates{};
  const double v = calcLinear<double>(p, x, std::span<double>(rates).first(rows_.states()));
  double& memory = to.memory[kBranch];
  if (!hasEdge()) {
    memory = findBranch(v);
    return;
  }
  const int branch = readBranch(p.memory[kBranch], kLastBranch);
  if (branch == kFree) {
    // One that left this limit, although its rest is beyond, goes away from it as far as the other limit.
    const int beyond = range().branchOf(v);
    const int side = beyond * p.memory[kBranch] > 0.0 ? -beyond : beyond;
    if (beyond != 0) memory = side * kRestHeld;
    return;
  }
  const int side = branch > 0 ? 1 : -1;
  if (side * rates[0] < 0.0) {
    memory = side * kHasLeft;
  } else if (std::abs(branch) != kRestEdge && side * (v - range().end(side)) < edge_) {
    memory = side * kRestEdge;
  }
}

// At rest: x_d + c = w.
void Pid::endRest(const BlockPorts<double>& p, BlockMemory to) const {
  to.memory[kHasStarted] = 1.0;
  const int branch = readBranch(p.memory[kBranch], kLastBranch);
  if (branch == kFree) to.memory[kBranch] = kFree;
  if (std::abs(branch) == kRestHeld) to.memory[kBranch] = branch > 0 ? kHeld : -kHeld;
  if (std::abs(branch) == kRestEdge) to.memory[kBranch] = branch > 0 ? kEdge : -kEdge;
}

}  // namespace flexloop::control
