// Eight nodes and a ninth in the middle whose freedoms are inside the element: e_rr and γ_r are tied on lines where r is a
// point of the 2-point Gauss rule, e_ss and γ_s likewise, e_rs on both (29.23).
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "fem/elements/shell_strains.hpp"

namespace flexloop::fem {

namespace {

constexpr int kNodeFreedoms = 48;
constexpr int kFreedoms = 54;
constexpr int kInside = 3;  // rotations of the ninth node

const double kTie = std::sqrt(1. / 3);
const std::array<double, 3> kGauss{-std::sqrt(.6), 0., std::sqrt(.6)};

// A strain at a place where it is tied, and what constant strains in the plane of the middle give there.
struct TiedStrain {
  ShellRow row;
  Eigen::RowVector3d constant;
};

struct Quad8Ties {
  // [line][side]: `line` counts the points of the 3-point rule across, `side` the two tied places along.
  std::array<std::array<TiedStrain, 2>, 3> rr, ss;
  std::array<std::array<ShellRow, 2>, 3> shear_r, shear_s;
  std::array<std::array<TiedStrain, 2>, 2> rs;  // [s][r], 2 e_rs
};

Quad8Ties calcTies(const ShellSurface& surface, const Eigen::Matrix3d& middleAxes) {
  Quad8Ties ties;
  for (std::size_t line = 0; line < 3; ++line) {
    for (std::size_t side = 0; side < 2; ++side) {
      const double place = side == 0 ? -kTie : kTie;
      const SurfaceState at_s = calcSurfaceState(surface, place, kGauss[line]);
      const SurfaceState at_r = calcSurfaceState(surface, kGauss[line], place);
      ties.rr[line][side] = {calcTangentStrain(surface, at_s, 1, 0, kFreedoms),
                             calcUnitStrains(at_s, middleAxes).row(0)};
      ties.ss[line][side] = {calcTangentStrain(surface, at_r, 0, 1, kFreedoms),
                             calcUnitStrains(at_r, middleAxes).row(1)};
      ties.shear_r[line][side] = calcTangentShear(surface, at_s, 1, 0, kFreedoms);
      ties.shear_s[line][side] = calcTangentShear(surface, at_r, 0, 1, kFreedoms);
    }
  }
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < 2; ++i) {
      const SurfaceState at =
          calcSurfaceState(surface, i == 0 ? -kTie : kTie, j == 0 ? -kTie : kTie);
      ties.rs[j][i] = {calcMembraneStrains(at, 9, kFreedoms).row(2),
                       calcUnitStrains(at, middleAxes).row(2)};
    }
  }
  return ties;
}

// Shares of the two places ±1/√3 of a linear interpolation at x.
std::array<double, 2> tieShares(double x) {
  return {.5 - x / (2 * kTie), .5 + x / (2 * kTie)};
}

// Rows e_rr, e_ss, 2 e_rs at a point of the rule, `column` and `row` being its number along r and s.
ShellRows<3> interpolateMembrane(const Quad8Ties& ties, const SurfaceState& at, std::size_t column,
                                 std::size_t row, const Eigen::Matrix3d& middleAxes,
                                 const ShellRows<3>& middleStrain) {
  const auto along_r = tieShares(kGauss[column]), along_s = tieShares(kGauss[row]);
  ShellRows<3> e = ShellRows<3>::Zero(3, kFreedoms);
  Eigen::Matrix3d missing = calcUnitStrains(at, middleAxes);
  const auto add = [&](int component, const TiedStrain& tied, double share) {
    e.row(component) += share * tied.row;
    missing.row(component) -= share * tied.constant;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    add(0, ties.rr[row][i], along_r[i]);
    add(1, ties.ss[column][i], along_s[i]);
    for (std::size_t j = 0; j < 2; ++j) {
      add(2, ties.rs[j][i], along_r[i] * along_s[j]);
    }
  }
  e.noalias() += missing * middleStrain;
  return e;
}

// Displacement of the ninth node, 3 rows over the 54 freedoms of which its own three are not used, (29.24): that of an
// eight-node surface, and along the normal so much more that the slopes of the deflection follow the rotations.
ShellRows<3> calcMiddleDisplacement(const ShellSurface& surface, const SurfaceState& middle) {
  ShellRows<3> u = ShellRows<3>::Zero(3, kFreedoms);
  for (int i = 0; i < 8; ++i) {
    u.block<3, 3>(0, 6 * i).diagonal().setConstant(i < 4 ? -.25 : .5);
  }
  ShellRow slack = ShellRow::Zero(kFreedoms);
  for (const double line : {-1., 0., 1.}) {
    const double share = line == 0 ? 1 : -.5;
    for (const double side : {-1., 1.}) {
      const SurfaceState at_s = calcSurfaceState(surface, side * kTie, line);
      const SurfaceState at_r = calcSurfaceState(surface, line, side * kTie);
      slack += side * share * calcTangentShear(surface, at_s, 1, 0, kFreedoms);
      slack += side * share * calcTangentShear(surface, at_r, 0, 1, kFreedoms);
    }
  }
  const Eigen::Vector3d own = slack.segment<3>(kNodeFreedoms);
  slack.segment<3>(kNodeFreedoms).setZero();
  const ShellRow rest = slack + own.transpose() * u;
  u -= middle.normal / own.dot(middle.normal) * rest;
  return u;
}

// Replaces the displacements of the ninth node by those that follow from the others; its rotations take their place.
void eliminateMiddleDisplacement(const ShellRows<3>& u, ShellPoint& point) {
  const Eigen::Matrix<double, 8, 3> own = point.B.middleCols<3>(kNodeFreedoms);
  const Eigen::RowVector3d ownDrilling = point.drilling.segment<3>(kNodeFreedoms);
  point.B += own * u;
  point.drilling += ownDrilling * u;
  point.B.middleCols<3>(kNodeFreedoms) = point.B.rightCols<3>().eval();
  point.drilling.segment<3>(kNodeFreedoms) = point.drilling.tail<3>().eval();
  point.B.conservativeResize(8, kNodeFreedoms + kInside);
  point.drilling.conservativeResize(kNodeFreedoms + kInside);
}

}  // namespace

void calcQuad8Strains(const ShellSurface& surface, ShellStrains& strains) {
  strains.nodeFreedoms = kNodeFreedoms;
  strains.internalFreedoms = kInside;
  strains.count = 9;
  const SurfaceState middle = calcSurfaceState(surface, 0, 0);
  const Eigen::Matrix3d middleAxes = calcMiddleAxes(middle);
  const ShellRows<3> middleStrain =
      calcStrainTransformation(middle, middleAxes) * calcMembraneStrains(middle, 9, kFreedoms);
  const Quad8Ties ties = calcTies(surface, middleAxes);
  MeanStrainRepair repair(kFreedoms);
  std::size_t index = 0;
  for (const auto& [r, s, weight] : gaussThreeByThree()) {
    const SurfaceState at = calcSurfaceState(surface, r, s);
    const std::size_t column = index % 3, row = index / 3;
    ShellPoint& point = strains.points[index++];
    point.r = r;
    point.s = s;
    point.area = weight * at.area;
    point.axes = calcPointAxes(at, middleAxes);
    point.drilling = calcDrilling(at, 9, kFreedoms);
    const Eigen::Matrix3d T = calcStrainTransformation(at, point.axes);
    point.B.resize(8, kFreedoms);
    point.B.topRows<3>().noalias() =
        T * interpolateMembrane(ties, at, column, row, middleAxes, middleStrain);
    repair.add(T * calcMembraneStrains(at, 9, kFreedoms), point);
    point.B.middleRows<3>(3).noalias() = T * calcCurvatures(surface, at, kFreedoms);
    const auto along_r = tieShares(r), along_s = tieShares(s);
    ShellRows<2> shear(2, kFreedoms);
    shear.row(0) = along_r[0] * ties.shear_r[row][0] + along_r[1] * ties.shear_r[row][1];
    shear.row(1) = along_s[0] * ties.shear_s[column][0] + along_s[1] * ties.shear_s[column][1];
    point.B.bottomRows<2>().noalias() = calcShearTransformation(at, point.axes) * shear;
  }
  repair.apply(strains);
  const ShellRows<3> u = calcMiddleDisplacement(surface, middle);
  for (ShellPoint& point : strains.points) {
    eliminateMiddleDisplacement(u, point);
  }
}

}  // namespace flexloop::fem
