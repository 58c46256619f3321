#include <algorithm>
#include <cmath>
#include <random>

#include "conformance/check_tools.hpp"
#include "conformance/element_checks.hpp"
#include "math/se3.hpp"
#include "system/switching.hpp"

namespace flexloop::test {

using Eigen::VectorXd;
using math::Frame;
using math::Vec6;
using system::ElementSet;
using system::Environment;

namespace {

Environment withoutGravity(Environment environment) {
  environment.gravity.setZero();
  return environment;
}

// Power of the element's forces on its nodes, and of its scalar rows on their rates.
double calcPower(const ElementSet& set, const MotionSample& sample, const Environment& environment,
                 int element) {
  const VectorXd r = calcLocal(set, sample, environment, element);
  const int nodes = set.nodes(element);
  double power = 0.0;
  for (int k = 0; k < nodes; ++k) {
    power += r.segment<6>(6 * k).dot(sample.nodes[set.node(element, k).value].twist);
  }
  for (int k = 0; k < set.scalars(element); ++k) {
    power += r[6 * nodes + k] * sample.rate[set.scalar(element, k).value];
  }
  return power;
}

// The set's own addTimeDerivatives, with everything else zero.
system::TimeDerivatives calcTimeDerivatives(const system::System& system, const ElementSet& set,
                                            const MotionSample& sample,
                                            const Environment& environment) {
  system::TimeDerivatives derivatives;
  derivatives.first.setZero(system.unknowns());
  derivatives.second.setZero(system.unknowns());
  set.addTimeDerivatives(sample.motion(), environment, derivatives);
  return derivatives;
}

}  // namespace

CheckReport checkObjectivity(const ElementSet& set, const MotionSample& sample,
                             const Environment& environment) {
  CheckReport report;
  const Environment free = withoutGravity(environment);
  std::mt19937 generator(7);
  const Frame<double> G = math::expSE3<double>(makeRandomTwist(generator, 2.0));
  Vec6<double> velocity = makeRandomTwist(generator, 1.0);
  if (set.usesAcceleration()) velocity.setZero();
  const MotionSample moved = movedRigidly(sample, G, velocity);
  for (int e = 0; e < set.size(); ++e) {
    const VectorXd a = calcLocal(set, sample, free, e), b = calcLocal(set, moved, free, e);
    const double scale = std::max(1.0, sizeOf(a));
    for (int i = 0; i < a.size(); ++i) {
      if (isNear(b[i], a[i], 10.0 * kRounding * scale)) continue;
      report.add(set, e, describe("residual after a rigid motion", i, 0, b[i], a[i]));
    }
  }
  return report;
}

CheckReport checkBalance(const ElementSet& set, const MotionSample& sample,
                         const Environment& environment) {
  CheckReport report;
  const MotionSample used = set.usesAcceleration() ? withoutMotion(sample) : sample;
  for (int e = 0; e < set.size(); ++e) {
    const VectorXd r = calcLocal(set, used, withoutGravity(environment), e);
    Vec6<double> sum = Vec6<double>::Zero();
    for (int k = 0; k < set.nodes(e); ++k) {
      const Frame<double>& H = used.nodes[set.node(e, k).value].frame;
      sum += math::applyAdjointInverseTransposed<double>(H, r.segment<6>(6 * k));
    }
    const double scale = std::max(1.0, sizeOf(r));
    for (int i = 0; i < 6; ++i) {
      if (isNear(sum[i], 0.0, 10.0 * kRounding * scale)) continue;
      report.add(set, e, describe("resultant", i, 0, sum[i], 0.0));
    }
  }
  return report;
}

// With all velocities reversed the conservative power changes its sign and the dissipated does not.
CheckReport checkEnergy(const ElementSet& set, const MotionSample& sample,
                        const Environment& environment) {
  CheckReport report;
  const auto* stored = dynamic_cast<const system::StoredEnergy*>(&set);
  if (stored == nullptr) return report;
  for (int e = 0; e < set.size(); ++e) {
    const auto energy = [&](double h) {
      return stored->energy(advanced(sample, h).motion(), environment, e).total();
    };
    const auto slope = [&](double h) { return (energy(h) - energy(-h)) / (2.0 * h); };
    const double change = (4.0 * slope(0.5 * kStep) - slope(kStep)) / 3.0;
    const double there = calcPower(set, sample, environment, e);
    const double back = calcPower(set, withReversedRates(sample), environment, e);
    const double scale = std::max(1.0, std::abs(there) + std::abs(energy(0.0)));
    if (!isNear(0.5 * (there - back), change, kDifferences * scale)) {
      report.add(set, e, describe("conservative power", 0, 0, 0.5 * (there - back), change));
    }
    if (0.5 * (there + back) < -kRounding * scale) {
      report.add(set, e, describe("dissipation", 0, 0, 0.5 * (there + back), 0.0));
    }
  }
  return report;
}

CheckReport checkVirtualWork(const system::System& system, const ElementSet& set,
                             const MotionSample& sample) {
  CheckReport report;
  MotionSample quiet = sample;
  quiet.rate.assign(quiet.rate.size(), 0.0);
  const Environment plain;
  // Of what sticks and slips, only the force of sticking is that of a constraint.
  const bool slips = dynamic_cast<const system::Switching*>(&set) != nullptr;
  for (int e = 0; e < set.size(); ++e) {
    for (int k = 0; slips && k < set.scalars(e); ++k) {
      const system::UnknownIndex u = set.scalar(e, k);
      if (system.kind(u) == system::Kind::kSignal) quiet.value[u.value] = 0.0;
    }
    int multipliers = 0;
    double expected = 0.0;
    const VectorXd derivative =
        calcDerivative(set, plain, e, [&](double h) { return advanced(quiet, h); });
    for (int k = 0; k < set.scalars(e); ++k) {
      const system::UnknownIndex u = set.scalar(e, k);
      if (system.kind(u) != system::Kind::kMultiplier) continue;
      ++multipliers;
      expected += quiet.value[u.value] * derivative[6 * set.nodes(e) + k];
    }
    if (multipliers == 0) continue;
    const double power = calcPower(set, quiet, plain, e);
    if (!isNear(power, expected, 10.0 * kDifferences * std::max(1.0, std::abs(expected)))) {
      report.add(set, e, describe("power of constraint forces", 0, 0, power, expected));
    }
  }
  return report;
}

CheckReport checkTimeDerivatives(const system::System& system, const ElementSet& set,
                                 const MotionSample& sample, const Environment& environment) {
  CheckReport report;
  const system::TimeDerivatives is = calcTimeDerivatives(system, set, sample, environment);
  VectorXd first = VectorXd::Zero(system.unknowns()), second = first;
  for (int e = 0; e < set.size(); ++e) {
    const int scalars = set.scalars(e);
    const auto rows = [&](double h) -> VectorXd {
      return calcLocal(set, advanced(sample, h), environment, e).tail(scalars);
    };
    const VectorXd slope =
        calcDerivative(set, environment, e, [&](double h) { return advanced(sample, h); });
    const auto bend = [&](double h) -> VectorXd {
      return (rows(h) - 2.0 * rows(0.0) + rows(-h)) / (h * h);
    };
    const VectorXd curvature = extrapolated(bend(kStep), bend(0.5 * kStep));
    for (int k = 0; k < scalars; ++k) {
      first[set.scalar(e, k).value] += slope[6 * set.nodes(e) + k];
      second[set.scalar(e, k).value] += curvature[k];
    }
  }
  const double scale = std::max(1.0, std::max(sizeOf(first), sizeOf(second)));
  for (int u = 0; u < system.unknowns(); ++u) {
    if (!isNear(is.first[u], first[u], 10.0 * kDifferences * scale)) {
      report.add(set, 0, describe("first time derivative", u, 0, is.first[u], first[u]));
    }
    if (!isNear(is.second[u], second[u], kSecondDifferences * scale)) {
      report.add(set, 0, describe("second time derivative", u, 0, is.second[u], second[u]));
    }
  }
  return report;
}

}  // namespace flexloop::test
