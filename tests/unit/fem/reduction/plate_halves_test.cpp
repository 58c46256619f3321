// A clamped plate of 20-node bricks in two halves that share all nodes of a section, 69 freedoms, against a computation with dense
// matrices apart from this program (numpy and scipy, own bricks, checked with CalculiX).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "fem/modes/normal_modes.hpp"
#include "fem/reduction/component_basis.hpp"
#include "linalg/symmetric/dense_modes.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct Half {
  linalg::SparseMatrix K, M;
  Component component;
};

// From `start`, 0.2 m long; the left one is held at x = 0. Boundary freedoms are in the order of y, z and x y z.
void makeHalf(double start, Half& half) {
  const MeshMaterial steel{"steel", 210e9, 0.3, 7850.0};
  const Mesh mesh = test::makeBox(ElementShape::kHex20, 8, 4, 1, steel, [&](const Vector3d& p) {
    return Vector3d(start + 0.2 * p.x(), 0.1 * p.y() - 0.05, 0.02 * p.z() - 0.01);
  });
  const PartSystem part = assemblePart(mesh).value();
  const auto onSection = [&](double x) {
    std::vector<int> nodes =
        test::findNodes(mesh, [&](const Vector3d& p) { return std::abs(p.x() - x) < 1e-9; });
    std::sort(nodes.begin(), nodes.end(), [&](int a, int b) {
      const Vector3d &p = mesh.points[a], &q = mesh.points[b];
      return std::abs(p.y() - q.y()) > 1e-9 ? p.y() < q.y() : p.z() < q.z();
    });
    std::vector<int> unknowns;
    for (const int node : nodes) {
      for (int component = 0; component < 3; ++component)
        unknowns.push_back(part.unknownOf[6 * node + component]);
    }
    return unknowns;
  };
  const std::vector<int> held = start == 0.0 ? onSection(0.0) : std::vector<int>();
  const std::vector<int> kept = findOthers(part.unknowns(), held);
  half.K = extract(part.K, kept);
  half.M = extract(part.M, kept);
  half.component.K = &half.K;
  half.component.M = &half.M;
  for (const int unknown : onSection(0.2)) {
    half.component.boundary.push_back(
        static_cast<int>(std::lower_bound(kept.begin(), kept.end(), unknown) - kept.begin()));
  }
  half.component.rigid =
      held.empty() ? makeRigidModes(part, Vector3d(0.3, 0, 0)) : MatrixXd(kept.size(), 0);
}

ComponentBasis makeReduced(const Component& component, const StaticModes& statics,
                           ReductionMethod method, NormalModes kind, int count) {
  MatrixXd normal(component.unknowns(), 0);
  if (count > 0) {
    linalg::ModeRequest request;
    request.count = count;
    std::vector<int> held;
    if (kind == NormalModes::kFixed) held = component.boundary;
    normal = findNormalModes(component, held, request).value().vectors;
  }
  return makeBasis(component, statics, method, normal).value();
}

VectorXd couple(const ComponentBasis& a, const ComponentBasis& b) {
  const Eigen::Index shared = a.boundary(), inA = a.omega2.size(), inB = b.omega2.size();
  MatrixXd K = MatrixXd::Zero(shared + inA + inB, shared + inA + inB), M = K;
  const auto add = [&](const ComponentBasis& part, Eigen::Index first, Eigen::Index count) {
    for (auto [from, to] : {std::pair{&part.K, &K}, std::pair{&part.M, &M}}) {
      to->topLeftCorner(shared, shared) += from->topLeftCorner(shared, shared);
      to->block(0, first, shared, count) += from->topRightCorner(shared, count);
      to->block(first, 0, count, shared) += from->bottomLeftCorner(count, shared);
      to->block(first, first, count, count) += from->bottomRightCorner(count, count);
    }
  };
  add(a, shared, inA);
  add(b, shared + inA, inB);
  return linalg::findDenseModes(K, M)->values.cwiseSqrt() / (2.0 * std::numbers::pi);
}

struct Case {
  ReductionMethod method;
  NormalModes kind;
  int modes, size;
  std::vector<double> errors;
};

TEST(PlateHalves, FrequencyErrorsWithAFullInterface) {
  using enum ReductionMethod;
  const std::vector<double> full = {106.195856, 502.027158, 658.296752,
                                    789.979647, 1818.34655, 2423.25541};
  const std::vector<double> freeErrors = {0.0,          3.1693e-7,    4.558e-7,
                                          2.220695e-06, 8.197333e-06, 2.543966e-04};
  const std::vector<Case> cases = {
      {kCraigBampton,
       NormalModes::kFixed,
       0,
       69,
       {2.553046432e-02, 3.307775287e-02, 3.006881169e-01, 1.037393501e-01, 8.242309517e-01,
        4.751128305e-01}},
      {kCraigBampton,
       NormalModes::kFixed,
       4,
       77,
       {3.720500579e-06, 2.498050123e-04, 4.518959134e-04, 8.764157230e-04, 6.418355061e-04,
        9.798090846e-03}},
      {kCraigBampton,
       NormalModes::kFixed,
       8,
       85,
       {6.862998034e-07, 1.700790128e-05, 9.729323703e-05, 1.440158744e-04, 5.521883233e-05,
        1.575805763e-03}},
      {kHintzConstraint,
       NormalModes::kFixed,
       4,
       83,
       {3.258123960e-07, 1.473918446e-05, 7.935314354e-05, 1.279078798e-04, 7.249850732e-05,
        2.676194856e-03}},
      {kInertiaRelief,
       NormalModes::kFree,
       0,
       75,
       {1.344393037e-05, 7.274164892e-05, 7.023895201e-03, 1.642567743e-03, 1.213028335e-01,
        7.539631019e-02}},
      {kHintzConstraint, NormalModes::kFree, 4, 83, freeErrors},
      {kHintzAttachment, NormalModes::kFree, 4, 83, freeErrors},
      {kInertiaRelief, NormalModes::kFree, 4, 83, freeErrors},
      {kInertiaRelief,
       NormalModes::kFree,
       8,
       91,
       {0.0, 1.36e-8, 5.94e-8, 6.56e-8, 6.362950e-07, 7.713756e-06}},
  };
  Half left, right;
  makeHalf(0.0, left);
  makeHalf(0.2, right);
  StaticModes leftStatics, rightStatics;
  ASSERT_FALSE(leftStatics.calculate(left.component));
  ASSERT_FALSE(rightStatics.calculate(right.component));
  for (const Case& test : cases) {
    const std::string what = nameOf(test.method) + " " + std::to_string(test.modes);
    const VectorXd f =
        couple(makeReduced(left.component, leftStatics, test.method, test.kind, test.modes),
               makeReduced(right.component, rightStatics, test.method, test.kind, test.modes));
    ASSERT_EQ(f.size(), test.size) << what;
    for (std::size_t i = 0; i < full.size(); ++i) {
      // Full frequencies have nine digits.
      EXPECT_NEAR(f[i] / full[i] - 1.0, test.errors[i], 1e-6 * test.errors[i] + 6e-9)
          << what << " f" << i + 1;
    }
  }
}

}  // namespace
}  // namespace flexloop::fem
