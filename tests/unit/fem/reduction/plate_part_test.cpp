// A plate of 20-node bricks, 0.4 × 0.1 × 0.02 m, whose ends are rigid frames, against a computation with dense matrices apart
// from this program (numpy and scipy, own bricks, checked with CalculiX).
#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "fem/assembly/assemble_part.hpp"
#include "fem/assembly/rigid_body.hpp"
#include "fem/modes/normal_modes.hpp"
#include "fem/reduction/recovery.hpp"
#include "fem/reduction/reduce_part.hpp"
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
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(
      model.M.bottomRightCorner(n, n), model.K.bottomRightCorner(n, n));
  return solver.eigenvalues().reverse().cwiseInverse().cwiseSqrt() / (2.0 * std::numbers::pi);
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
      {kHybridInterface,
       NormalModes::kHybrid,
       6,
       24,
       {4.8e-9, 9.3e-6, 4.6e-7},
       none,
       0.0},
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

}  // namespace
}  // namespace flexloop::fem
