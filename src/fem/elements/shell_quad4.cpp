// Four nodes: the transverse shear is tied at the middles of the edges (29.8), the membrane strains at the middles of the
// edges and of the element (29.10), and four modes inside the element let it bend in its plane (29.11).
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

// What the ties make of the part that warping adds, (29.9). There f_rr = s² f, f_ss = r² f and f_rs = r s f, where f is f_rr at
// s = ±1; tied at the middles of the edges and of the element they are f, f and 0.
struct WarpingTies {
  const SurfaceState& middle;
  CurvedStrains edge;  // at s = 1
  double height;       // z_,r there
  ShellRow growth;     // mean strain in the middle

  // Changes e_rr, e_ss, 2 e_rs. A growth that is the same in all directions, w = growth · z, stays as it is.
  void apply(const SurfaceState& at, ShellRows<3>& membrane) const {
    CurvedStrains change = -calcCurvedStrains(at, middle);
    change.row(0) += edge.row(0);
    change.row(1) += edge.row(0);
    addAlongNormal(change, middle.normal, 4, membrane);
    const double z_r = middle.normal.dot(at.g_r), z_s = middle.normal.dot(at.g_s);
    const double square = height * height;
    membrane -= Eigen::Vector3d(square - z_r * z_r, square - z_s * z_s, -2 * z_r * z_s) * growth;
  }
};

WarpingTies calcWarpingTies(const ShellSurface& surface, const SurfaceState& middle,
                            const Eigen::Matrix3d& middleT) {
  const SurfaceState at = calcSurfaceState(surface, 0, 1);
  const ShellRows<3> strain = middleT * calcMembraneStrains(middle, 4, kFreedoms);
  return {middle, calcCurvedStrains(at, middle), middle.normal.dot(at.g_r),
          (strain.row(0) + strain.row(1)) / 2};
}

}  // namespace

void calcQuad4Strains(const ShellSurface& surface, ShellStrains& strains) {
  strains.nodeFreedoms = kNodeFreedoms;
  strains.internalFreedoms = kModes;
  strains.count = 4;
  const SurfaceState middle = calcSurfaceState(surface, 0, 0);
  const Quad4Ties ties = calcTies(surface);
  const Eigen::Matrix3d middleAxes = calcMiddleAxes(middle);
  const Eigen::Matrix3d middleT = calcStrainTransformation(middle, middleAxes);
  const WarpingTies warping = calcWarpingTies(surface, middle, middleT);
  int index = 0;
  for (const auto& [r, s, weight] : gaussTwoByTwo()) {
    const SurfaceState at = calcSurfaceState(surface, r, s);
    ShellPoint& point = strains.points[static_cast<std::size_t>(index++)];
    point.r = r;
    point.s = s;
    point.area = weight * at.area;
    point.axes = calcPointAxes(at, middleAxes);
    point.drilling = calcDrilling(at, 4, kFreedoms);
    const Eigen::Matrix3d T = calcStrainTransformation(at, point.axes);
    point.B.resize(8, kFreedoms);
    ShellRows<3> membrane = calcMembraneStrains(at, 4, kFreedoms);
    warping.apply(at, membrane);
    point.B.topRows<3>().noalias() = T * membrane;
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
