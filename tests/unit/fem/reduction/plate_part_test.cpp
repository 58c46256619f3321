// A plate of 20-node bricks, 0.4 × 0.1 × 0.02 m, whose ends are rigid frames, against a computation with dense matrices apart
// from this program (numpy and scipy, own bricks, checked with CalculiX).
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "fem/modes/part_modes.hpp"
#include "fem/reduction/recovery.hpp"
#include "fem/reduction/reduce_part.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/symmetric/dense_modes.hpp"
#include "support/structured_mesh.hpp"

namespace flexloop::fem {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const MeshMaterial kSteel{"steel", 210e9, 0.3, 7850.0};

struct Plate {
  Mesh mesh;
  PartSystem part;
  std::vector<PartInterface> interfaces;
};

Plate makePlate(int nx, bool spread = false) {
  Plate plate;
  plate.mesh = test::makeBox(ElementShape::kHex20, nx, 4, 1, kSteel, [](const Eigen::Vector3d& p) {
    return Eigen::Vector3d(0.4 * p.x(), 0.1 * p.y() - 0.05, 0.02 * p.z() - 0.01);
  });
  plate.mesh.nodeSets["left"] =
      test::findNodes(plate.mesh, [](const Eigen::Vector3d& p) { return p.x() < 1e-9; });
  plate.mesh.nodeSets["right"] =
      test::findNodes(plate.mesh, [](const Eigen::Vector3d& p) { return p.x() > 0.4 - 1e-9; });
  InterfaceRequest left{"left", "left", {}, Eigen::Vector3d(0.0, 0.0, 0.0), spread};
  InterfaceRequest right{"right", "right", {}, Eigen::Vector3d(0.4, 0.0, 0.0), spread};
  const auto interfaces = addInterfaces(plate.mesh, {left, right});
  EXPECT_TRUE(interfaces.hasValue());
  plate.interfaces = interfaces.value();
  auto part = assemblePart(plate.mesh);
  EXPECT_TRUE(part.hasValue()) << (part ? "" : part.failure().message);
  plate.part = part.value();
  return plate;
}

const Plate& plate() {
  static const Plate instance = makePlate(16);
  return instance;
}

ReducedPart makeReduced(const Plate& from, ReductionMethod method, NormalModes kind, int modes,
                        int compared = 0) {
  PartReduction request;
  request.options.method = method;
  request.options.normalModes = kind;
  request.options.modes = modes;
  request.options.compared = compared;
  request.options.damping = 0.01;
  const auto reduced = reducePart(from.part, from.interfaces, request);
  EXPECT_TRUE(reduced.hasValue()) << (reduced ? "" : reduced.failure().message);
  return reduced ? reduced.value() : ReducedPart{};
}

VectorXd heldFrequencies(const mechanics::ReducedModel& model, int held) {
  const Eigen::Index n = model.K.rows() - held;
  const auto modes =
      linalg::findDenseModes(model.K.bottomRightCorner(n, n), model.M.bottomRightCorner(n, n));
  return modes->values.cwiseSqrt() / (2.0 * std::numbers::pi);
}

MatrixXd heldCompliance(const mechanics::ReducedModel& model, int held) {
  const Eigen::Index n = model.K.rows() - held;
  return linalg::DenseLu<double>(model.K.bottomRightCorner(n, n)).inverse();
}

void expectErrors(const VectorXd& frequencies, const std::vector<double>& full,
                  const std::vector<double>& errors, const std::string& what) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    // Full frequencies have nine digits.
    EXPECT_NEAR(frequencies[i] / full[i] - 1.0, errors[i], 1e-6 * errors[i] + 6e-9)
        << what << " f" << i + 1;
  }
}

const std::vector<double> kFree = {660.931707, 1509.09798, 1806.09258,
                                   2793.48731, 3147.68102, 3489.59573};
const std::vector<double> kCantilever = {106.196777, 502.028712, 658.400768,
                                         790.651455, 1819.42822, 2440.46929};

struct Case {
  ReductionMethod method;
  NormalModes kind;
  int modes, size;
  std::vector<double> free, held;
  double staticError;  // to its two digits; below 1e-9 for complete sets
};

TEST(PlatePart, FrequencyErrorsOfAllSets) {
  using enum ReductionMethod;
  const std::vector<double> none = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const std::vector<double> superFree = {9.098197115e-03, 6.019073533e-02, 3.513280900e-02};
  const std::vector<double> superHeld = {1.863880079e-06, 8.659501045e-06, 6.159839191e-03};
  const std::vector<double> freeHeld = {7.267688673e-10, 5.887810848e-07, 5.179134701e-07,
                                        3.357921651e-06, 1.556669251e-05, 5.227911206e-04};
  const std::vector<Case> cases = {
      {kCraigBampton,
       NormalModes::kFixed,
       0,
       12,
       {1.903780906e-01, 6.019073533e-02, 4.660111096e-01},
       {4.661829608e-03, 8.927921984e-03, 2.923153344e-01},
       0.58},
      {kCraigBampton,
       NormalModes::kFixed,
       6,
       18,
       {5.408303223e-04, 3.080112779e-03, 5.050786081e-03},
       {1.978547317e-05, 1.172677430e-03, 4.397791294e-04},
       0.50},
      {kCraigBampton,
       NormalModes::kFixed,
       20,
       32,
       {1.440574169e-04, 6.526524112e-04, 5.013618366e-04},
       {1.927860527e-06, 4.213851397e-05, 5.634894020e-05},
       0.061},
      {kHintzConstraint, NormalModes::kFixed, 0, 18, superFree, superHeld, 0.0},
      {kHintzAttachment, NormalModes::kFree, 0, 18, superFree, superHeld, 0.0},
      {kInertiaRelief, NormalModes::kFree, 0, 18, superFree, superHeld, 0.0},
      {kHintzConstraint,
       NormalModes::kFixed,
       6,
       24,
       {1.983134946e-06, 3.080112779e-03, 6.911967227e-05},
       {2.421533862e-09, 7.651557539e-07, 1.258199908e-06},
       0.0},
      {kHintzConstraint, NormalModes::kFree, 6, 24, none, freeHeld, 0.0},
      {kHintzAttachment, NormalModes::kFree, 6, 24, none, freeHeld, 0.0},
      {kInertiaRelief, NormalModes::kFree, 6, 24, none, freeHeld, 0.0},
      {kFreeInterface, NormalModes::kFree, 6, 24, none, freeHeld, 0.0},
      {kHybridInterface, NormalModes::kHybrid, 6, 24, {4.8e-9, 9.3e-6, 4.6e-7}, none, 0.0},
  };
  for (const Case& test : cases) {
    const std::string what = nameOf(test.method) + " " + std::to_string(test.modes);
    const ReducedPart reduced = makeReduced(plate(), test.method, test.kind, test.modes);
    ASSERT_EQ(reduced.model.K.rows(), test.size) << what;
    if (test.method == kHybridInterface) {
      // Given to two digits.
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(reduced.report.frequencies[i] / kFree[i] - 1.0, test.free[i],
                    0.05 * test.free[i] + 1e-9);
      }
    } else {
      expectErrors(reduced.report.frequencies, kFree, test.free, what + " free");
    }
    expectErrors(heldFrequencies(reduced.model, 6), kCantilever, test.held, what + " held");
    if (test.staticError == 0.0) {
      EXPECT_LT(reduced.report.staticError, 1e-8) << what;
    } else {
      EXPECT_NEAR(reduced.report.staticError, test.staticError, 0.01 * test.staticError) << what;
    }
    EXPECT_LT(reduced.report.massError, 1e-13) << what;
  }
}

TEST(PlatePart, FullFrequenciesAreFoundAndVerified) {
  const ReducedPart reduced =
      makeReduced(plate(), ReductionMethod::kCraigBampton, NormalModes::kFixed, 20, 6);
  ASSERT_EQ(reduced.report.fullFrequencies.size(), 6);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(reduced.report.fullFrequencies[i] / kFree[i], 1.0, 3e-9);
  EXPECT_TRUE(reduced.report.verified);
  EXPECT_NEAR(reduced.report.mass, 6.28, 1e-11);
  EXPECT_NEAR(reduced.report.frequencyErrors[0], 1.440574169e-04, 1e-8);
  // Both ends held: the internal frequencies of Craig and Bampton.
  const std::vector<double> both = {676.805358, 1698.99667, 1831.17306, 2487.67935};
  for (int i = 0; i < 4; ++i) {
    const double square = reduced.model.K(12 + i, 12 + i) / reduced.model.M(12 + i, 12 + i);
    EXPECT_NEAR(std::sqrt(square) / (2.0 * std::numbers::pi) / both[i], 1.0, 3e-9);
  }
}

// Of the tip with the root held: ux uy uz rx ry rz, uy/rz, uz/ry.
TEST(PlatePart, ComplianceOfTheTipIsExactForEverySet) {
  const VectorXd expected = (VectorXd(6) << 9.42504474e-10, 6.31803655e-8, 1.48307181e-6,
                             1.84415407e-5, 2.79934196e-5, 1.13468519e-6)
                                .finished();
  for (const ReductionMethod method :
       {ReductionMethod::kCraigBampton, ReductionMethod::kHintzAttachment,
        ReductionMethod::kInertiaRelief, ReductionMethod::kHybridInterface}) {
    const ReducedPart reduced = makeReduced(plate(), method, usualModes(method), 4);
    const MatrixXd C = heldCompliance(reduced.model, 6);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(C(i, i) / expected[i], 1.0, 5e-9) << nameOf(method);
    EXPECT_NEAR(C(1, 5) / 2.26937038e-7, 1.0, 5e-9);
    EXPECT_NEAR(C(2, 4) / -5.59868391e-6, 1.0, 5e-9);
  }
}

void expectRigidInvariance(const Plate& from, const ReducedPart& reduced) {
  const mechanics::ReducedModel& model = reduced.model;
  MatrixXd Rz = MatrixXd::Zero(model.K.rows(), 6);
  for (std::size_t k = 0; k < model.interfaces.size(); ++k)
    Rz.middleRows<6>(6 * k) = makeNodalRigidModes({model.interfaces[k]}, Eigen::Vector3d::Zero());
  EXPECT_LT((model.K * Rz).cwiseAbs().maxCoeff(), 1e-14 * model.K.cwiseAbs().maxCoeff());
  EXPECT_LT((model.D * Rz).cwiseAbs().maxCoeff(), 1e-13 * model.D.cwiseAbs().maxCoeff());
  const MatrixXd U = from.part.T * reduced.Phi * Rz;
  const MatrixXd exact = from.part.T * makeRigidModes(from.part, Eigen::Vector3d::Zero());
  EXPECT_LT((U - exact).cwiseAbs().maxCoeff(), 1e-13);
  // Mass, G and Q in rigid motions are those of a rigid body.
  const MassProperties body = calcMassProperties(from.part);
  const MatrixXd m = Rz.transpose() * model.M * Rz;
  EXPECT_NEAR(m(0, 0), body.mass, 1e-12 * body.mass);
  for (int a = 0; a < 3; ++a) {
    const MatrixXd g = Rz.transpose() * model.G[a] * Rz;
    Eigen::Matrix3d E = Eigen::Matrix3d::Zero();
    E((a + 1) % 3, (a + 2) % 3) = -1.0;
    E((a + 2) % 3, (a + 1) % 3) = 1.0;
    EXPECT_LT((g.topLeftCorner<3, 3>() - body.mass * E).cwiseAbs().maxCoeff(), 1e-12 * body.mass);
    for (int b = 0; b < 3; ++b) {
      Eigen::Matrix3d F = Eigen::Matrix3d::Zero();
      F((b + 1) % 3, (b + 2) % 3) = -1.0;
      F((b + 2) % 3, (b + 1) % 3) = 1.0;
      const MatrixXd q = Rz.transpose() * model.Q[a][b] * Rz;
      EXPECT_LT((q.topLeftCorner<3, 3>() - body.mass * E.transpose() * F).cwiseAbs().maxCoeff(),
                1e-12 * body.mass);
    }
  }
}

TEST(PlatePart, RigidMotionsOfTheFramesMoveItRigidly) {
  for (const ReductionMethod method :
       {ReductionMethod::kCraigBampton, ReductionMethod::kInertiaRelief}) {
    expectRigidInvariance(plate(), makeReduced(plate(), method, usualModes(method), 5));
  }
}

// Ends that stay free to deform: multipliers, and references without mass.
TEST(PlatePart, AveragingInterfaces) {
  const Plate spread = makePlate(8, true);
  ASSERT_GT(spread.part.multipliers, 0);
  const ReducedPart reduced =
      makeReduced(spread, ReductionMethod::kHintzConstraint, NormalModes::kFixed, 12, 4);
  expectRigidInvariance(spread, reduced);
  EXPECT_TRUE(reduced.report.verified);
  EXPECT_LT(reduced.report.staticError, 1e-8);
  EXPECT_LT(reduced.report.massError, 1e-12);
  // Interfaces that leave the plate free to deform do not change its free frequencies.
  Mesh plain = spread.mesh;
  plain.spiders.clear();
  plain.points.resize(plain.points.size() - 2);
  plain.nodeIds.resize(plain.points.size());
  const auto modes = findPartModes(assemblePart(plain).value(), {}, 4);
  ASSERT_TRUE(modes.hasValue()) << modes.failure().message;
  EXPECT_TRUE(modes.value().verified);
  ASSERT_EQ(modes.value().frequencies.size(), 10u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(modes.value().frequencies[i], 0.0);
    EXPECT_NEAR(reduced.report.fullFrequencies[i] / modes.value().frequencies[6 + i], 1.0, 1e-9);
    EXPECT_GT(reduced.report.frequencyErrors[i], -1e-9);
  }
}

TEST(PlatePart, ReachesTheAccuracyThatIsAskedFor) {
  PartReduction request;
  request.options.upTo = 3200.0;
  request.options.accuracy = 0.01;
  const auto reduced = reducePart(plate().part, plate().interfaces, request);
  ASSERT_TRUE(reduced.hasValue());
  const ReductionReport& report = reduced.value().report;
  ASSERT_EQ(report.fullFrequencies.size(), 5);  // below 3200 Hz
  ASSERT_TRUE(report.reachedAccuracy);
  EXPECT_LE(*report.reachedAccuracy, 0.01);
  // By the table of errors: f4 has 1.7e-2 with ten modes and 3e-3 with twenty.
  EXPECT_GT(report.normalModes, 10);
  EXPECT_LE(report.normalModes, 20);
}

// Damping of every elastic mode of the free reduced part.
TEST(PlatePart, DampingIsModal) {
  const ReducedPart reduced =
      makeReduced(plate(), ReductionMethod::kInertiaRelief, NormalModes::kFree, 6);
  const auto modes = linalg::findDenseModes(reduced.model.K, reduced.model.M, 6);
  const MatrixXd phi = modes->vectors.rightCols(reduced.model.K.rows() - 6);
  const VectorXd omega = modes->values.tail(phi.cols()).cwiseSqrt();
  const MatrixXd d = phi.transpose() * reduced.model.D * phi;
  const MatrixXd expected = (2.0 * 0.01 * omega).asDiagonal();
  EXPECT_LT((d - expected).cwiseAbs().maxCoeff(), 1e-8 * expected(0, 0));
}

// Pull on the right frame: stress F/A in the middle, displacement rows as the frame moves.
TEST(PlatePart, RecoversDisplacementsAndStresses) {
  const ReducedPart reduced =
      makeReduced(plate(), ReductionMethod::kCraigBampton, NormalModes::kFixed, 2);
  const MatrixXd C = heldCompliance(reduced.model, 6);
  VectorXd z = VectorXd::Zero(reduced.model.K.rows());
  z.tail(C.rows()) = 2000.0 * C.col(0);
  const std::vector<int> middle = test::findNodes(plate().mesh, [](const Eigen::Vector3d& p) {
    return std::abs(p.x() - 0.2) < 1e-9 && std::abs(p.y()) < 1e-9;
  });
  ASSERT_FALSE(middle.empty());
  const auto rows =
      makeStressRows(plate().mesh, plate().part, reduced.Phi, middle, ShellSide::kTop);
  ASSERT_TRUE(rows.hasValue());
  const VectorXd stresses = rows.value() * z;
  // 2000 N on 0.1 × 0.02 m; the ends are two widths away.
  EXPECT_NEAR(stresses[0], 1e6, 2e3);
  EXPECT_NEAR(stresses[1], 0.0, 5e3);
  const VectorXd moved =
      makeDisplacementRows(plate().part, reduced.Phi, {plate().interfaces[1].node}) * z;
  EXPECT_NEAR(moved[0], 2000.0 * 9.42504474e-10, 1e-14);
  const Eigen::VectorXf surface =
      makeSurfaceRows(plate().part, reduced.Phi, middle) * z.cast<float>();
  EXPECT_NEAR(surface[0], 0.5 * moved[0], 1e-3 * moved[0]);
}

// Units from nanometres to planets.
TEST(PlatePart, DoesNotDependOnUnits) {
  for (const double length : {1e-6, 1e6}) {
    for (const double modulus : {1e-12, 1e12}) {
      Plate scaled = makePlate(4);
      Mesh mesh = scaled.mesh;
      for (Eigen::Vector3d& point : mesh.points) point *= length;
      mesh.materials[0].E *= modulus;
      scaled.part = assemblePart(mesh).value();
      const ReducedPart base =
          makeReduced(makePlate(4), ReductionMethod::kInertiaRelief, NormalModes::kFree, 3, 3);
      const ReducedPart reduced =
          makeReduced(scaled, ReductionMethod::kInertiaRelief, NormalModes::kFree, 3, 3);
      ASSERT_EQ(reduced.report.modes, base.report.modes);
      const double factor = std::sqrt(modulus) / length;
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(reduced.report.frequencies[i] / (factor * base.report.frequencies[i]), 1.0,
                    1e-8);
      }
    }
  }
}

TEST(PlatePart, NamesWhatIsWrong) {
  Plate broken = makePlate(4);
  const int node = test::findNodes(broken.mesh, [](const Eigen::Vector3d& p) {
    return (p - Eigen::Vector3d(0.2, 0.05, 0.01)).norm() < 1e-9;
  })[0];
  const int unknown = broken.part.unknownOf[6 * node + 2];
  PartReduction request;
  request.name = [](int freedom) { return "node " + std::to_string(freedom / 6); };
  const std::string name = "node " + std::to_string(node);

  PartSystem part = broken.part;
  part.K.coeffRef(unknown, unknown) *= -1.0;
  const auto grounded = reducePart(part, broken.interfaces, request);
  ASSERT_FALSE(grounded.hasValue());
  EXPECT_NE(grounded.failure().message.find(name), std::string::npos) << grounded.failure().message;
  EXPECT_FALSE(grounded.failure().hint.empty());
  EXPECT_FALSE(reducePart(broken.part, {}, request).hasValue());

  // A negative spring along the line between two nodes: rigid motions still have no energy.
  const int other = test::findNodes(broken.mesh, [](const Eigen::Vector3d& p) {
    return (p - Eigen::Vector3d(0.25, 0.05, 0.01)).norm() < 1e-9;
  })[0];
  part = broken.part;
  const int a = part.unknownOf[6 * node], b = part.unknownOf[6 * other];
  const double k = 10.0 * part.K.coeff(a, a);
  part.K.coeffRef(a, a) -= k;
  part.K.coeffRef(b, b) -= k;
  part.K.coeffRef(std::max(a, b), std::min(a, b)) += k;
  const auto indefinite = reducePart(part, broken.interfaces, request);
  ASSERT_FALSE(indefinite.hasValue());
  const std::string& message = indefinite.failure().message;
  EXPECT_NE(message.find("not positive"), std::string::npos) << message;
  EXPECT_TRUE(message.find(name) != std::string::npos ||
              message.find("node " + std::to_string(other)) != std::string::npos)
      << message;

  int calls = 0;
  const auto stopped = reducePart(broken.part, broken.interfaces, request,
                                  [&](double, const char*) { return ++calls < 3; });
  ASSERT_FALSE(stopped.hasValue());
  EXPECT_NE(stopped.failure().message.find("interrupted"), std::string::npos);
}

}  // namespace
}  // namespace flexloop::fem
