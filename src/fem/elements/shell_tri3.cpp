// Three nodes: bending of Katili's discrete Kirchhoff–Mindlin triangle (29.12) to (29.14), whose thin limit is the discrete
// Kirchhoff triangle, and a membrane with rotations at its corners after Felippa's optimal triangle (29.15) to (29.17).
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "fem/elements/shell_strains.hpp"

namespace flexloop::fem {

namespace {

constexpr int kFreedoms = 18;

// The triangle in its plane: axes, corners and edges; edge k goes from corner k to corner k + 1.
struct PlaneTriangle {
  Eigen::Matrix3d axes;
  Eigen::Matrix<double, 2, 3> corner;
  Eigen::Matrix<double, 2, 3> edge;  // not of unit length
  double area = 0.0;
};

int next(int k) {
  return (k + 1) % 3;
}

PlaneTriangle calcPlane(const ShellSurface& surface, const SurfaceState& at) {
  PlaneTriangle plane;
  plane.axes = calcMiddleAxes(at);
  plane.area = at.area / 2;
  const Eigen::Vector3d middle = surface.points.leftCols<3>().rowwise().mean();
  for (int k = 0; k < 3; ++k) {
    plane.corner.col(k) = plane.axes.topRows<2>() * (surface.points.col(k) - middle);
  }
  for (int k = 0; k < 3; ++k) {
    plane.edge.col(k) = plane.corner.col(next(k)) - plane.corner.col(k);
  }
  return plane;
}

using PlaneRows = Eigen::Matrix<double, 3, 9>;

// (29.15): the constant strain of the edge displacements; freedoms u, v, θ of each corner. Edges move along themselves
// linearly and across as cubics of the rotations at their ends, with the share `kRotationShare` of these.
PlaneRows calcBasicMembrane(const PlaneTriangle& p) {
  constexpr double kRotationShare = 1.5;
  PlaneRows B;
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector2d before = p.edge.col(next(next(i))), after = p.edge.col(i);
    const Eigen::Vector2d opposite = p.edge.col(next(i));
    // Outward normal of an edge (dx, dy) times its length is (dy, -dx); a corner takes half of both its edges.
    const double nx = -opposite.y() / 2, ny = opposite.x() / 2;
    B.col(3 * i) << nx, 0, ny;
    B.col(3 * i + 1) << 0, ny, nx;
    const double share = kRotationShare / 12;
    B.col(3 * i + 2) << share * (before.y() * before.y() - after.y() * after.y()),
        share * (before.x() * before.x() - after.x() * after.x()),
        -2 * share * (before.x() * before.y() - after.x() * after.y());
  }
  return B / p.area;
}

// (29.16): strains that grow linearly from the middle, of the rotations beside the mean one of the displacements, at the
// middle of edge k.
PlaneRows calcHigherMembrane(const PlaneTriangle& p, int k, double thickness, double nu) {
  // Rotation of corner i relative to the constant one of the three displacements.
  Eigen::Matrix<double, 3, 9> rotation = Eigen::Matrix<double, 3, 9>::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Eigen::Vector2d opposite = p.edge.col(next(j));
      rotation(i, 3 * j) = opposite.x() / (4 * p.area);
      rotation(i, 3 * j + 1) = opposite.y() / (4 * p.area);
    }
    rotation(i, 3 * i + 2) += 1;
  }
  // Strains along the edges 12, 23, 31 at the corners: Q_1 as in Felippa (2003); the others by rotation of the corners.
  constexpr double kPattern[3][3] = {{1, 2, 1}, {0, 1, -1}, {-1, -1, -2}};
  const auto atCorner = [&](int corner) {
    Eigen::Matrix3d Q;
    for (int e = 0; e < 3; ++e) {
      for (int i = 0; i < 3; ++i) {
        const int fromEdge = (e - corner + 3) % 3, fromCorner = (i - corner + 3) % 3;
        Q(e, i) = 2 * p.area / 3 * kPattern[fromEdge][fromCorner] / p.edge.col(e).squaredNorm();
      }
    }
    return Q;
  };
  const Eigen::Matrix3d Q = (atCorner(k) + atCorner(next(k))) / 2;
  Eigen::Matrix3d alongEdges;  // strains along the edges of e_11, e_22, 2 e_12
  for (int e = 0; e < 3; ++e) {
    const Eigen::Vector2d t = p.edge.col(e).normalized();
    alongEdges.row(e) << t.x() * t.x(), t.y() * t.y(), t.x() * t.y();
  }
  const double stiffness = std::max((1 - 4 * nu * nu) / 2, .01);
  // (29.17): the whole of it where the element is as thick as long, a tenth where it is thin.
  const double share = std::clamp(8 * thickness * thickness / p.area, .1, 1.);
  return 1.5 * std::sqrt(share * stiffness) * (alongEdges.inverse() * Q * rotation);
}

// Deflection and rotations of the normal at the corners, w β_1 β_2, of each corner; (29.12).
struct EdgeBending {
  Eigen::Matrix<double, 3, 9> bulge;  // Δβ_k: the quadratic part of the rotation along edge k
  Eigen::Matrix<double, 3, 9> shear;  // γ along edge k
};

EdgeBending calcEdgeBending(const PlaneTriangle& p, double thickness, double nu) {
  EdgeBending edges;
  edges.bulge.setZero();
  for (int k = 0; k < 3; ++k) {
    const double length = p.edge.col(k).norm();
    const Eigen::Vector2d t = p.edge.col(k) / length;
    constexpr double kShearFactor = 5. / 6;
    const double ratio = thickness / length;
    const double phi = 2 / (kShearFactor * (1 - nu)) * ratio * ratio;
    auto row = edges.bulge.row(k);
    for (const int end : {k, next(k)}) {
      row(3 * end) = end == k ? -1 : 1;
      row.segment<2>(3 * end + 1) = length / 2 * t;
    }
    row *= -1.5 / (length * (1 + phi));
    edges.shear.row(k) = -2. / 3 * phi * row;
  }
  return edges;
}

PlaneRows calcCurvature(const PlaneTriangle& p, const EdgeBending& edges, double r, double s) {
  Eigen::Matrix<double, 2, 3> slope;  // of the area coordinates
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector2d opposite = p.edge.col(next(i));
    slope.col(i) << -opposite.y() / (2 * p.area), opposite.x() / (2 * p.area);
  }
  const Eigen::Vector3d share(1 - r - s, r, s);
  PlaneRows kappa = PlaneRows::Zero();
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector2d c = slope.col(i);
    kappa.block<3, 2>(0, 3 * i + 1) << c.x(), 0, 0, c.y(), c.y(), c.x();
  }
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector2d t = p.edge.col(k).normalized();
    const Eigen::Vector2d c = 4 * (share[k] * slope.col(next(k)) + share[next(k)] * slope.col(k));
    const Eigen::Vector3d mode(c.x() * t.x(), c.y() * t.y(), c.y() * t.x() + c.x() * t.y());
    kappa += mode * edges.bulge.row(k);
  }
  return kappa;
}

// The vector at a corner whose parts along both edges are theirs, and linear between the corners.
Eigen::Matrix<double, 2, 9> calcShear(const PlaneTriangle& p, const EdgeBending& edges, double r,
                                      double s) {
  const Eigen::Vector3d share(1 - r - s, r, s);
  Eigen::Matrix<double, 2, 9> gamma = Eigen::Matrix<double, 2, 9>::Zero();
  for (int i = 0; i < 3; ++i) {
    const int before = next(next(i));
    Eigen::Matrix2d t;
    t << p.edge.col(before).normalized().transpose(), p.edge.col(i).normalized().transpose();
    const double det = t(0, 0) * t(1, 1) - t(0, 1) * t(1, 0);
    Eigen::Matrix2d inverse;
    inverse << t(1, 1), -t(0, 1), -t(1, 0), t(0, 0);
    Eigen::Matrix<double, 2, 9> both;
    both << edges.shear.row(before), edges.shear.row(i);
    gamma += share[i] / det * inverse * both;
  }
  return gamma;
}

}  // namespace

void calcTri3Strains(const ShellSurface& surface, double thickness, double nu,
                     ShellStrains& strains) {
  strains.nodeFreedoms = kFreedoms;
  strains.internalFreedoms = 0;
  strains.count = 3;
  const PlaneTriangle plane = calcPlane(surface, calcSurfaceState(surface, 1. / 3, 1. / 3));
  const PlaneRows basic = calcBasicMembrane(plane);
  const EdgeBending edges = calcEdgeBending(plane, thickness, nu);
  // Plane freedoms of the six of a corner: u, v, θ_3 and w, β_1 = θ_2, β_2 = -θ_1.
  Eigen::Matrix<double, 3, 6> toMembrane = Eigen::Matrix<double, 3, 6>::Zero(),
                              toPlate = toMembrane;
  toMembrane.block<2, 3>(0, 0) = plane.axes.topRows<2>();
  toMembrane.block<1, 3>(2, 3) = plane.axes.row(2);
  toPlate.block<1, 3>(0, 0) = plane.axes.row(2);
  toPlate.block<1, 3>(1, 3) = plane.axes.row(1);
  toPlate.block<1, 3>(2, 3) = -plane.axes.row(0);
  const auto middles = triangleMiddles();
  for (int k = 0; k < 3; ++k) {
    ShellPoint& point = strains.points[static_cast<std::size_t>(k)];
    point.r = middles[static_cast<std::size_t>(k)].r;
    point.s = middles[static_cast<std::size_t>(k)].s;
    point.area = plane.area / 3;
    point.axes = plane.axes;
    point.drilling.resize(0);
    point.B.resize(8, kFreedoms);
    const PlaneRows membrane = basic + calcHigherMembrane(plane, k, thickness, nu);
    const PlaneRows curvature = calcCurvature(plane, edges, point.r, point.s);
    const Eigen::Matrix<double, 2, 9> shear = calcShear(plane, edges, point.r, point.s);
    for (int i = 0; i < 3; ++i) {
      point.B.block<3, 6>(0, 6 * i) = membrane.middleCols<3>(3 * i) * toMembrane;
      point.B.block<3, 6>(3, 6 * i) = curvature.middleCols<3>(3 * i) * toPlate;
      point.B.block<2, 6>(6, 6 * i) = shear.middleCols<3>(3 * i) * toPlate;
    }
  }
}

}  // namespace flexloop::fem
