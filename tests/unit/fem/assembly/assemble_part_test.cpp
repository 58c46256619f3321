#include "fem/assembly/assemble_part.hpp"

#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/assembly/part_fields.hpp"
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
  material.expansion = 12e-6;
  return material;
}

constexpr ElementShape kSolids[] = {
    ElementShape::kTet4,    ElementShape::kTet10, ElementShape::kPyramid5, ElementShape::kWedge6,
    ElementShape::kWedge15, ElementShape::kHex8,  ElementShape::kHex20};

// Inner nodes of the unit cube of MacNeal and Harder (1985): the corners of the inner hexahedron.
const Vector3d kInner[8] = {{.249, .342, .192}, {.826, .288, .288}, {.850, .649, .263},
                            {.273, .750, .230}, {.320, .186, .643}, {.677, .305, .683},
                            {.788, .693, .644}, {.165, .745, .702}};

// Moves the inner corners of 3 × 3 × 3 cells, and what is between them, trilinearly: all faces of cells stay as in the patch.
Vector3d warp(const Vector3d& p) {
  const auto place = [](double x) {
    return x <= 1.0 / 3.0   ? std::pair{0, 3 * x}
           : x <= 2.0 / 3.0 ? std::pair{1, 3 * x - 1}
                            : std::pair{2, 3 * x - 2};
  };
  const auto [i, x] = place(p.x());
  const auto [j, y] = place(p.y());
  const auto [k, z] = place(p.z());
  const auto corner = [](int a, int b, int c) {
    const bool isInner = a % 3 != 0 && b % 3 != 0 && c % 3 != 0;
    if (!isInner) return Vector3d(a / 3.0, b / 3.0, c / 3.0);
    constexpr int kOrder[2][2][2] = {{{0, 4}, {3, 7}}, {{1, 5}, {2, 6}}};
    return kInner[kOrder[a - 1][b - 1][c - 1]];
  };
  Vector3d sum = Vector3d::Zero();
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      for (int c = 0; c < 2; ++c) {
        sum += (a == 0 ? 1 - x : x) * (b == 0 ? 1 - y : y) * (c == 0 ? 1 - z : z) *
               corner(i + a, j + b, k + c);
      }
    }
  }
  return sum;
}

class PatchTest : public testing::TestWithParam<ElementShape> {};

// u = 1e-3 (2x + y + z, x + 2y + z, x + y + 2z)/2 on the boundary: inside it must be the same, with stresses 2000 and 400.
TEST_P(PatchTest, UniformStrainIsExact) {
  MeshMaterial material;
  material.E = 1e6;
  material.nu = 0.25;
  material.rho = 1.0;
  Mesh mesh = test::makeBox(GetParam(), 3, 3, 3, material, warp);
  test::straightenEdges(mesh);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  const auto isBoundary = [](const Vector3d& p) {
    return (p.array() < 1e-12).any() || (p.array() > 1 - 1e-12).any();
  };
  Eigen::Matrix3d A;
  A << 1e-3, 5e-4, 5e-4, 5e-4, 1e-3, 5e-4, 5e-4, 5e-4, 1e-3;
  const std::vector<int> boundary = test::findNodes(mesh, isBoundary);
  VectorXd prescribed = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
  for (const int node : boundary) prescribed.segment<3>(6 * node) = A * mesh.points[node];
  // Forces of the prescribed motion on the rest.
  VectorXd u = VectorXd::Zero(part.value().unknowns());
  for (Eigen::Index f = 0; f < prescribed.size(); ++f) {
    if (part.value().unknownOf[f] >= 0) u[part.value().unknownOf[f]] = prescribed[f];
  }
  const VectorXd r = part.value().K.selfadjointView<Eigen::Lower>() * u;
  VectorXd forces = VectorXd::Zero(prescribed.size());
  for (Eigen::Index f = 0; f < prescribed.size(); ++f) {
    if (part.value().unknownOf[f] >= 0) forces[f] = -r[part.value().unknownOf[f]];
  }
  test::PartSolver solver(part.value(), test::holdNodes(boundary));
  const VectorXd U = prescribed + solver.solve(forces);
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    EXPECT_LT((U.segment<3>(6 * i) - A * mesh.points[i]).norm(), 1e-14) << "node " << i;
  }
  const NodeStresses stresses = calcNodeStresses(mesh, U);
  for (int i = 0; i < stresses.cols(); ++i) {
    EXPECT_LT((stresses.col(i).head<3>() - Vector3d::Constant(2000.0)).norm(), 1e-7);
    EXPECT_LT((stresses.col(i).tail<3>() - Vector3d::Constant(400.0)).norm(), 1e-7);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PatchTest, testing::ValuesIn(kSolids),
                         [](const auto& test) { return nameOf(test.param); });

TEST(AssemblePart, HasTheMassPropertiesOfABox) {
  for (const ElementShape shape : kSolids) {
    const Mesh mesh = test::makeBox(shape, 2, 1, 1, makeSteel(), [](const Vector3d& p) {
      return Vector3d(2 * p.x() + 100, p.y() - 50, p.z() + 30);
    });
    const base::Result<PartSystem> part = assemblePart(mesh);
    ASSERT_TRUE(part.hasValue());
    const MassProperties found = calcMassProperties(part.value());
    EXPECT_NEAR(found.mass, 15700.0, 1e-8);
    EXPECT_LT((found.centre - Vector3d(101, -49.5, 30.5)).norm(), 1e-11);
    // m (b² + c²)/12
    const Eigen::Matrix3d exact =
        Vector3d(15700.0 * 2 / 12, 15700.0 * 5 / 12, 15700.0 * 5 / 12).asDiagonal();
    EXPECT_LT((found.inertia - exact).norm(), 1e-6) << nameOf(shape);
    EXPECT_NEAR(calcVolume(mesh), 2.0, 1e-12);
    EXPECT_LT(findRigidResidual(part.value()).share, 1e-12);
  }
}

TEST(AssemblePart, FindsWhatHoldsAPartToTheGround) {
  Mesh mesh = test::makeBox(ElementShape::kHex8, 2, 1, 1, makeSteel());
  mesh.equations.push_back({{{3, 1, 1.0}}, 12});  // node 4 uy = 0
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  const RigidResidual residual = findRigidResidual(part.value());
  EXPECT_GT(residual.share, 1e-3);
}

TEST(AssemblePart, GivesTheSameBitsTwice) {
  const Mesh mesh = test::makeBox(ElementShape::kTet10, 2, 2, 1, makeSteel());
  const base::Result<PartSystem> first = assemblePart(mesh), second = assemblePart(mesh);
  const linalg::SparseMatrix &a = first.value().K, &b = second.value().K;
  ASSERT_EQ(a.nonZeros(), b.nonZeros());
  for (Eigen::Index i = 0; i < a.nonZeros(); ++i) EXPECT_EQ(a.valuePtr()[i], b.valuePtr()[i]);
}

TEST(AssemblePart, GravityPullsWithTheWeight) {
  const Mesh mesh = test::makeBox(ElementShape::kHex8, 3, 2, 1, makeSteel());
  const base::Result<PartSystem> part = assemblePart(mesh);
  const VectorXd forces = calcAccelerationForces(part.value(), Vector3d(0, 0, -9.81));
  double sum = 0.0;
  for (Eigen::Index i = 2; i < forces.size(); i += 6) sum += forces[i];
  EXPECT_NEAR(sum, -9.81 * 7850.0, 1e-8);
}

// A block that can expand freely has no stress, one between walls has −E α ΔT / (1 − 2ν) if all sides are held.
TEST(AssemblePart, Expands) {
  const Mesh mesh = test::makeBox(ElementShape::kHex20, 2, 2, 2, makeSteel());
  const base::Result<PartSystem> part = assemblePart(mesh);
  const VectorXd forces = calcThermalForces(mesh, 100.0);
  std::vector<int> held;
  for (int k = 0; k < 3; ++k) {
    const auto nodes = test::findNodes(mesh, [&](const Vector3d& p) { return p[k] == 0.0; });
    for (const int freedom : test::holdNodes(nodes, 1U << k)) held.push_back(freedom);
  }
  test::PartSolver solver(part.value(), held);
  const VectorXd U = solver.solve(forces);
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    EXPECT_LT((U.segment<3>(6 * i) - 1.2e-3 * mesh.points[i]).norm(), 1e-14);
  }
  EXPECT_LT(calcNodeStresses(mesh, U, 100.0).cwiseAbs().maxCoeff(), 1.0);
  const Eigen::VectorXd walls = calcStressesAt(mesh, VectorXd::Zero(U.size()), {0}, 100.0);
  EXPECT_NEAR(walls(0, 0), -210e9 * 1.2e-3 / 0.4, 1.0);
}

// The geometric stiffness of a tension σ in a block, seen by a rotation about an axis across it: σ V θ²/… by hand.
TEST(AssemblePart, GeometricStiffnessOfATension) {
  for (const ElementShape shape : kSolids) {
    const Mesh mesh = test::makeBox(shape, 2, 1, 1, makeSteel());
    VectorXd U = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size())), turn = U;
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
      const Vector3d& p = mesh.points[i];
      U.segment<3>(6 * i) = 1e-3 * Vector3d(p.x(), -0.3 * p.y(), -0.3 * p.z());
      turn.segment<3>(6 * i) = Vector3d(0, 0, 1).cross(p);
    }
    const linalg::SparseMatrix Kg = assembleGeometricStiffness(mesh, U);
    const VectorXd force = Kg.selfadjointView<Eigen::Lower>() * turn;
    EXPECT_NEAR(turn.dot(force), 210e9 * 1e-3, 1e-3) << nameOf(shape);  // σ V (∂u_y/∂x)²
  }
}

std::string messageOf(const Mesh& mesh) {
  const base::Result<PartSystem> part = assemblePart(mesh);
  return part ? std::string() : part.failure().message;
}

TEST(AssemblePart, NamesWhatIsMissing) {
  const Mesh good = test::makeBox(ElementShape::kHex8, 2, 1, 1, makeSteel());
  Mesh mesh = good;
  mesh.elementSets["BODY"] = {0, 1};
  mesh.elements[0].property = -1;
  EXPECT_EQ(messageOf(mesh), "no material for element 1 (hex8, set 'BODY')");
  mesh.elements[1].property = -1;
  mesh.elements[0].line = 7;
  EXPECT_EQ(messageOf(mesh),
            "no material for element 1 (hex8, made.inp:7, set 'BODY') and 1 other");
  mesh = good;
  mesh.materials[0].rho = 0.0;
  EXPECT_EQ(messageOf(mesh), "material 'steel' of element 1 (hex8) and 1 other has no density");
  mesh = good;
  mesh.materials[0].E = 0.0;
  EXPECT_EQ(messageOf(mesh),
            "material 'steel' of element 1 (hex8) and 1 other has no modulus of elasticity E");
  mesh = good;
  mesh.materials[0].nu = 0.5;
  EXPECT_EQ(messageOf(mesh),
            "material 'steel' of element 1 (hex8) and 1 other has the Poisson ratio 0.5");
  mesh = good;
  mesh.elements[0].shape = ElementShape::kQuad4;
  EXPECT_EQ(messageOf(mesh), "no thickness for element 1 (quad4)");
  mesh.elements[0].shape = ElementShape::kBeam2;
  EXPECT_EQ(messageOf(mesh), "no usable cross-section for element 1 (beam2)");
  EXPECT_EQ(messageOf(Mesh{}), "the mesh has no elements");
}

TEST(AssemblePart, NamesBadElements) {
  Mesh mesh = test::makeBox(ElementShape::kHex8, 3, 1, 1, makeSteel());
  for (const int e : {1, 2}) {
    int* nodes = mesh.elementNodes.data() + mesh.elements[e].firstNode;
    std::swap_ranges(nodes, nodes + 4, nodes + 4);
  }
  EXPECT_EQ(messageOf(mesh),
            "element 2 (hex8) is inverted: its nodes are in the wrong order; so is 1 other");
}

TEST(AssemblePart, NamesLoosePieces) {
  Mesh mesh = test::makeBox(ElementShape::kHex8, 4, 1, 1, makeSteel());
  mesh.elements.erase(mesh.elements.begin() + 1);  // of the second there is nothing left
  EXPECT_EQ(messageOf(mesh),
            "the mesh is in 2 pieces that nothing joins; the smallest has 1 element: element 1 "
            "(hex8)");
  Spider spider;
  spider.reference = mesh.nodesOf(mesh.elements[0])[0];
  spider.nodes = {mesh.nodesOf(mesh.elements[1])[0]};
  mesh.spiders.push_back(spider);
  EXPECT_EQ(messageOf(mesh), "");
}

}  // namespace
}  // namespace flexloop::fem
