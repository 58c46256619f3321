// A spinning cantilever plate, 1 × 0.1 × 0.01 m of aluminium, against a spectral solid with linear prestress that was computed
// apart from this program: K(0) + Ω² (K_g − M_xy) on cantilever modes at rest.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/prestress.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "linalg/symmetric/dense_modes.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

TEST(SpinningPlate, StiffensByItsCentrifugalStress) {
  const MeshMaterial aluminium{"aluminium", 70e9, 0.3, 2700.0};
  Mesh mesh =
      test::makeBox(ElementShape::kHex20, 40, 4, 1, aluminium, [](const Eigen::Vector3d& p) {
        return Eigen::Vector3d(p.x(), 0.1 * p.y() - 0.05, 0.01 * p.z() - 0.005);
      });
  mesh.nodeSets["root"] =
      test::findNodes(mesh, [](const Eigen::Vector3d& p) { return p.x() < 1e-9; });
  const auto interfaces =
      addInterfaces(mesh, {{"root", "root", {}, Eigen::Vector3d(0.0, 0.0, 0.0), false}});
  ASSERT_TRUE(interfaces.hasValue());
  const auto part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  PartReduction request;
  request.options.modes = 10;
  request.options.compared = 0;
  request.options.stiffening = true;
  request.geometricStiffness = [&](const StressState& state) {
    return assemblePrestress(mesh, state);
  };
  const auto reduced = reducePart(part.value(), interfaces.value(), request);
  ASSERT_TRUE(reduced.hasValue()) << reduced.failure().message;
  const mechanics::ReducedModel& model = reduced.value().model;
  const Eigen::MatrixXd spinning = model.Kg[2][2] - model.Q[2][2];
  const auto frequencies = [&](double spin) {
    const auto inner = [](const Eigen::MatrixXd& A) { return A.bottomRightCorner(10, 10).eval(); };
    const Eigen::MatrixXd K = inner(model.K) + spin * spin * inner(spinning);
    return (linalg::findDenseModes(K, inner(model.M))->values.cwiseSqrt() /
            (2.0 * std::numbers::pi))
        .eval();
  };
  // Ω, flap 1 and 2, in-plane 1; within 0.5 %, the tolerance for a mesh of bricks.
  const std::vector<std::array<double, 4>> expected = {{{0.0, 8.2861, 51.895, 81.819}},
                                                       {{25.0, 9.3581, 52.877, 81.838}},
                                                       {{50.0, 11.9894, 55.717, 81.894}},
                                                       {{100.0, 19.0372, 65.859, 82.117}}};
  for (const auto& [spin, flap1, flap2, lag] : expected) {
    const Eigen::VectorXd f = frequencies(spin);
    EXPECT_NEAR(f[0] / flap1, 1.0, 5e-3) << spin;
    EXPECT_NEAR(f[1] / flap2, 1.0, 5e-3) << spin;
    EXPECT_NEAR(f[2] / lag, 1.0, 5e-3) << spin;
  }
  // Per unit modal mass: flap 1, flap 2, in-plane, flap 3, torsion. Modes of the mesh at rest differ by its 0.2 %.
  const std::array<double, 5> diagonal = {1.19808, 6.49377, 0.19312, 17.88223, 2.06118};
  for (int i = 0; i < 5; ++i) {
    const double perMass = spinning(6 + i, 6 + i) / model.M(6 + i, 6 + i);
    EXPECT_NEAR(perMass, diagonal[i], 5e-3 * diagonal[i]) << i;
  }
}

}  // namespace
}  // namespace flexloop::fem
