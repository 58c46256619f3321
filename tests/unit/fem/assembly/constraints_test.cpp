// Rigid and averaging spiders, equations and point masses: against the same thing made with beams, with larger rigid bodies,
// or by hand.
#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "support/part_solver.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using Vector6d = Eigen::Matrix<double, 6, 1>;

MeshMaterial makeSteel() {
  MeshMaterial material;
  material.name = "steel";
  material.E = 210e9;
  material.nu = 0.3;
  material.rho = 7850.0;
  return material;
}

// A bar along x with a skew cross-section axis system, so that no arm is along an axis of the mesh.
Mesh makeBar(ElementShape shape = ElementShape::kHex8) {
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(0.5, Vector3d(1, 1, 0.3).normalized()).toRotationMatrix();
  return test::makeBox(shape, 4, 2, 2, makeSteel(), [R](const Vector3d& p) {
    return Vector3d(R * Vector3d(p.x(), 0.2 * p.y() - 0.1, 0.3 * p.z() - 0.15));
  });
}

std::vector<int> endNodes(const Mesh& mesh, double x) {
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(0.5, Vector3d(1, 1, 0.3).normalized()).toRotationMatrix();
  return test::findNodes(
      mesh, [&](const Vector3d& p) { return std::abs((R.transpose() * p).x() - x) < 1e-9; });
}

int addNode(Mesh& mesh, const Vector3d& point) {
  mesh.points.push_back(point);
  mesh.nodeIds.push_back(static_cast<std::int64_t>(mesh.points.size()));
  return static_cast<int>(mesh.points.size()) - 1;
}

void addSpider(Mesh& mesh, Spider::Kind kind, int reference, std::vector<int> nodes,
               unsigned components = 0x3f) {
  Spider spider;
  spider.kind = kind;
  spider.reference = reference;
  spider.nodes = std::move(nodes);
  if (kind == Spider::Kind::kAveraging) spider.weights.assign(spider.nodes.size(), 1.0);
  spider.components = components;
  mesh.spiders.push_back(std::move(spider));
}

VectorXd solve(const Mesh& mesh, const PartSystem& part, int node, const Vector6d& load) {
  test::PartSolver solver(part, test::holdNodes(endNodes(mesh, 0.0)));
  VectorXd forces = VectorXd::Zero(6 * static_cast<Eigen::Index>(mesh.points.size()));
  forces.segment<6>(6 * node) = load;
  return solver.solve(forces);
}

const Vector6d kLoad = (Vector6d() << 100, 200, -300, 10, 20, 30).finished();

TEST(RigidSpider, MovesItsNodesAsOneBody) {
  Mesh mesh = makeBar();
  const std::vector<int> tip = endNodes(mesh, 1.0);
  const int reference = addNode(mesh, {1.5, 0.2, 0.4});
  addSpider(mesh, Spider::Kind::kRigid, reference, tip);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  EXPECT_LT(findRigidResidual(part.value()).share, 1e-12);
  EXPECT_EQ(part.value().multipliers, 0);
  const VectorXd U = solve(mesh, part.value(), reference, kLoad);
  const Vector3d u = U.segment<3>(6 * reference), turn = U.segment<3>(6 * reference + 3);
  for (const int node : tip) {
    const Vector3d expected = u + turn.cross(mesh.points[node] - mesh.points[reference]);
    EXPECT_LT((U.segment<3>(6 * node) - expected).norm(), 1e-12 * u.norm());
  }
}

// Where the reference is makes no difference to the structure: the same load about the same point gives the same motion.
TEST(RigidSpider, MayBeAChainOrReferToANodeOfTheSolid) {
  Mesh plain = makeBar(), chain = plain, onSolid = plain;
  const std::vector<int> tip = endNodes(plain, 1.0);
  const int reference = addNode(plain, {1.5, 0.2, 0.4});
  addSpider(plain, Spider::Kind::kRigid, reference, tip);
  const VectorXd direct = solve(plain, assemblePart(plain).value(), reference, kLoad);

  addNode(chain, {1.5, 0.2, 0.4});
  const int middle = addNode(chain, {1.2, -0.3, 0.1});
  addSpider(chain, Spider::Kind::kRigid, middle, tip);
  addSpider(chain, Spider::Kind::kRigid, reference, {middle});
  const VectorXd chained = solve(chain, assemblePart(chain).value(), reference, kLoad);
  EXPECT_LT((chained.head(direct.size()) - direct).norm(), 1e-9 * direct.norm());

  // The first tip node leads the others; a far node hangs on it.
  addNode(onSolid, {1.5, 0.2, 0.4});
  std::vector<int> others(tip.begin() + 1, tip.end());
  others.push_back(reference);
  addSpider(onSolid, Spider::Kind::kRigid, tip[0], others);
  const base::Result<PartSystem> part = assemblePart(onSolid);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  for (int k = 0; k < 6; ++k) EXPECT_GE(part.value().unknownOf[6 * tip[0] + k], 0);
  const VectorXd found = solve(onSolid, part.value(), reference, kLoad);
  const VectorXd translations = found.segment<3>(6 * reference);
  EXPECT_LT((translations - direct.segment<3>(6 * reference)).norm(), 1e-9 * translations.norm());
}

TEST(RigidSpider, MayLeadSomeComponentsOnly) {
  Mesh mesh = makeBar();
  const std::vector<int> tip = endNodes(mesh, 1.0);
  const int reference = addNode(mesh, mesh.points[tip[4]]);
  addSpider(mesh, Spider::Kind::kRigid, reference, tip, 0b000001);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  // x of the nodes is led by the x, ry and rz of the reference; its y, z and rx carry no stiffness.
  const std::vector<bool> expected{true, false, false, false, true, true};
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(part.value().unknownOf[6 * reference + k] >= 0, expected[k]) << k;
  }
  const VectorXd U =
      solve(mesh, part.value(), reference, (Vector6d() << 100, 0, 0, 0, 20, 30).finished());
  for (const int node : tip) {
    const Vector3d arm = mesh.points[node] - mesh.points[reference];
    EXPECT_NEAR(U[6 * node], U[6 * reference] + U.segment<3>(6 * reference + 3).cross(arm).x(),
                1e-15);
  }
}

// Two nodes of a solid on a skew line: the rotation about it carries no stiffness and is held, and the rest is regular.
TEST(RigidSpider, HoldsTheRotationAboutASkewLine) {
  Mesh mesh = makeBar();
  const std::vector<int> tip = endNodes(mesh, 1.0);
  addSpider(mesh, Spider::Kind::kRigid, tip[0], {tip[8]});
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  int rotations = 0;
  for (int k = 3; k < 6; ++k) rotations += part.value().unknownOf[6 * tip[0] + k] >= 0 ? 1 : 0;
  EXPECT_EQ(rotations, 2);
  EXPECT_LT(findRigidResidual(part.value()).share, 1e-10);
  // The distance of the two nodes stays.
  const VectorXd U = solve(mesh, part.value(), tip[4], kLoad);
  const Vector3d line = mesh.points[tip[8]] - mesh.points[tip[0]];
  const Vector3d stretch = U.segment<3>(6 * tip[8]) - U.segment<3>(6 * tip[0]);
  EXPECT_LT(std::abs(stretch.dot(line)), 1e-9 * stretch.norm() * line.norm());
}

TEST(RigidSpider, ConflictsAreNamed) {
  Mesh mesh = makeBar();
  const std::vector<int> tip = endNodes(mesh, 1.0);
  const int first = addNode(mesh, {1.5, 0, 0}), second = addNode(mesh, {1.6, 0, 0});
  addSpider(mesh, Spider::Kind::kRigid, first, tip);
  addSpider(mesh, Spider::Kind::kRigid, second, {tip[0]});
  mesh.spiders[0].line = 10;
  mesh.spiders[1].line = 11;
  const base::Result<PartSystem> twice = assemblePart(mesh);
  ASSERT_FALSE(twice.hasValue());
  EXPECT_EQ(twice.failure().message,
            "node " + std::to_string(mesh.nodeIds[tip[0]]) +
                " ux follows from two constraints: the rigid spider of node " +
                std::to_string(mesh.nodeIds[first]) +
                " (made.inp:10) and the rigid spider of node " +
                std::to_string(mesh.nodeIds[second]) + " (made.inp:11)");
  mesh.spiders[1].nodes = {first};
  addSpider(mesh, Spider::Kind::kRigid, tip[0], {second});
  const base::Result<PartSystem> circle = assemblePart(mesh);
  ASSERT_FALSE(circle.hasValue());
  EXPECT_NE(circle.failure().message.find("constraints in a circle: node "), std::string::npos);
  EXPECT_NE(circle.failure().message.find("made.inp:11"), std::string::npos);
}

TEST(Equations, TieFreedoms) {
  Mesh mesh = makeBar();
  const std::vector<int> tip = endNodes(mesh, 1.0);
  // u_y of one corner is twice the u_z of another.
  mesh.equations.push_back({{{tip[0], 1, -0.5}, {tip[3], 2, 1.0}}, 5});
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  EXPECT_EQ(part.value().unknownOf[6 * tip[0] + 1], -1);
  const VectorXd U = solve(mesh, part.value(), tip[4], kLoad);
  EXPECT_NEAR(U[6 * tip[0] + 1], 2 * U[6 * tip[3] + 2], 1e-18);
  mesh.equations[0].terms[0].factor = 0.0;
  EXPECT_EQ(assemblePart(mesh).failure().message,
            "the equation (made.inp:5): the factor of its first term, node " +
                std::to_string(mesh.nodeIds[tip[0]]) + " uy, is zero");
}

class AveragingSpider : public testing::Test {
 protected:
  void make(unsigned components = 0x3f) {
    mesh_ = makeBar();
    tip_ = endNodes(mesh_, 1.0);
    reference_ = addNode(mesh_, {1.5, 0.2, 0.4});
    addSpider(mesh_, Spider::Kind::kAveraging, reference_, tip_, components);
  }
  Mesh mesh_;
  std::vector<int> tip_;
  int reference_ = 0;
};

// The reference moves as the best rigid fit, and its load is spread so that force and moment are kept and nodes get forces only.
TEST_F(AveragingSpider, FollowsTheBestFit) {
  make();
  mesh_.spiders[0].weights = {1, 2, 3, 1, 2, 3, 1, 2, 3};
  const base::Result<PartSystem> part = assemblePart(mesh_);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  EXPECT_EQ(part.value().multipliers, 6);
  EXPECT_LT(findRigidResidual(part.value()).share, 1e-12);
  const VectorXd U = solve(mesh_, part.value(), reference_, kLoad);
  double total = 0.0;
  Vector3d centre = Vector3d::Zero(), mean = Vector3d::Zero(), moment = Vector3d::Zero();
  for (std::size_t i = 0; i < tip_.size(); ++i) {
    const double w = mesh_.spiders[0].weights[i];
    total += w;
    centre += w * mesh_.points[tip_[i]];
    mean += w * U.segment<3>(6 * tip_[i]);
  }
  centre /= total;
  mean /= total;
  Eigen::Matrix3d J = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < tip_.size(); ++i) {
    const double w = mesh_.spiders[0].weights[i];
    const Vector3d r = mesh_.points[tip_[i]] - centre;
    J += w * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
    moment += w * r.cross(Vector3d(U.segment<3>(6 * tip_[i])));
  }
  const Vector3d turn = J.inverse() * moment;
  const Vector3d expected = mean + turn.cross(mesh_.points[reference_] - centre);
  EXPECT_LT((U.segment<3>(6 * reference_) - expected).norm(), 1e-10 * expected.norm());
  EXPECT_LT((U.segment<3>(6 * reference_ + 3) - turn).norm(), 1e-10 * turn.norm());
}

// The set is not stiffened: a load that the nodes take directly deforms the bar as without the spider.
TEST_F(AveragingSpider, DoesNotStiffen) {
  make();
  const Mesh plain = makeBar();
  const VectorXd with = solve(mesh_, assemblePart(mesh_).value(), tip_[0], kLoad);
  const VectorXd without = solve(plain, assemblePart(plain).value(), tip_[0], kLoad);
  EXPECT_LT((with.head(without.size()) - without).norm(), 1e-9 * without.norm());
}

TEST_F(AveragingSpider, WithTheSameFaceRigidIsTheRigidSpider) {
  make();
  const int leader = addNode(mesh_, {0.7, 0.1, 0.2});
  addSpider(mesh_, Spider::Kind::kRigid, leader, tip_);
  Mesh rigid = makeBar();
  addNode(rigid, {1.5, 0.2, 0.4});
  addSpider(rigid, Spider::Kind::kRigid, reference_, tip_);
  const VectorXd averaged = solve(mesh_, assemblePart(mesh_).value(), reference_, kLoad);
  const VectorXd direct = solve(rigid, assemblePart(rigid).value(), reference_, kLoad);
  EXPECT_LT((averaged.head(direct.size()) - direct).norm(), 1e-9 * direct.norm());
}

TEST_F(AveragingSpider, OnALineOfASolidIsRefused) {
  make();
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(0.5, Vector3d(1, 1, 0.3).normalized()).toRotationMatrix();
  std::erase_if(mesh_.spiders[0].nodes, [&](int node) {
    return std::abs((R.transpose() * mesh_.points[node]).y()) > 1e-9;
  });
  ASSERT_EQ(mesh_.spiders[0].nodes.size(), 3U);
  mesh_.spiders[0].weights = {1, 1, 1};
  const base::Result<PartSystem> part = assemblePart(mesh_);
  ASSERT_FALSE(part.hasValue());
  EXPECT_NE(part.failure().message.find("its nodes do not determine node "), std::string::npos);
}

// Nodes of a beam on a line: their rotations give the one that the translations leave open.
TEST(AveragingOfBeams, UsesRotationsOnALine) {
  Mesh mesh = test::makeBeams({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}}, makeSteel(),
                              test::makeRectangle(0.1, 0.2));
  const int reference = addNode(mesh, {2.5, 2.5, 1.0});
  addSpider(mesh, Spider::Kind::kAveraging, reference, {2, 3});
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue()) << part.failure().message;
  EXPECT_LT(findRigidResidual(part.value()).share, 1e-12);
  test::PartSolver solver(part.value(), test::holdNodes({0}));
  VectorXd forces = VectorXd::Zero(6 * 5);
  forces.segment<3>(6 * reference + 3) = Vector3d(100, 100, 0);
  const VectorXd U = solver.solve(forces);
  const Vector3d axis = Vector3d(1, 1, 0).normalized();
  const double mean = 0.5 * axis.dot(U.segment<3>(15) + U.segment<3>(21));
  EXPECT_NEAR(axis.dot(U.segment<3>(6 * reference + 3)), mean, 1e-12 * std::abs(mean));
}

TEST(PointMasses, OnASolidWithInertiaGiveAWarning) {
  Mesh mesh = makeBar();
  PointMass mass;
  mass.node = endNodes(mesh, 1.0)[0];
  mass.mass = 10.0;
  mesh.masses.push_back(mass);
  EXPECT_TRUE(assemblePart(mesh).value().warnings.empty());
  mesh.masses[0].offset = Vector3d(0, 1, 0);
  const base::Result<PartSystem> part = assemblePart(mesh);
  EXPECT_EQ(part.value().warnings.size(), 1U);
  mesh.masses[0].node = addNode(mesh, {5, 5, 5});
  EXPECT_EQ(assemblePart(mesh).failure().message,
            "the mass at node " + std::to_string(mesh.nodeIds.back()) + " is attached to nothing");
}

TEST(PointMasses, CountInTheMassOfThePart) {
  Mesh mesh = makeBar();
  const int node = addNode(mesh, {2, 0, 0});
  addSpider(mesh, Spider::Kind::kRigid, node, endNodes(mesh, 1.0));
  PointMass mass;
  mass.node = node;
  mass.mass = 10.0;
  mass.offset = Vector3d(1, 0, 0);
  mass.inertia = Vector3d(1, 2, 3).asDiagonal();
  mesh.masses.push_back(mass);
  const base::Result<PartSystem> part = assemblePart(mesh);
  ASSERT_TRUE(part.hasValue());
  const double bar = 7850.0 * 0.06;
  EXPECT_NEAR(calcMassProperties(part.value()).mass, bar + 10.0, 1e-9);
  const Vector3d middle = 0.5 * (mesh.points.front() + mesh.points[endNodes(mesh, 1.0).back()]);
  const Vector3d centre = (bar * middle + 10.0 * Vector3d(3, 0, 0)) / (bar + 10.0);
  EXPECT_LT((calcMassProperties(part.value()).centre - centre).norm(), 1e-10);
}

}  // namespace
}  // namespace flexloop::fem
