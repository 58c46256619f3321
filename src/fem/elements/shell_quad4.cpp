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
  ShellRow rr[2], ss[2], rs;             // e_rr at s = ±1, e_ss at r = ±1, e_rs in the middle
  ShellRow shear_r[2], shear_s[2];       // γ_r at s = ±1, γ_s at r = ±1
  ShellRow distortion;                   // d · e · d, see (29.10)
};

Quad4Ties calcTies(const ShellSurface& surface, const SurfaceState& middle) {
  Quad4Ties ties;
  for (int side = 0; side < 2; ++side) {
    const double c = side == 0 ? -1 : 1;
    const SurfaceState at_s = calcSurfaceState(surface, 0, c), at_r = calcSurfaceState(surface, c, 0);
    ties.rr[side] = calcTangentStrain(surface, at_s, 1, 0, kFreedoms);
    ties.ss[side] = calcTangentStrain(surface, at_r, 0, 1, kFreedoms);
    ties.shear_r[side] = calcTangentShear(surface, at_s, 1, 0, kFreedoms);
    ties.shear_s[side] = calcTangentShear(surface, at_r, 0, 1, kFreedoms);
  }
  ties.rs = calcMembraneStrains(middle, 4, kFreedoms).row(2) / 2;
  // The tangents are g_r = a + s d, g_s = b + r d; d = c_r a + c_s b + a normal part.
  const auto& x = surface.points;
  const Eigen::Vector3d d = (x.col(0) - x.col(1) + x.col(2) - x.col(3)) / 4;
  const double area2 = middle.area * middle.area;
  const double aa = middle.g_r.squaredNorm(), bb = middle.g_s.squaredNorm();
  const double ab = middle.g_r.dot(middle.g_s), da = d.dot(middle.g_r), db = d.dot(middle.g_s);
  const double c_r = (da * bb - db * ab) / area2, c_s = (db * aa - da * ab) / area2;
  const ShellRow rr = (ties.rr[0] + ties.rr[1]) / 2, ss = (ties.ss[0] + ties.ss[1]) / 2;
  ties.distortion = (c_r * (ties.rr[1] - ties.rr[0]) / 2 + c_s * (ties.ss[1] - ties.ss[0]) / 2 -
                     c_r * c_r * rr - c_s * c_s * ss - 2 * c_r * c_s * ties.rs) /
                    (1 - c_r * c_r - c_s * c_s);
  return ties;
}

// Rows e_rr, e_ss, 2 e_rs.
ShellRows<3> interpolateMembrane(const Quad4Ties& ties, double r, double s) {
  ShellRows<3> e(3, kFreedoms);
  const ShellRow rrSlope = (ties.rr[1] - ties.rr[0]) / 2, ssSlope = (ties.ss[1] - ties.ss[0]) / 2;
  e.row(0) = (ties.rr[0] + ties.rr[1]) / 2 + s * rrSlope + (s * s - 1) * ties.distortion;
  e.row(1) = (ties.ss[0] + ties.ss[1]) / 2 + r * ssSlope + (r * r - 1) * ties.distortion;
  e.row(2) = 2 * ties.rs + r * rrSlope + s * ssSlope + 2 * r * s * ties.distortion;
  return e;
}

}  // namespace

void calcQuad4Strains(const ShellSurface& surface, ShellStrains& strains) {
  strains.nodeFreedoms = kNodeFreedoms;
  strains.internalFreedoms = kModes;
  strains.count = 4;
  const SurfaceState middle = calcSurfaceState(surface, 0, 0);
  const Quad4Ties ties = calcTies(surface, middle);
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
    point.B.topRows<3>().noalias() = T * interpolateMembrane(ties, r, s);
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
