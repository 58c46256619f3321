// Interface modes against full Craig-Bampton coordinates of all freedoms of the set, from dense matrices.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/reduction/component.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/symmetric/dense_modes.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kNormalModes = 4;

struct Plate {
  Mesh mesh;
  PartSystem part;
  std::vector<PartInterface> interfaces;
};

// 0.3 × 0.2 × 0.02 m of steel; the left face is rigid, the right one is averaged or, with `modes` below zero, no interface.
Plate makePlate(int modes) {
  Plate plate;
  const MeshMaterial steel{"steel", 210e9, 0.3, 7850.0};
  plate.mesh = test::makeBox(ElementShape::kHex20, 3, 3, 1, steel, [](const Eigen::Vector3d& p) {
    return Eigen::Vector3d(0.3 * p.x(), 0.2 * p.y() - 0.1, 0.02 * p.z() - 0.01);
  });
  plate.mesh.nodeSets["left"] =
      test::findNodes(plate.mesh, [](const Eigen::Vector3d& p) { return p.x() < 1e-9; });
  plate.mesh.nodeSets["right"] =
      test::findNodes(plate.mesh, [](const Eigen::Vector3d& p) { return p.x() > 0.3 - 1e-9; });
  std::vector<InterfaceRequest> requests{{"left", "left", {}, {}, false}};
  if (modes >= 0) requests.push_back({"right", "right", {}, {}, true, modes});
  plate.interfaces = addInterfaces(plate.mesh, requests).value();
  plate.part = assemblePart(plate.mesh).value();
  return plate;
}

mechanics::ReducedModel reduce(int modes, ReductionMethod method = ReductionMethod::kCraigBampton) {
  const Plate plate = makePlate(modes);
  PartReduction request;
  request.options.method = method;
  request.options.modes = kNormalModes;
  request.options.compared = 0;
  const auto reduced = reducePart(plate.part, plate.interfaces, request);
  EXPECT_TRUE(reduced.hasValue()) << (reduced ? "" : reduced.failure().message);
  return reduced.value().model;
}

// λ with the left face held.
VectorXd cantilever(const mechanics::ReducedModel& model) {
  const Eigen::Index n = model.K.rows() - 6;
  return linalg::findDenseModes(model.K.bottomRightCorner(n, n), model.M.bottomRightCorner(n, n))
      ->values;
}

MatrixXd compliance(const mechanics::ReducedModel& model) {
  const Eigen::Index n = model.K.rows() - 6;
  return linalg::DenseLu<double>(model.K.bottomRightCorner(n, n)).inverse().topLeftCorner(6, 6);
}

MatrixXd dense(const linalg::SparseMatrix& lower, const std::vector<int>& rows,
               const std::vector<int>& columns) {
  return extractColumns(lower, rows, columns);
}

// λ of the plate clamped on the left with every freedom of the right face at the boundary and modes with it held.
VectorXd fullInterface() {
  const Plate plate = makePlate(-1);
  const PartSystem& part = plate.part;
  std::vector<int> held, set;
  for (int c = 0; c < 6; ++c) held.push_back(part.unknownOf[6 * plate.interfaces[0].node + c]);
  for (const int node : plate.mesh.nodeSets.at("right")) {
    for (int c = 0; c < 3; ++c) set.push_back(part.unknownOf[6 * node + c]);
  }
  std::vector<int> known = held;
  known.insert(known.end(), set.begin(), set.end());
  const std::vector<int> inner = findOthers(part.unknowns(), known);
  const MatrixXd Kii = dense(part.K, inner, inner);
  const MatrixXd Psi = -linalg::DenseLu<double>(Kii).solve(dense(part.K, inner, set));
  const MatrixXd Phi =
      linalg::findDenseModes(Kii, dense(part.M, inner, inner))->vectors.leftCols(kNormalModes);
  const auto count = static_cast<Eigen::Index>(set.size());
  MatrixXd V = MatrixXd::Zero(count + Psi.rows(), count + kNormalModes);
  V.topLeftCorner(count, count).setIdentity();
  V.bottomLeftCorner(Psi.rows(), count) = Psi;
  V.bottomRightCorner(Psi.rows(), kNormalModes) = Phi;
  std::vector<int> free = set;
  free.insert(free.end(), inner.begin(), inner.end());
  return linalg::findDenseModes(V.transpose() * dense(part.K, free, free) * V,
                                V.transpose() * dense(part.M, free, free) * V)
      ->values;
}

TEST(InterfaceModes, AllOfThemAreTheFullInterface) {
  const VectorXd full = fullInterface(), all = cantilever(reduce(1000));
  ASSERT_EQ(all.size(), full.size());
  for (Eigen::Index i = 0; i < full.size(); ++i) EXPECT_NEAR(all[i] / full[i], 1.0, 1e-8) << i;
}

TEST(InterfaceModes, FrequenciesFallTowardsThoseOfTheFullInterface) {
  const VectorXd full = fullInterface();
  VectorXd before;
  std::vector<double> errors;
  for (const int modes : {1, 3, 6, 12, 24}) {
    const VectorXd lambda = cantilever(reduce(modes));
    ASSERT_EQ(lambda.size(), 6 + modes + kNormalModes);
    for (Eigen::Index i = 0; i < 8; ++i) {
      EXPECT_GT(lambda[i], full[i] * (1.0 - 1e-9)) << modes << " " << i;
      if (before.size() == 0) continue;
      EXPECT_LT(lambda[i], before[i] * (1.0 + 1e-9)) << modes << " " << i;
    }
    errors.push_back((lambda.head(8).cwiseQuotient(full.head(8)).array() - 1.0).maxCoeff());
    before = lambda;
  }
  for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], errors[i - 1]);
  EXPECT_LT(errors.back(), 0.2 * errors.front());
}

TEST(InterfaceModes, StaticLoadsAreExactWithAnyNumber) {
  const MatrixXd exact = compliance(reduce(0));
  for (const int modes : {1, 5, 1000}) {
    const MatrixXd error = compliance(reduce(modes)) - exact;
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j)
        EXPECT_LE(std::abs(error(i, j)), 1e-8 * std::sqrt(exact(i, i) * exact(j, j))) << modes;
    }
  }
}

// More of them are never worse; and nor are any where normal modes leave the set free, as they do without them.
TEST(InterfaceModes, EveryMethodTakesThem) {
  using enum ReductionMethod;
  for (const auto method :
       {kHintzConstraint, kHintzAttachment, kInertiaRelief, kFreeInterface, kHybridInterface}) {
    const VectorXd none = cantilever(reduce(0, method)), some = cantilever(reduce(8, method)),
                   more = cantilever(reduce(20, method));
    EXPECT_EQ(more.size(), some.size() + 12) << nameOf(method);
    for (int i = 0; i < 4; ++i) {
      EXPECT_LT(more[i], some[i] * (1.0 + 1e-9)) << nameOf(method);
      const bool isNested = method != kHintzConstraint;
      EXPECT_TRUE(!isNested || some[i] < none[i] * (1.0 + 1e-9)) << nameOf(method);
    }
  }
}

}  // namespace
}  // namespace flexloop::fem
