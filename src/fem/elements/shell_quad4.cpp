// Four nodes: the transverse shear is tied at the middles of the edges (29.8), the membrane strains at the middles of the
// edges and of the element (29.9), and four modes inside the element let it bend in its plane (29.11).
#include <Eigen/Geometry>

#include "fem/elements/shell_strains.hpp"

namespace flexloop::fem {

namespace {

constexpr int kNodeFreedoms = 24;
constexpr int kModes = 4;
constexpr int kFreedoms = kNodeFreedoms + kModes;

struct Quad4Ties {
  ShellRow shear_r[2], shear_s[2];  // γ_r at s = ±1, γ_s at r = ±1
};

Quad4Ties calcTies(const ShellSurface& surface) {
  Quad4Ties ties;
  for (int side = 0; side < 2; ++side) {
    const double c = side == 0 ? -1 : 1;
    ties.shear_r[side] =
        calcTangentShear(surface, calcSurfaceState(surface, 0, c), 1, 0, kFreedoms);
    ties.shear_s[side] =
        calcTangentShear(surface, calcSurfaceState(surface, c, 0), 0, 1, kFreedoms);
  }
  return ties;
}

// Rows e_rr, e_ss, 2 e_rs. On a warped element f_rr = s² f, f_ss = r² f, f_rs = r s f, where f is f_rr at s = ±1; tied at the
// middles of the edges and of the element they are f, f and 0.
ShellRows<3> calcMembrane(const SurfaceState& at, const SurfaceState& middle,
                          const CurvedStrains& edge) {
  ShellRows<3> rows = calcMembraneStrains(at, 4, kFreedoms);
  CurvedStrains change = -calcCurvedStrains(at, middle);
  change.row(0) += edge.row(0);
  change.row(1) += edge.row(0);
  addAlongNormal(change, middle.normal, 4, rows);
  return rows;
}

}  // namespace

void calcQuad4Strains(const ShellSurface& surface, ShellStrains& strains) {
  strains.nodeFreedoms = kNodeFreedoms;
  strains.internalFreedoms = kModes;
  strains.count = 4;
  const SurfaceState middle = calcSurfaceState(surface, 0, 0);
  const Quad4Ties ties = calcTies(surface);
  const CurvedStrains edge = calcCurvedStrains(calcSurfaceState(surface, 0, 1), middle);
  const Eigen::Matrix3d middleAxes = calcPointAxes(middle, middle.g_r);
  const Eigen::Matrix3d middleT = calcStrainTransformation(middle, middleAxes);
  int index = 0;
  for (const auto& [r, s, weight] : gaussTwoByTwo()) {
    const SurfaceState at = calcSurfaceState(surface, r, s);
    ShellPoint& point = strains.points[static_cast<std::size_t>(index++)];
    point.r = r;
    point.s = s;
    point.area = weight * at.area;
    point.axes = calcPointAxes(at, middle.g_r);
    point.drilling = calcDrilling(at, 4, kFreedoms);
    const Eigen::Matrix3d T = calcStrainTransformation(at, point.axes);
    point.B.resize(8, kFreedoms);
    point.B.topRows<3>().noalias() = T * calcMembrane(at, middle, edge);
    Eigen::Matrix<double, 3, kModes> modes;
    modes << r, 0, 0, 0, 0, s, 0, 0, 0, 0, r, s;
    point.B.block<3, kModes>(0, kNodeFreedoms) = (middle.area / at.area) * middleT * modes;
    point.B.middleRows<3>(3).noalias() = T * calcCurvatures(surface, at, kFreedoms);
    ShellRows<2> shear(2, kFreedoms);
    shear.row(0) = (1 - s) / 2 * ties.shear_r[0] + (1 + s) / 2 * ties.shear_r[1];
    shear.row(1) = (1 - r) / 2 * ties.shear_s[0] + (1 + r) / 2 * ties.shear_s[1];
    point.B.bottomRows<2>().noalias() = calcShearTransformation(at, point.axes) * shear;
  }
}

}  // namespace flexloop::fem
