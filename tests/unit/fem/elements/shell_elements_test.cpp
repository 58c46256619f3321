// Single shell elements and small patches: what must hold for every one of the four.
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "fem/elements/element_matrices.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "support/shell_model.hpp"

namespace flexloop::fem {
namespace {

using test::addGrid;
using test::makeShellGrid;
using test::ShellModel;
using test::SurfaceMap;
using Vector3 = Eigen::Vector3d;

class Shells : public testing::TestWithParam<ElementShape> {};
INSTANTIATE_TEST_SUITE_P(All, Shells,
                         testing::Values(ElementShape::kTri3, ElementShape::kQuad4,
                                         ElementShape::kTri6, ElementShape::kQuad8),
                         [](const auto& tested) { return nameOf(tested.param); });

SurfaceMap bilinear(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  return [=](double r, double s) {
    return Vector3((1 - r) * (1 - s) * a + r * (1 - s) * b + r * s * c + (1 - r) * s * d);
  };
}

// The patch of MacNeal and Harder (1985): five quadrilaterals, E = 1e6, ν = .25, t = .001.
ShellModel makePatch(ElementShape shape) {
  const Vector3 inner[4] = {{.04, .02, 0}, {.18, .03, 0}, {.16, .08, 0}, {.08, .08, 0}};
  const Vector3 outer[4] = {{0, 0, 0}, {.24, 0, 0}, {.24, .12, 0}, {0, .12, 0}};
  ShellModel patch;
  patch.shape = shape;
  addGrid(patch, 1, 1, bilinear(inner[0], inner[1], inner[2], inner[3]));
  for (int i = 0; i < 4; ++i) {
    const int j = (i + 1) % 4;
    addGrid(patch, 1, 1, bilinear(outer[i], outer[j], inner[j], inner[i]));
  }
  if (shape == ElementShape::kTri6) {  // straight diagonals
    for (int e = 0; e < patch.elements(); ++e) {
      const int* n = patch.elementNodes.data() + 6 * e;
      for (int k = 0; k < 3; ++k) {
        patch.points[static_cast<std::size_t>(n[3 + k])] =
            (patch.points[static_cast<std::size_t>(n[k])] +
             patch.points[static_cast<std::size_t>(n[(k + 1) % 3])]) /
            2;
      }
    }
  }
  patch.material.E = 1e6;
  patch.material.nu = .25;
  patch.property.thickness = .001;
  return patch;
}

bool isOnPatchEdge(const Vector3& p) {
  const double tolerance = 1e-9;
  return p.x() < tolerance || p.x() > .24 - tolerance || p.y() < tolerance ||
         p.y() > .12 - tolerance;
}

using NodeField = Eigen::Matrix<double, 6, 1> (*)(const Vector3&);

// Solves with the field on the edge; inside it must come out.
void expectPatch(ElementShape shape, NodeField exact, const Vector3& top, const Vector3& middle) {
  ShellModel patch = makePatch(shape);
  const auto size = static_cast<Eigen::Index>(6 * patch.points.size());
  Eigen::VectorXd field(size);
  for (std::size_t i = 0; i < patch.points.size(); ++i) {
    field.segment<6>(static_cast<Eigen::Index>(6 * i)) = exact(patch.points[i]);
  }
  patch.hold(isOnPatchEdge, 0x3f);
  Eigen::VectorXd given = field;
  for (Eigen::Index i = 0; i < size; ++i) {
    given[i] = patch.held[static_cast<std::size_t>(i)] != 0 ? field[i] : 0;
  }
  patch.force = -(patch.stiffness() * given);
  const Eigen::VectorXd u = patch.solve() + given;
  EXPECT_LT((u - field).cwiseAbs().maxCoeff(), 1e-9 * field.cwiseAbs().maxCoeff());

  std::vector<Vector3> storage;
  NodeStresses stresses;
  const int n = patch.nodesPerElement();
  for (int e = 0; e < patch.elements(); ++e) {
    Eigen::VectorXd own(6 * n);
    for (int i = 0; i < n; ++i) {
      own.segment<6>(6 * i) =
          u.segment<6>(6 * patch.elementNodes[static_cast<std::size_t>(e * n + i)]);
    }
    const auto geometry = patch.geometry(e, storage);
    for (const ShellSide side : {ShellSide::kTop, ShellSide::kMiddle, ShellSide::kBottom}) {
      ASSERT_EQ(calcShellStresses(geometry, own, 0, side, stresses), ElementFault::kNone);
      Vector3 expected = middle;
      if (side != ShellSide::kMiddle) {
        // Elements of the patch are numbered both ways round, and top is where their normal points.
        const Vector3 up = (storage[1] - storage[0]).cross(storage[2] - storage[0]);
        const double sign = (side == ShellSide::kTop) == (up.z() > 0) ? 1 : -1;
        expected += sign * (top - middle);
      }
      const double scale = top.cwiseAbs().maxCoeff();
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(stresses(0, i), expected[0], 1e-8 * scale);
        EXPECT_NEAR(stresses(1, i), expected[1], 1e-8 * scale);
        EXPECT_NEAR(stresses(3, i), expected[2], 1e-8 * scale);
        EXPECT_NEAR(stresses(2, i), 0, 1e-8 * scale);
        EXPECT_NEAR(stresses(4, i), 0, 1e-8 * scale);
        EXPECT_NEAR(stresses(5, i), 0, 1e-8 * scale);
      }
    }
  }
}

TEST_P(Shells, PassTheMembranePatchTest) {
  const Vector3 stress(4000. / 3, 4000. / 3, 400);  // E/(1-ν²)(1+ν) 1e-3 and G 1e-3
  expectPatch(
      GetParam(),
      [](const Vector3& p) {
        Eigen::Matrix<double, 6, 1> u;
        u << 1e-3 * (p.x() + p.y() / 2), 1e-3 * (p.y() + p.x() / 2), 0, 0, 0, 0;
        return u;
      },
      stress, stress);
}

TEST_P(Shells, PassTheBendingPatchTest) {
  // Moments D(1+ν) 1e-3 = 1.1111e-7 and D(1-ν)/2 1e-3 = 3.3333e-8 times 6/t²; w_,xx > 0 compresses the top.
  expectPatch(
      GetParam(),
      [](const Vector3& p) {
        const double x = p.x(), y = p.y();
        Eigen::Matrix<double, 6, 1> u;
        u << 0, 0, 5e-4 * (x * x + x * y + y * y), 5e-4 * (x + 2 * y), -5e-4 * (2 * x + y), 0;
        return u;
      },
      {-2. / 3, -2. / 3, -.2}, Vector3::Zero());
}

enum class Surface { kFlat, kWarped, kCurved };

ShellModel makePiece(ElementShape shape, Surface surface, int n) {
  ShellModel piece = makeShellGrid(shape, n, n, [surface](double a, double b) {
    const double z = surface == Surface::kFlat     ? 0
                     : surface == Surface::kWarped ? .15 * a * b
                                                   : .2 * (a * a + .5 * b * b - .3 * a * b);
    return Vector3(a + .2 * b, .8 * b + .1 * a * b, z);
  });
  piece.material.E = 2e11;
  piece.material.nu = .3;
  piece.material.rho = 7850;
  piece.material.expansion = 1.2e-5;
  piece.property.thickness = .02;
  piece.property.offset = .007;
  return piece;
}

Eigen::MatrixXd rigidMotions(const std::vector<Vector3>& points) {
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(6 * points.size()), 6);
  for (Eigen::Index i = 0; i < R.rows() / 6; ++i) {
    const Vector3& x = points[static_cast<std::size_t>(i)];
    R.block<6, 6>(6 * i, 0).setIdentity();
    R.block<3, 3>(6 * i, 3) << 0, x.z(), -x.y(), -x.z(), 0, x.x(), x.y(), -x.x(), 0;
  }
  return R;
}

TEST_P(Shells, HaveSixZeroEnergyModesAndNoMore) {
  for (const Surface surface : {Surface::kFlat, Surface::kWarped, Surface::kCurved}) {
    for (const int n : {1, 2}) {
      ShellModel piece = makePiece(GetParam(), surface, n);
      if (n == 1) {  // one element, even where two triangles fill the square
        piece.elementNodes.resize(static_cast<std::size_t>(piece.nodesPerElement()));
        std::vector<Vector3> storage;
        (void)piece.geometry(0, storage);
        piece.points = storage;
        for (int i = 0; i < piece.nodesPerElement(); ++i) {
          piece.elementNodes[static_cast<std::size_t>(i)] = i;
        }
      }
      const Eigen::MatrixXd K = piece.stiffness();
      const Eigen::VectorXd values = linalg::findSymmetricEigensystem(K).value().values;
      const double largest = values[values.size() - 1];
      EXPECT_LT(values.head<6>().cwiseAbs().maxCoeff(), 1e-14 * largest);
      EXPECT_GT(values[6], 1e-8 * largest);
      EXPECT_LT((K * rigidMotions(piece.points)).cwiseAbs().maxCoeff(), 1e-14 * largest);
    }
  }
}

// The same element with its nodes counted from the next corner.
std::vector<int> startFromNextCorner(ElementShape shape) {
  switch (shape) {
    case ElementShape::kTri3:
      return {1, 2, 0};
    case ElementShape::kQuad4:
      return {1, 2, 3, 0};
    case ElementShape::kTri6:
      return {1, 2, 0, 4, 5, 3};
    default:
      return {1, 2, 3, 0, 5, 6, 7, 4};
  }
}

TEST_P(Shells, DoNotDependOnTheFirstNodeNorOnTheAxes) {
  const ShellModel piece = makePiece(GetParam(), Surface::kCurved, 1);
  std::vector<Vector3> points;
  ElementGeometry geometry = piece.geometry(0, points);
  Eigen::MatrixXd K, M, K2, M2;
  ASSERT_EQ(calcShellMatrices(geometry, K, M), ElementFault::kNone);

  const std::vector<int> order = startFromNextCorner(GetParam());
  std::vector<Vector3> reordered;
  for (const int i : order) {
    reordered.push_back(points[static_cast<std::size_t>(i)]);
  }
  geometry.points = reordered.data();
  ASSERT_EQ(calcShellMatrices(geometry, K2, M2), ElementFault::kNone);
  const int n = piece.nodesPerElement();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = order[static_cast<std::size_t>(i)], b = order[static_cast<std::size_t>(j)];
      const Eigen::MatrixXd dK = (K2.block<6, 6>(6 * i, 6 * j) - K.block<6, 6>(6 * a, 6 * b));
      const Eigen::MatrixXd dM = (M2.block<6, 6>(6 * i, 6 * j) - M.block<6, 6>(6 * a, 6 * b));
      EXPECT_LT(dK.cwiseAbs().maxCoeff(), 1e-12 * K.cwiseAbs().maxCoeff());
      EXPECT_LT(dM.cwiseAbs().maxCoeff(), 1e-12 * M.cwiseAbs().maxCoeff());
    }
  }

  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(1.1, Vector3(.3, -.5, .8).normalized()).toRotationMatrix();
  std::vector<Vector3> turned;
  for (const Vector3& p : points) {
    turned.emplace_back(turn * p + Vector3(3, -2, 5));
  }
  geometry.points = turned.data();
  ASSERT_EQ(calcShellMatrices(geometry, K2, M2), ElementFault::kNone);
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(6 * n, 6 * n);
  for (int i = 0; i < 2 * n; ++i) {
    T.block<3, 3>(3 * i, 3 * i) = turn;
  }
  EXPECT_LT((K2 - T * K * T.transpose()).cwiseAbs().maxCoeff(), 1e-12 * K.cwiseAbs().maxCoeff());
  EXPECT_LT((M2 - T * M * T.transpose()).cwiseAbs().maxCoeff(), 1e-12 * M.cwiseAbs().maxCoeff());
}

TEST_P(Shells, ScaleWithLengthAndModulus) {
  // K of translations grows with E · length; from parts of a micrometre to those of a thousand kilometres.
  for (const double length : {1e-6, 1e6}) {
    ShellModel piece = makePiece(GetParam(), Surface::kWarped, 1);
    std::vector<Vector3> points;
    Eigen::MatrixXd K, M, K2, M2;
    ASSERT_EQ(calcShellMatrices(piece.geometry(0, points), K, M), ElementFault::kNone);
    piece.material.E *= 1e-12;
    piece.property.thickness *= length;
    piece.property.offset *= length;
    for (Vector3& p : piece.points) {
      p *= length;
    }
    ASSERT_EQ(calcShellMatrices(piece.geometry(0, points), K2, M2), ElementFault::kNone);
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(K.rows());
    for (Eigen::Index i = 0; i < scale.size(); ++i) {
      scale[i] = i % 6 < 3 ? 1 : length;
    }
    const Eigen::MatrixXd expected = 1e-12 * length * scale.asDiagonal() * K * scale.asDiagonal();
    const Eigen::MatrixXd limit =
        1e-10 * (expected.diagonal().cwiseSqrt() * expected.diagonal().cwiseSqrt().transpose());
    EXPECT_TRUE(((K2 - expected).cwiseAbs().array() <= limit.array()).all());
  }
}

TEST_P(Shells, HaveTheMassCentreAndInertiaOfTheSlab) {
  // a × b × t with its middle surface at z = offset, and a lining of 40 kg/m² on it.
  const double a = 1.2, b = .7, t = .03, z = .05, rho = 2700, lining = 40;
  ShellModel plate =
      makeShellGrid(GetParam(), 3, 2, [=](double r, double s) { return Vector3(a * r, b * s, 0); });
  plate.material.E = 7e10;
  plate.material.rho = rho;
  plate.property.thickness = t;
  plate.property.offset = z;
  plate.property.massPerArea = lining;
  const Eigen::MatrixXd R = rigidMotions(plate.points);
  const Eigen::MatrixXd M = R.transpose() * (plate.mass() * R);
  const double mass = (rho * t + lining) * a * b, slab = rho * t * a * b * t * t / 12;
  EXPECT_NEAR(M(0, 0), mass, 1e-12 * mass);
  EXPECT_NEAR(M(2, 2), mass, 1e-12 * mass);
  EXPECT_NEAR(M(0, 4), mass * z, 1e-12 * mass);      // centre: u_x of a turn about y is z
  EXPECT_NEAR(M(2, 3), mass * b / 2, 1e-12 * mass);  // u_z of a turn about x is y
  EXPECT_NEAR(M(2, 4), -mass * a / 2, 1e-12 * mass);
  EXPECT_NEAR(M(3, 3), mass * (b * b / 3 + z * z) + slab, 1e-12 * mass);
  EXPECT_NEAR(M(4, 4), mass * (a * a / 3 + z * z) + slab, 1e-12 * mass);
  EXPECT_NEAR(M(5, 5), mass * (a * a + b * b) / 3, 1e-12 * mass);
  EXPECT_NEAR(M(3, 4), -mass * a * b / 4, 1e-12 * mass);
}

TEST_P(Shells, ExpandFreelyWhenHeated) {
  const double heat = 50;
  for (const Surface surface : {Surface::kFlat, Surface::kWarped, Surface::kCurved}) {
    const ShellModel piece = makePiece(GetParam(), surface, 1);
    const double growth = piece.material.expansion * heat;
    std::vector<Vector3> points;
    ElementGeometry geometry = piece.geometry(0, points);
    Property flush =
        piece.property;  // an offset surface would keep its thickness and so its offset
    flush.offset = 0;
    geometry.property = &flush;
    const int n = piece.nodesPerElement();
    Eigen::VectorXd u = Eigen::VectorXd::Zero(6 * n), load;
    for (int i = 0; i < n; ++i) {
      u.segment<3>(6 * i) = growth * points[static_cast<std::size_t>(i)];
    }
    Eigen::MatrixXd K, M;
    NodeStresses stresses;
    ASSERT_EQ(calcShellMatrices(geometry, K, M), ElementFault::kNone);
    ASSERT_EQ(calcShellThermalLoad(geometry, load), ElementFault::kNone);
    const Eigen::VectorXd rest = K * u - heat * load;
    // A curved shell of a given thickness bends a little in growing: its curvature falls.
    const double tolerance = surface == Surface::kFlat ? 1e-12 : 1e-2;
    EXPECT_LT(rest.cwiseAbs().maxCoeff(), tolerance * (heat * load).cwiseAbs().maxCoeff());
    ASSERT_EQ(calcShellStresses(geometry, u, heat, ShellSide::kMiddle, stresses),
              ElementFault::kNone);
    // The membrane is free of stress; interpolated directors are not quite normal, which leaves a little shear.
    EXPECT_LT(stresses.cwiseAbs().maxCoeff(), 2e-3 * piece.material.E * growth);
    ASSERT_EQ(
        calcShellStresses(geometry, Eigen::VectorXd::Zero(6 * n), heat, ShellSide::kTop, stresses),
        ElementFault::kNone);
    const double held = -piece.material.E * growth / (1 - piece.material.nu);
    EXPECT_NEAR(stresses.topRows<3>().colwise().sum().mean(), 2 * held, 1e-4 * std::abs(held));
  }
}

TEST_P(Shells, AreStiffenedByTension) {
  // Slopes of the deflection do the work of the membrane forces: uᵀ K_g u = ∫ N_ab w_,a w_,b dA.
  const ShellModel piece = makePiece(GetParam(), Surface::kFlat, 1);
  std::vector<Vector3> points;
  const ElementGeometry geometry = piece.geometry(0, points);
  const int n = piece.nodesPerElement();
  Eigen::VectorXd stretch = Eigen::VectorXd::Zero(6 * n), tilt = stretch, turn = stretch;
  for (int i = 0; i < n; ++i) {
    const Vector3& p = points[static_cast<std::size_t>(i)];
    stretch[6 * i] = 1e-4 * p.x();
    stretch[6 * i + 1] = -3e-5 * p.y();
    tilt[6 * i + 2] = p.x();
    turn[6 * i + 2] = p.y();
  }
  Eigen::MatrixXd Kg;
  ASSERT_EQ(calcShellGeometricStiffness(geometry, stretch, 0, Kg), ElementFault::kNone);
  // σ_xx = E 1e-4, σ_yy = 0 with ν = .3
  const double work = calcShellVolume(geometry) * 2e11 * 1e-4;
  EXPECT_NEAR(tilt.dot(Kg * tilt), work, 1e-9 * work);
  EXPECT_NEAR(turn.dot(Kg * turn), 0, 1e-9 * work);
  EXPECT_LT((Kg - Kg.transpose()).cwiseAbs().maxCoeff(), 1e-12 * Kg.cwiseAbs().maxCoeff());
}

TEST_P(Shells, WithoutAreaOrTangledAreRejected) {
  ShellModel piece = makePiece(GetParam(), Surface::kFlat, 1);
  std::vector<Vector3> points;
  ElementGeometry geometry = piece.geometry(0, points);
  const std::vector<Vector3> good = points;
  Eigen::MatrixXd K, M;
  for (Vector3& p : points) {
    p.y() = 2 * p.x();
  }
  EXPECT_EQ(calcShellMatrices(geometry, K, M), ElementFault::kFlat);
  EXPECT_EQ(calcShellVolume(geometry), 0);
  if (GetParam() == ElementShape::kQuad4) {
    points = good;
    points[2] = points[0] - Vector3(.1, .1, 0);  // a corner folded in
    EXPECT_EQ(calcShellMatrices(geometry, K, M), ElementFault::kTangled);
  }
  if (GetParam() == ElementShape::kQuad8 || GetParam() == ElementShape::kTri6) {
    points = good;
    std::swap(points[points.size() - 1], points[points.size() - 2]);  // middles of edges mixed up
    EXPECT_NE(calcShellMatrices(geometry, K, M), ElementFault::kNone);
  }
}

// w of the centre of a clamped square plate under pressure, over q a⁴/D: .00126532 (Taylor & Govindjee 2004).
double clampedPlate(ElementShape shape, int n, double thickness) {
  ShellModel quarter =
      makeShellGrid(shape, n, n, [](double a, double b) { return Vector3(a / 2, b / 2, 0); });
  quarter.material.E = 1e7;
  quarter.material.nu = .3;
  quarter.property.thickness = thickness;
  quarter.hold([](const Vector3& p) { return p.x() > .5 - 1e-9 || p.y() > .5 - 1e-9; }, 0x3f);
  quarter.hold([](const Vector3& p) { return p.x() < 1e-9; }, 0b110001);
  quarter.hold([](const Vector3& p) { return p.y() < 1e-9; }, 0b101010);
  const double D = 1e7 * std::pow(thickness, 3) / 12 / (1 - .09);
  quarter.addAreaForce({0, 0, D});
  return quarter.displacement(quarter.solve(), Vector3::Zero(), 2) / .00126532;
}

TEST_P(Shells, DoNotLockHoweverThinThePlate) {
  const double thin = clampedPlate(GetParam(), 4, 1e-3);
  EXPECT_NEAR(thin, 1, GetParam() == ElementShape::kTri3 ? .07 : .012);
  for (const double thickness : {1e-4, 1e-5}) {
    EXPECT_NEAR(clampedPlate(GetParam(), 4, thickness) / thin, 1, 1e-4) << thickness;
  }
  EXPECT_NEAR(clampedPlate(GetParam(), 4, 1e-2) / thin, 1, 5e-3);
  EXPECT_GT(clampedPlate(GetParam(), 4, .1), 1.1 * thin);  // shear makes a thick plate softer
}

TEST_P(Shells, ConvergeOnThePlate) {
  const bool isQuadratic = GetParam() == ElementShape::kTri6 || GetParam() == ElementShape::kQuad8;
  const double coarse = std::abs(clampedPlate(GetParam(), 4, 1e-4) - 1);
  const double fine = std::abs(clampedPlate(GetParam(), 8, 1e-4) - 1);
  if (isQuadratic) {
    EXPECT_LT(fine, 5e-4);
  } else {
    EXPECT_LT(fine, .02);
    EXPECT_GT(std::log2(coarse / fine), 1.8);  // order 2
  }
}

}  // namespace
}  // namespace flexloop::fem
