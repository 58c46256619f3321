#include "conformance/element_checks.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/check_tools.hpp"
#include "math/se3.hpp"

namespace flexloop::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using math::Vec6;
using system::ElementSet;
using system::Environment;
using system::Tangents;

namespace {

enum class Order { kValue, kRate, kAcceleration };

// The sample with local freedom j of the element changed by h.
MotionSample changed(const ElementSet& set, int element, const MotionSample& from, Order order,
                     int j, double h) {
  MotionSample to = from;
  const int nodes = set.nodes(element);
  if (j >= 6 * nodes) {
    const int unknown = set.scalar(element, j - 6 * nodes).value;
    (order == Order::kValue  ? to.value
     : order == Order::kRate ? to.rate
                             : to.acceleration)[unknown] += h;
    return to;
  }
  system::NodeMotion& node = to.nodes[set.node(element, j / 6).value];
  const Vec6<double> direction = h * Vec6<double>::Unit(j % 6);
  if (order == Order::kValue) {
    node.frame = math::compose(node.frame, math::expSE3<double>(direction));
  } else if (order == Order::kRate) {
    node.twist += direction;
  } else {
    node.twistRate += direction;
  }
  return to;
}

// An element may see the same node or scalar twice, as a sensor of a node in its own axes does. What
// changes then is the sum of the columns.
MatrixXd withTogether(const ElementSet& set, int element, const MatrixXd& A) {
  const int nodes = 6 * set.nodes(element);
  const auto isSame = [&](int j, int k) {
    if ((j < nodes) != (k < nodes)) return false;
    if (j >= nodes) return set.scalar(element, j - nodes) == set.scalar(element, k - nodes);
    return j % 6 == k % 6 && set.node(element, j / 6) == set.node(element, k / 6);
  };
  MatrixXd sum = MatrixXd::Zero(A.rows(), A.cols());
  for (int j = 0; j < A.cols(); ++j) {
    for (int k = 0; k < A.cols(); ++k) {
      if (isSame(j, k)) sum.col(j) += A.col(k);
    }
  }
  return sum;
}

}  // namespace

std::string CheckReport::text() const {
  std::string all;
  for (const std::string& complaint : complaints) all += complaint + "\n";
  return all;
}

void CheckReport::add(const ElementSet& set, int element, const std::string& complaint) {
  complaints.push_back(std::string(set.type()) + " '" + set.name(element) + "': " + complaint);
}

void CheckReport::add(const CheckReport& other) {
  complaints.insert(complaints.end(), other.complaints.begin(), other.complaints.end());
}

CheckReport checkTangents(const ElementSet& set, const MotionSample& sample,
                          const Environment& environment) {
  CheckReport report;
  const bool augmented = environment.constraintPenalty != 0.0;
  const auto compare = [&](int e, const char* what, const MatrixXd& A, Order order) {
    const int n = set.freedoms(e);
    if (n == 0) return;  // only remembers
    const MatrixXd whole = withTogether(set, e, A);
    const double size = sizeOf(calcLocal(set, sample, environment, e));
    const auto differentiate = [&](int j, double step) {
      return calcDerivative(
          set, environment, e, [&](double h) { return changed(set, e, sample, order, j, h); },
          step);
    };
    MatrixXd expected(n, n);
    for (int j = 0; j < n; ++j) expected.col(j) = differentiate(j, kStep);
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    for (int j = 0; j < n; ++j) {
      double tolerance = kDifferences * scale + differenceNoise(size);
      if (!isNear(sizeOf(whole.col(j) - expected.col(j)), 0.0, tolerance)) {
        expected.col(j) = differentiate(j, kFineStep);
        tolerance = kDifferences * scale + differenceNoise(size, kFineStep);
      }
      for (int i = 0; i < n; ++i) {
        if (!isNear(whole(i, j), expected(i, j), tolerance)) {
          report.add(set, e, describe(what, i, j, whole(i, j), expected(i, j)));
        }
        if (!set.fills(e, i, j, augmented) && std::abs(A(i, j)) > kRounding * scale) {
          report.add(set, e, describe(what, i, j, A(i, j), 0.0) + ": the pattern has no entry");
        }
      }
    }
  };
  Tangents tangents;
  for (int e = 0; e < set.size(); ++e) {
    set.calcTangents(sample.motion(), environment, e, tangents);
    compare(e, "K", tangents.K, Order::kValue);
    compare(e, "C", tangents.C, Order::kRate);
    compare(e, "M", tangents.M, Order::kAcceleration);
  }
  return report;
}

CheckReport checkSum(const system::System& system, const ElementSet& set,
                     const MotionSample& sample, const Environment& environment) {
  CheckReport report;
  system::ResidualSums sums = makeSums(system), expected = makeSums(system);
  set.addResidual(sample.motion(), environment, sums);
  double scale = 1.0;
  for (int e = 0; e < set.size(); ++e) {
    const VectorXd r = calcLocal(set, sample, environment, e);
    scale = std::max(scale, sizeOf(r));
    for (int k = 0; k < set.nodes(e); ++k) {
      expected.nodes[set.node(e, k).value] += r.segment<6>(6 * k);
    }
    for (int k = 0; k < set.scalars(e); ++k) {
      expected.scalars[set.scalar(e, k).value] += r[6 * set.nodes(e) + k];
    }
  }
  for (std::size_t i = 0; i < sums.nodes.size(); ++i) {
    for (int c = 0; c < 6; ++c) {
      const double a = sums.nodes[i][c], b = expected.nodes[i][c];
      if (!isNear(a, b, kPack * scale * set.size())) {
        report.add(set, 0, describe("sum at node", static_cast<int>(i), c, a, b));
      }
    }
  }
  for (int u = 0; u < system.unknowns(); ++u) {
    const double a = sums.scalars[u], b = expected.scalars[u];
    if (!isNear(a, b, kPack * scale * set.size())) report.add(set, 0, describe("sum", u, 0, a, b));
  }
  return report;
}

CheckReport checkPurity(const system::System& system, const ElementSet& set,
                        const MotionSample& sample, const Environment& environment) {
  CheckReport report;
  const MotionSample before = sample;  // NOLINT(performance-unnecessary-copy-initialization)
  const system::Motion motion = sample.motion();
  system::ResidualSums first = makeSums(system), second = makeSums(system);
  const long allocations = allocationCount();
  set.addResidual(motion, environment, first);
  const long made = allocationCount() - allocations;
  if (made != 0) report.add(set, 0, "the residual allocates " + std::to_string(made) + " times");
  Tangents tangents;
  for (int e = 0; e < set.size(); ++e) set.calcTangents(motion, environment, e, tangents);
  set.addResidual(motion, environment, second);
  if (first.nodes != second.nodes || first.scalars != second.scalars) {
    report.add(set, 0, "the residual is not the same again");
  }
  if (!(sample == before)) report.add(set, 0, "the motion has been changed");
  return report;
}

}  // namespace flexloop::test
