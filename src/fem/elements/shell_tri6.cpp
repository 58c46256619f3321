// Six nodes: membrane strains and transverse shear are tied along the edges and in the middle (29.18) to (29.22), and a bubble of
// the rotation inside the element keeps the thin limit rich enough.
#include <array>
#include <cmath>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "fem/elements/shell_strains.hpp"

namespace flexloop::fem {

namespace {

constexpr int kNodeFreedoms = 36;
constexpr int kFreedoms = kNodeFreedoms + 2;
constexpr int kShearTies = 8;
constexpr int kMembraneTies = 9;

struct TiedPoint {
  double r, s;
  double a, b;  // direction of the edge: a ∂/∂r + b ∂/∂s
};

// Two Gauss points on each edge, then on the line parallel to each at the height 1/√3 (1: the corner opposite) its middle.
const std::array<TiedPoint, 9>& tiedPoints() {
  static const std::array<TiedPoint, 9> points = [] {
    const double p = .5 - std::sqrt(1. / 12), q = 1 - p, h = std::sqrt(1. / 3), m = (1 - h) / 2;
    return std::array<TiedPoint, 9>{{{p, 0, 1, 0},
                                     {q, 0, 1, 0},
                                     {q, p, -1, 1},
                                     {p, q, -1, 1},
                                     {0, q, 0, -1},
                                     {0, p, 0, -1},
                                     {m, h, 1, 0},
                                     {m, m, -1, 1},
                                     {h, m, 0, -1}}};
  }();
  return points;
}

// Linear tensors e_rr, e_ss, 2 e_rs: columns are the functions 1, r, s of each.
Eigen::Matrix<double, 3, kMembraneTies> membraneBasis(double r, double s) {
  Eigen::Matrix<double, 3, kMembraneTies> basis = Eigen::Matrix<double, 3, kMembraneTies>::Zero();
  for (int i = 0; i < 3; ++i) {
    basis.block<1, 3>(i, 3 * i) << 1, r, s;
  }
  return basis;
}

// Linear vectors and the two quadratic ones whose part along each edge is linear.
Eigen::Matrix<double, 2, kShearTies> shearBasis(double r, double s) {
  Eigen::Matrix<double, 2, kShearTies> basis;
  basis << 1, r, s, 0, 0, 0, s * r, s * s, 0, 0, 0, 1, r, s, -r * r, -r * s;
  return basis;
}

// Coefficients of the basis of the tied values: the strains along the edges at the nine points.
const Eigen::Matrix<double, kMembraneTies, kMembraneTies>& membraneWeights() {
  static const Eigen::Matrix<double, kMembraneTies, kMembraneTies> weights = [] {
    Eigen::Matrix<double, kMembraneTies, kMembraneTies> ties;
    for (int i = 0; i < kMembraneTies; ++i) {
      const auto& [r, s, a, b] = tiedPoints()[static_cast<std::size_t>(i)];
      ties.row(i) = Eigen::RowVector3d(a * a, b * b, a * b) * membraneBasis(r, s);
    }
    return Eigen::Matrix<double, kMembraneTies, kMembraneTies>(ties.inverse());
  }();
  return weights;
}

// Likewise: the shear along the edges at the first six points, then its mean over the triangle.
const Eigen::Matrix<double, kShearTies, kShearTies>& shearWeights() {
  static const Eigen::Matrix<double, kShearTies, kShearTies> weights = [] {
    Eigen::Matrix<double, kShearTies, kShearTies> ties;
    for (int i = 0; i < 6; ++i) {
      const auto& [r, s, a, b] = tiedPoints()[static_cast<std::size_t>(i)];
      ties.row(i) = Eigen::RowVector2d(a, b) * shearBasis(r, s);
    }
    ties.bottomRows<2>().setZero();
    for (const auto& [r, s, weight] : triangleSixPoints()) {
      ties.bottomRows<2>() += 2 * weight * shearBasis(r, s);
    }
    return Eigen::Matrix<double, kShearTies, kShearTies>(ties.inverse());
  }();
  return weights;
}

struct Tri6Ties {
  ShellRows<kMembraneTies> membrane;
  ShellRows<kShearTies> shear;
  // What constant strains in the plane of the middle give at the ties.
  Eigen::Matrix<double, kMembraneTies, 3> constant;
};

Tri6Ties calcTies(const ShellSurface& surface, const Eigen::Matrix3d& middleAxes) {
  Tri6Ties ties{ShellRows<kMembraneTies>(kMembraneTies, kFreedoms),
                ShellRows<kShearTies>(kShearTies, kFreedoms),
                {}};
  for (int i = 0; i < kMembraneTies; ++i) {
    const auto& [r, s, a, b] = tiedPoints()[static_cast<std::size_t>(i)];
    const SurfaceState at = calcSurfaceState(surface, r, s);
    ties.membrane.row(i) = calcTangentStrain(surface, at, a, b, kFreedoms);
    ties.constant.row(i) =
        Eigen::RowVector3d(a * a, b * b, a * b) * calcUnitStrains(at, middleAxes);
    if (i < 6) {
      ties.shear.row(i) = calcTangentShear(surface, at, a, b, kFreedoms);
    }
  }
  // The mean over the triangle; that of the bubble 27 r s t is 9/20.
  ties.shear.bottomRows<2>().setZero();
  for (const auto& [r, s, weight] : triangleSixPoints()) {
    const SurfaceState at = calcSurfaceState(surface, r, s);
    ties.shear.row(6) += 2 * weight * calcTangentShear(surface, at, 1, 0, kFreedoms);
    ties.shear.row(7) += 2 * weight * calcTangentShear(surface, at, 0, 1, kFreedoms);
    const double bubble = 27 * r * s * (1 - r - s);
    for (int mode = 0; mode < 2; ++mode) {
      const Eigen::Vector3d direction = middleAxes.row(mode);
      ties.shear(6, kNodeFreedoms + mode) += 2 * weight * bubble * direction.dot(at.g_r);
      ties.shear(7, kNodeFreedoms + mode) += 2 * weight * bubble * direction.dot(at.g_s);
    }
  }
  return ties;
}

void addBubbleCurvatures(const SurfaceState& at, const Eigen::Matrix3d& middleAxes, double r,
                         double s, ShellRows<3>& curvatures) {
  const double t = 1 - r - s;
  const double b_r = 27 * s * (t - r), b_s = 27 * r * (t - s);
  for (int mode = 0; mode < 2; ++mode) {
    const Eigen::Vector3d direction = middleAxes.row(mode);
    const double p = direction.dot(at.g_r), q = direction.dot(at.g_s);
    curvatures.col(kNodeFreedoms + mode) << b_r * p, b_s * q, b_s * p + b_r * q;
  }
}

}  // namespace

void calcTri6Strains(const ShellSurface& surface, ShellStrains& strains) {
  strains.nodeFreedoms = kNodeFreedoms;
  strains.internalFreedoms = kFreedoms - kNodeFreedoms;
  strains.count = 6;
  const SurfaceState middle = calcSurfaceState(surface, 1. / 3, 1. / 3);
  const Eigen::Matrix3d middleAxes = calcMiddleAxes(middle);
  const Tri6Ties ties = calcTies(surface, middleAxes);
  const ShellRows<3> middleStrain =
      calcStrainTransformation(middle, middleAxes) * calcMembraneStrains(middle, 6, kFreedoms);
  MeanStrainRepair repair(kFreedoms);
  int index = 0;
  for (const auto& [r, s, weight] : triangleSixPoints()) {
    const SurfaceState at = calcSurfaceState(surface, r, s);
    ShellPoint& point = strains.points[static_cast<std::size_t>(index++)];
    point.r = r;
    point.s = s;
    point.area = weight * at.area;
    point.axes = calcPointAxes(at, middleAxes);
    point.drilling = calcDrilling(at, 6, kFreedoms);
    const Eigen::Matrix3d T = calcStrainTransformation(at, point.axes);
    const Eigen::Matrix<double, 3, kMembraneTies> weights = membraneBasis(r, s) * membraneWeights();
    const Eigen::Matrix3d missing = calcUnitStrains(at, middleAxes) - weights * ties.constant;
    point.B.resize(8, kFreedoms);
    point.B.topRows<3>().noalias() = (T * weights) * ties.membrane;
    point.B.topRows<3>().noalias() += (T * missing) * middleStrain;
    repair.add(T * calcMembraneStrains(at, 6, kFreedoms), point);
    ShellRows<3> curvatures = calcCurvatures(surface, at, kFreedoms);
    addBubbleCurvatures(at, middleAxes, r, s, curvatures);
    point.B.middleRows<3>(3).noalias() = T * curvatures;
    const Eigen::Matrix<double, 2, kShearTies> shearAt = shearBasis(r, s) * shearWeights();
    point.B.bottomRows<2>().noalias() =
        (calcShearTransformation(at, point.axes) * shearAt) * ties.shear;
  }
  repair.apply(strains);
}

}  // namespace flexloop::fem
