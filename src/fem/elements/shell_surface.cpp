#include "fem/elements/shell_surface.hpp"

#include <Eigen/Geometry>

namespace flexloop::fem {

namespace {

using Vector3 = Eigen::Vector3d;

// Components along the axes of the dual tangents: c(α, i) = g^α · e_i.
Eigen::Matrix2d calcDualComponents(const SurfaceState& at, const Eigen::Matrix3d& axes) {
  Eigen::Matrix2d tangents;  // g_α · e_i
  tangents << at.g_r.dot(axes.row(0)), at.g_r.dot(axes.row(1)), at.g_s.dot(axes.row(0)),
      at.g_s.dot(axes.row(1));
  const double det = tangents(0, 0) * tangents(1, 1) - tangents(0, 1) * tangents(1, 0);
  Eigen::Matrix2d dual;
  dual << tangents(1, 1), -tangents(1, 0), -tangents(0, 1), tangents(0, 0);
  return dual / det;
}

}  // namespace

SurfaceState calcSurfaceState(const ShellSurface& surface, double r, double s) {
  SurfaceState at;
  at.shape = calcShapeValues(surface.shape, r, s);
  const int n = nodeCount(surface.shape);
  const auto N = at.shape.N.head(n), N_r = at.shape.N_r.head(n), N_s = at.shape.N_s.head(n);
  at.g_r = surface.points.leftCols(n) * N_r;
  at.g_s = surface.points.leftCols(n) * N_s;
  at.V = surface.directors.leftCols(n) * N;
  at.V_r = surface.directors.leftCols(n) * N_r;
  at.V_s = surface.directors.leftCols(n) * N_s;
  const Vector3 cross = at.g_r.cross(at.g_s);
  at.area = cross.norm();
  at.normal = cross / at.area;
  return at;
}

ShellRow calcTangentStrain(const ShellSurface& surface, const SurfaceState& at, double a, double b,
                           int freedoms) {
  ShellRow row = ShellRow::Zero(freedoms);
  const Vector3 g = a * at.g_r + b * at.g_s;
  for (int i = 0; i < nodeCount(surface.shape); ++i) {
    row.segment<3>(6 * i) = (a * at.shape.N_r[i] + b * at.shape.N_s[i]) * g;
  }
  return row;
}

ShellRow calcTangentShear(const ShellSurface& surface, const SurfaceState& at, double a, double b,
                          int freedoms) {
  ShellRow row = ShellRow::Zero(freedoms);
  const Vector3 g = a * at.g_r + b * at.g_s;
  for (int i = 0; i < nodeCount(surface.shape); ++i) {
    const Vector3 director = surface.directors.col(i);
    row.segment<3>(6 * i) = (a * at.shape.N_r[i] + b * at.shape.N_s[i]) * at.V;
    row.segment<3>(6 * i + 3) = at.shape.N[i] * director.cross(g);
  }
  return row;
}

ShellRows<3> calcMembraneStrains(const SurfaceState& at, int nodes, int freedoms) {
  ShellRows<3> rows = ShellRows<3>::Zero(3, freedoms);
  for (int i = 0; i < nodes; ++i) {
    const double N_r = at.shape.N_r[i], N_s = at.shape.N_s[i];
    rows.block<1, 3>(0, 6 * i) = N_r * at.g_r;
    rows.block<1, 3>(1, 6 * i) = N_s * at.g_s;
    rows.block<1, 3>(2, 6 * i) = N_s * at.g_r + N_r * at.g_s;
  }
  return rows;
}

Eigen::Matrix3d calcUnitStrains(const SurfaceState& at, const Eigen::Matrix3d& axes) {
  const Vector3 p = axes * at.g_r, q = axes * at.g_s;
  const auto row = [](const Vector3& a, const Vector3& b) {
    const double across = a[2] * b[2] / 2;
    return Eigen::RowVector3d(a[0] * b[0] + across, a[1] * b[1] + across,
                              (a[0] * b[1] + a[1] * b[0]) / 2);
  };
  Eigen::Matrix3d e;
  e.row(0) = row(p, p);
  e.row(1) = row(q, q);
  e.row(2) = 2 * row(p, q);
  return e;
}

ShellRows<3> calcCurvatures(const ShellSurface& surface, const SurfaceState& at, int freedoms) {
  ShellRows<3> rows = ShellRows<3>::Zero(3, freedoms);
  for (int i = 0; i < nodeCount(surface.shape); ++i) {
    const double N_r = at.shape.N_r[i], N_s = at.shape.N_s[i];
    const Vector3 director = surface.directors.col(i);
    const Vector3 m_r = director.cross(at.g_r), m_s = director.cross(at.g_s);
    rows.block<1, 3>(0, 6 * i) = N_r * at.V_r;
    rows.block<1, 3>(1, 6 * i) = N_s * at.V_s;
    rows.block<1, 3>(2, 6 * i) = N_s * at.V_r + N_r * at.V_s;
    rows.block<1, 3>(0, 6 * i + 3) = N_r * m_r;
    rows.block<1, 3>(1, 6 * i + 3) = N_s * m_s;
    rows.block<1, 3>(2, 6 * i + 3) = N_s * m_r + N_r * m_s;
  }
  return rows;
}

CurvedStrains calcCurvedStrains(const SurfaceState& at, const SurfaceState& middle) {
  const Vector3& n = middle.normal;
  const double z_r = n.dot(at.g_r), z_s = n.dot(at.g_s);
  // g^α · g_β with the dual tangents g^r = g_s × n / area, g^s = n × g_r / area of the middle.
  const Vector3 dual_r = middle.g_s.cross(n) / middle.area,
                dual_s = n.cross(middle.g_r) / middle.area;
  const Eigen::Matrix<double, kMostShellNodes, 1> w_r =
      at.shape.N_r - dual_r.dot(at.g_r) * middle.shape.N_r - dual_s.dot(at.g_r) * middle.shape.N_s;
  const Eigen::Matrix<double, kMostShellNodes, 1> w_s =
      at.shape.N_s - dual_r.dot(at.g_s) * middle.shape.N_r - dual_s.dot(at.g_s) * middle.shape.N_s;
  CurvedStrains factors;
  factors.row(0) = z_r * w_r;
  factors.row(1) = z_s * w_s;
  factors.row(2) = z_r * w_s + z_s * w_r;
  return factors;
}

void addAlongNormal(const CurvedStrains& factors, const Vector3& normal, int nodes,
                    ShellRows<3>& rows) {
  for (int i = 0; i < nodes; ++i) {
    rows.block<3, 3>(0, 6 * i) += factors.col(i) * normal.transpose();
  }
}

ShellRow calcDrilling(const SurfaceState& at, int nodes, int freedoms) {
  ShellRow row = ShellRow::Zero(freedoms);
  // n · (g^r × u_,r + g^s × u_,s) = (g_s · u_,r - g_r · u_,s) / area, since g^r = g_s × n / area, g^s = n × g_r / area.
  for (int i = 0; i < nodes; ++i) {
    row.segment<3>(6 * i) = (at.shape.N_s[i] * at.g_r - at.shape.N_r[i] * at.g_s) / (2 * at.area);
    row.segment<3>(6 * i + 3) = at.shape.N[i] * at.normal;
  }
  return row;
}

Eigen::Matrix3d calcMiddleAxes(const SurfaceState& middle) {
  Eigen::Matrix3d axes;
  axes.row(0) = middle.g_r.normalized();
  axes.row(1) = middle.normal.cross(middle.g_r.normalized());
  axes.row(2) = middle.normal;
  return axes;
}

Eigen::Matrix3d calcPointAxes(const SurfaceState& at, const Eigen::Matrix3d& middleAxes) {
  const Vector3 from = middleAxes.row(2);
  const Vector3 sine = from.cross(at.normal);
  const double cosine = from.dot(at.normal);
  Eigen::Matrix3d axes;
  for (int i = 0; i < 3; ++i) {
    const Vector3 axis = middleAxes.row(i);
    const Vector3 swing = sine.cross(axis);
    axes.row(i) = axis + swing + sine.cross(swing) / (1 + cosine);
  }
  return axes;
}

Eigen::Matrix3d calcStrainTransformation(const SurfaceState& at, const Eigen::Matrix3d& axes) {
  const Eigen::Matrix2d c = calcDualComponents(at, axes);
  Eigen::Matrix3d T;
  for (int i = 0; i < 2; ++i) {
    T.row(i) << c(0, i) * c(0, i), c(1, i) * c(1, i), c(0, i) * c(1, i);
  }
  T.row(2) << 2 * c(0, 0) * c(0, 1), 2 * c(1, 0) * c(1, 1), c(0, 0) * c(1, 1) + c(1, 0) * c(0, 1);
  return T;
}

Eigen::Matrix2d calcShearTransformation(const SurfaceState& at, const Eigen::Matrix3d& axes) {
  return calcDualComponents(at, axes).transpose();
}

}  // namespace flexloop::fem
