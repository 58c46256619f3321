#include "control/sampled/sampled.hpp"

#include <cmath>

namespace flexloop::control {
namespace {

using Eigen::VectorXd;

constexpr double kRoundOff = 1e-12;  // share of what is compared

Eigen::Map<const VectorXd> toVector(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

BlockSize sizeOf(const linalg::StateMatrices& matrices) {
  const int outputs = static_cast<int>(matrices.C.rows());
  return {.inputs = static_cast<int>(matrices.B.cols()),
          .outputs = outputs,
          .memory = outputs + static_cast<int>(matrices.A.rows())};
}

}  // namespace

DiscreteStateSpace::DiscreteStateSpace(int clock, linalg::StateMatrices matrices)
    : SampledBlock(clock, sizeOf(matrices)),
      matrices_(std::move(matrices)),
      hasFeedthrough_(!matrices_.D.isZero(0.0)) {}

void DiscreteStateSpace::sample(const BlockPorts<double>& p, BlockMemory m) const {
  const auto& [A, B, C, D] = matrices_;
  const Eigen::Map<const VectorXd> x(m.memory + C.rows(), A.rows());
  Eigen::Map<VectorXd> y(m.memory, C.rows());
  y.noalias() = C * x;
  // Without feedthrough the inputs of this instant may not be there yet.
  if (hasFeedthrough_) y.noalias() += D * toVector(p.u);
}

void DiscreteStateSpace::updateSample(const BlockPorts<double>& p, BlockMemory m) const {
  const auto& [A, B, C, D] = matrices_;
  Eigen::Map<VectorXd> x(m.memory + C.rows(), A.rows());
  const VectorXd next = A * x + B * toVector(p.u);
  x = next;
}

linalg::StateMatrices realize(const std::vector<double>& numerator,
                              const std::vector<double>& denominator) {
  const auto n = static_cast<Eigen::Index>(denominator.size()) - 1;
  linalg::StateMatrices m{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd(n, 1),
                          Eigen::MatrixXd::Zero(1, n),
                          Eigen::MatrixXd::Constant(1, 1, numerator[0])};
  for (Eigen::Index i = 0; i < n; ++i) {
    m.A(i, 0) = -denominator[i + 1];
    if (i + 1 < n) m.A(i, i + 1) = 1.0;
    m.B(i, 0) = numerator[i + 1] - denominator[i + 1] * numerator[0];
  }
  if (n > 0) m.C(0, 0) = 1.0;
  return m;
}

double DiscretePid::growth(double last, double now) const {
  const double step = settings_.ki * settings_.period;
  switch (settings_.method) {
    case Method::kForward:
      return step * last;
    case Method::kBackward:
      return step * now;
    case Method::kTrapezoidal:
      break;
  }
  return 0.5 * step * (last + now);
}

// What an instant at rest makes of the memory, on the branch that is set.
void DiscretePid::sampleAtRest(double error, double* memory) const {
  const auto& [kp, ki, kd, period, filter, method, limits] = settings_;
  const double last = memory[kError], branch = std::round(memory[kHasStarted]);
  memory[kDerivative] = (filter * memory[kDerivative] + kd * (error - last)) / (filter + period);
  const double others = kp * error + memory[kDerivative];
  if (branch == kRestFree || !limits) {
    memory[kIntegral] += growth(last, error);
    memory[kOutput] = others + memory[kIntegral];
  } else {
    const double bound = limits->end(branch);
    if (std::abs(branch) == kRestEdge) memory[kIntegral] = bound - others;
    memory[kOutput] = bound;
  }
  memory[kError] = error;
}

void DiscretePid::beginRest(const BlockPorts<double>&, BlockMemory m) const {
  m.memory[kHasStarted] = kRestFree;
}

// At a limit the integral holds while the error drives it further.
void DiscretePid::settleAtRest(const BlockPorts<double>& p, BlockMemory m) const {
  const auto& limits = settings_.limits;
  if (!limits) return;
  const double error = p.u[1] - p.u[0];
  const double zeroError = kRoundOff * (std::abs(p.u[1]) + std::abs(p.u[0]));
  const double wanted = settings_.kp * error + p.memory[kIntegral];
  const double zero = kRoundOff * std::max(std::abs(limits->lower), std::abs(limits->upper));
  double& branch = m.memory[kHasStarted];
  if (branch == kRestFree) {
    if (wanted > limits->upper + zero) branch = kRestHeld;
    if (wanted < limits->lower - zero) branch = -kRestHeld;
    // What holds has the value of the start: rest says nothing of it.
    if (branch != kRestFree) m.memory[kIntegral] = 0.0;
    return;
  }
  const double side = branch > 0.0 ? 1.0 : -1.0;
  const double beyond = limits->beyond(side, wanted);
  if (settings_.ki == 0.0) {
    if (beyond < -zero) branch = kRestFree;
  } else if (side * settings_.ki * error < -std::abs(settings_.ki) * zeroError) {
    branch = kRestFree;
  } else if (std::abs(branch) == kRestHeld && beyond < -zero) {
    branch = side * kRestEdge;
  }
}

void DiscretePid::endRest(const BlockPorts<double>& p, BlockMemory m) const {
  m.memory[kHasStarted] = kStarted;
  m.memory[kDerivative] = 0.0;
  m.memory[kError] = p.u[1] - p.u[0];
}

void DiscretePid::sample(const BlockPorts<double>& p, BlockMemory m) const {
  const auto& [kp, ki, kd, period, filter, method, limits] = settings_;
  double* memory = m.memory;
  const double error = p.u[1] - p.u[0];
  // Linear analyses vary all numbers of the memory a little.
  if (std::abs(memory[kHasStarted]) > kStarted + 0.5) return sampleAtRest(error, memory);
  double grown = 0.0;
  if (memory[kHasStarted] != kNotStarted) {
    const double last = memory[kError];
    grown = growth(last, error);
    memory[kDerivative] = (filter * memory[kDerivative] + kd * (error - last)) / (filter + period);
  }
  const double others = kp * error + memory[kDerivative];
  const double wanted = others + memory[kIntegral] + grown;
  // (16.10): an integral that would drive the output further beyond its limit waits.
  const bool windsUp = limits && limits->branchOf(wanted) * grown > 0.0;
  if (!windsUp) memory[kIntegral] += grown;
  const double output = others + memory[kIntegral];
  memory[kOutput] = limits ? std::clamp(output, limits->lower, limits->upper) : output;
  memory[kError] = error;
  memory[kHasStarted] = kStarted;
}

}  // namespace flexloop::control
