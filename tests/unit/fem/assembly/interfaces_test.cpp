#include "fem/assembly/interfaces.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/part_from_matrices.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "support/part_solver.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

MeshMaterial makeSteel() {
  MeshMaterial material;
  material.name = "steel";
  material.E = 210e9;
  material.nu = 0.3;
  material.rho = 7850.0;
  return material;
}

Mesh makePlate(ElementShape shape = ElementShape::kHex20, int nx = 16, int ny = 4) {
  Mesh mesh = test::makeBox(shape, nx, ny, 1, makeSteel(), [](const Vector3d& p) {
    return Vector3d(0.4 * p.x(), 0.1 * p.y() - 0.05, 0.02 * p.z() - 0.01);
  });
  mesh.nodeSets["FOOT"] = test::findNodes(mesh, [](const Vector3d& p) { return p.x() < 1e-9; });
  mesh.nodeSets["TIP"] =
      test::findNodes(mesh, [](const Vector3d& p) { return p.x() > 0.4 - 1e-9; });
  mesh.nodeSets["EDGE"] = test::findNodes(
      mesh, [](const Vector3d& p) { return p.x() > 0.4 - 1e-9 && p.z() > 0.01 - 1e-9; });
  mesh.nodeSets["EMPTY"] = {};
  return mesh;
}

std::string messageOf(Mesh mesh, const std::vector<InterfaceRequest>& requests) {
  const auto found = addInterfaces(mesh, requests);
  return found ? std::string() : found.failure().message;
}

// A plate of 16 × 4 × 1 hex20 with both end faces rigid, from an independent program (the same element and mesh): compliance of
// the tip with the foot held, and frequencies.
TEST(Interfaces, RigidFacesOfAPlate) {
  Mesh mesh = makePlate();
  const auto interfaces =
      addInterfaces(mesh, {{"foot", "FOOT", {}, {}, false}, {"tip", "tip", {}, {}, false}});
  ASSERT_TRUE(interfaces.hasValue()) << interfaces.failure().message;
  const int foot = interfaces.value()[0].node, tip = interfaces.value()[1].node;
  EXPECT_LT((mesh.points[tip] - Vector3d(0.4, 0, 0)).norm(), 1e-12);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  EXPECT_FALSE(checkInterfaces(part.value(), interfaces.value()).has_value());
  test::PartSolver held(part.value(), test::holdNodes({foot}));
  const double compliance[6] = {9.42504474e-10, 6.31803655e-8, 1.48307181e-6,
                                1.84415407e-5,  2.79934196e-5, 1.13468519e-6};
  for (int k = 0; k < 6; ++k) {
    VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
    forces[6 * tip + k] = 1.0;
    EXPECT_NEAR(held.solve(forces)[6 * tip + k] / compliance[k], 1.0, 1e-8) << k;
  }
  const std::vector<double> f = held.findFrequencies(4);
  const double expected[4] = {106.196777, 502.028712, 658.400768, 790.651455};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(f[i] / expected[i], 1.0, 1e-8);
}

TEST(Interfaces, SpreadLeavesTheFaceFree) {
  Mesh mesh = makePlate(ElementShape::kHex8, 8, 2);
  const Mesh plain = mesh;
  const auto interfaces = addInterfaces(mesh, {{"tip", "TIP", {}, Vector3d(0.5, 0, 0), true}});
  ASSERT_TRUE(interfaces.hasValue());
  const base::Result<PartSystem> part = assemblePart(mesh), bare = assemblePart(plain);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  EXPECT_FALSE(checkInterfaces(part.value(), interfaces.value()).has_value());
  test::PartSolver with(part.value(), test::holdNodes(mesh.nodeSets["FOOT"]));
  test::PartSolver without(bare.value(), test::holdNodes(mesh.nodeSets["FOOT"]));
  const std::vector<double> f = with.findFrequencies(4), g = without.findFrequencies(4);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(f[i] / g[i], 1.0, 1e-9);
}

// A node of a solid has no rotations of its own: the interface turns with the nodes around, as a rigid body would.
TEST(Interfaces, OneNodeOfASolidTurnsWithItsSurroundings) {
  Mesh mesh = makePlate(ElementShape::kHex20, 8, 2);
  const int corner = mesh.nodeSets["TIP"][0];
  const auto interfaces = addInterfaces(mesh, {{"eye", "", mesh.nodeIds[corner], {}, false}});
  ASSERT_TRUE(interfaces.hasValue()) << interfaces.failure().message;
  const int node = interfaces.value()[0].node;
  EXPECT_NE(node, corner);
  EXPECT_EQ(mesh.points[node], mesh.points[corner]);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  EXPECT_FALSE(checkInterfaces(part.value(), interfaces.value()).has_value());
  EXPECT_LT(findRigidResidual(part.value()).share, 1e-11);
  test::PartSolver solver(part.value(), test::holdNodes(mesh.nodeSets["FOOT"]));
  // Bent by a force at the other side of the tip, the interface follows its node and the slope of the plate.
  VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
  for (const int other : mesh.nodeSets["TIP"]) forces[6 * other + 2] = 1.0;
  const VectorXd U = solver.solve(forces);
  EXPECT_LT((U.segment<3>(6 * node) - U.segment<3>(6 * corner)).norm(), 1e-12 * U.norm());
  const double slope = -1.5 * U[6 * corner + 2] / 0.4;  // of a cantilever under an end load
  EXPECT_NEAR(U[6 * node + 4] / slope, 1.0, 0.03);
}

TEST(Interfaces, NodesOfBeamsAreTakenAsTheyAre) {
  Mesh mesh = test::makeBeams({{0, 0, 0}, {1, 0, 0}}, makeSteel(), test::makeRectangle(0.1, 0.1));
  const auto interfaces = addInterfaces(mesh, {{"a", "", 1, {}, false}, {"b", "", 2, {}, false}});
  ASSERT_TRUE(interfaces.hasValue());
  EXPECT_EQ(interfaces.value()[0].node, 0);
  EXPECT_EQ(interfaces.value()[1].node, 1);
  EXPECT_EQ(mesh.points.size(), 2U);
}

TEST(Interfaces, ProblemsAreNamed) {
  const Mesh mesh = makePlate(ElementShape::kHex8, 2, 2);
  EXPECT_NE(messageOf(mesh, {{"foot", "FOOOT", {}, {}, false}}).find("interface 'foot': "),
            std::string::npos);
  EXPECT_EQ(messageOf(mesh, {{"foot", "EMPTY", {}, {}, false}}),
            "interface 'foot': the set 'EMPTY' is empty");
  EXPECT_EQ(messageOf(mesh, {{"foot", "", 4711, {}, false}}),
            "interface 'foot': the mesh has no node 4711");
  EXPECT_EQ(messageOf(mesh, {{"foot", "", {}, {}, false}}),
            "interface 'foot' has neither a set nor a mesh_node");
  const std::string common = std::to_string(mesh.nodeIds[mesh.nodeSets.at("EDGE")[0]]);
  EXPECT_EQ(
      messageOf(mesh, {{"tip", "TIP", {}, {}, false}, {"edge", "EDGE", {}, {}, false}}),
      "interface 'tip' (set 'TIP') and interface 'edge' (set 'EDGE') overlap: both would lead "
      "node " +
          common);
  EXPECT_EQ(messageOf(mesh, {{"tip", "TIP", {}, {}, false}, {"edge", "EDGE", {}, {}, true}}), "");
}

TEST(Interfaces, OnALineCarryNoStiffness) {
  Mesh mesh = makePlate(ElementShape::kHex8, 2, 2);
  const auto interfaces = addInterfaces(mesh, {{"edge", "EDGE", {}, {}, false}});
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  const auto failure = checkInterfaces(part.value(), interfaces.value());
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->message, "interface 'edge' carries no stiffness in ry");
}

// Matrices of a mesh, given as if another program had made them.
class GivenMatrices : public testing::Test {
 protected:
  GivenMatrices() : mesh_(makePlate(ElementShape::kHex8, 4, 2)), made_(assemblePart(mesh_)) {
    const linalg::SparseMatrix &K = made_.value().K, &M = made_.value().M;
    K_ = K.selfadjointView<Eigen::Lower>();
    M_ = M.selfadjointView<Eigen::Lower>();
    nodes_ = static_cast<int>(mesh_.points.size());
    given_ = mesh_;
    given_.elements.clear();
    given_.elementNodes.clear();
  }
  Mesh mesh_, given_;
  base::Result<PartSystem> made_;
  linalg::SparseMatrix K_, M_;
  int nodes_ = 0;
};

TEST_F(GivenMatrices, GiveThePartBack) {
  const base::Result<PartSystem> part = makePartFromMatrices(given_, nodes_, K_, M_);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  const linalg::SparseMatrix K = part.value().K.selfadjointView<Eigen::Lower>();
  const linalg::SparseMatrix M = part.value().M.selfadjointView<Eigen::Lower>();
  EXPECT_LT((K - K_).norm(), 1e-15 * K_.norm());
  EXPECT_LT((M - M_).norm(), 1e-15 * M_.norm());
  EXPECT_NEAR(calcMassProperties(part.value()).mass, 6.28, 1e-10);
}

TEST_F(GivenMatrices, TakeInterfaces) {
  const std::vector<InterfaceRequest> requests{{"foot", "FOOT", {}, {}, false},
                                               {"tip", "TIP", {}, {}, true}};
  const auto first = addInterfaces(mesh_, requests);
  const auto second = addInterfaces(given_, requests, {3});
  ASSERT_TRUE(second.hasValue()) << second.failure().message;
  const base::Result<PartSystem> a = assemblePart(mesh_);
  const base::Result<PartSystem> b = makePartFromMatrices(given_, nodes_, K_, M_);
  ASSERT_TRUE(b.hasValue()) << b.failure().message;
  test::PartSolver solverA(a.value(), test::holdNodes({first.value()[0].node}));
  test::PartSolver solverB(b.value(), test::holdNodes({second.value()[0].node}));
  VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh_.points.size()));
  forces.segment<6>(6 * first.value()[1].node) << 1, 2, 3, 4, 5, 6;
  const VectorXd x = solverA.solve(forces), y = solverB.solve(forces);
  EXPECT_LT((x - y).norm(), 1e-9 * x.norm());
  EXPECT_NE(addInterfaces(given_, {{"eye", "", 1, {}, false}}, {3})
                .failure()
                .message.find("has no rotations"),
            std::string::npos);
}

TEST_F(GivenMatrices, AreChecked) {
  EXPECT_EQ(
      makePartFromMatrices(given_, nodes_ + 1, K_, M_).failure().message,
      "K has " + std::to_string(3 * nodes_) + " rows for " + std::to_string(nodes_ + 1) + " nodes");
  linalg::SparseMatrix skew = K_;
  skew.coeffRef(4, 1) *= 1.5;
  EXPECT_EQ(makePartFromMatrices(given_, nodes_, skew, M_).failure().message,
            "K is not symmetric: row 5, column 2");
  const linalg::SparseMatrix negative = -M_;
  EXPECT_NE(makePartFromMatrices(given_, nodes_, K_, negative).failure().message.find("negative"),
            std::string::npos);
}

}  // namespace
}  // namespace flexloop::fem
