// The middle surface of a shell and the strains of its displacement in the coordinates r, s of the surface
// (docs/theory/29_shell_elements.md, section 29.2).
//
//   place          x = Σ N_i x_i,   director V = Σ N_i V_i,   tangents g_α = ∂x/∂α
//   displacement   u = Σ N_i u_i,   of the director ψ = Σ N_i θ_i × V_i
//   membrane       e_αβ = (g_α · u_,β + g_β · u_,α) / 2
//   curvature      κ_αβ = (g_α · ψ_,β + g_β · ψ_,α + V_,α · u_,β + V_,β · u_,α) / 2
//   shear          γ_α = g_α · ψ + V · u_,α
//
// All of them vanish for every rigid motion u = a + θ × x, θ_i = θ, whatever the shape of the surface.
#pragma once

#include <Eigen/Core>

#include "fem/elements/shell_interpolation.hpp"

namespace flexloop::fem {

inline constexpr int kMostShellFreedoms = 6 * kMostShellNodes;
using ShellRow = Eigen::Matrix<double, 1, Eigen::Dynamic, Eigen::RowMajor, 1, kMostShellFreedoms>;
template <int rows>
using ShellRows =
    Eigen::Matrix<double, rows, Eigen::Dynamic, Eigen::RowMajor, rows, kMostShellFreedoms>;

struct ShellSurface {
  ShellInterpolation shape = ShellInterpolation::kTri3;
  Eigen::Matrix<double, 3, kMostShellNodes> points;     // of the middle surface, m
  Eigen::Matrix<double, 3, kMostShellNodes> directors;  // unit normals of this element at its nodes
};

// Where strains are taken: everything about one point of the surface.
struct SurfaceState {
  ShapeValues shape;
  Eigen::Vector3d g_r, g_s;     // tangents
  Eigen::Vector3d V, V_r, V_s;  // director and its slopes
  Eigen::Vector3d normal;       // unit
  double area = 0.0;            // |g_r × g_s|
};

SurfaceState calcSurfaceState(const ShellSurface& surface, double r, double s);

// Rows of the membrane strain and of the transverse shear along the direction ∂/∂τ = a ∂/∂r + b ∂/∂s; 6 freedoms per node. `freedoms` may exceed those of the
// nodes: the rest is zero.
ShellRow calcTangentStrain(const ShellSurface& surface, const SurfaceState& at, double a, double b,
                           int freedoms);
ShellRow calcTangentShear(const ShellSurface& surface, const SurfaceState& at, double a, double b,
                          int freedoms);
// Rows e_rr, e_ss, 2 e_rs.
ShellRows<3> calcMembraneStrains(const SurfaceState& at, int nodes, int freedoms);
// e_rr, e_ss, 2 e_rs of the strains e_11, e_22, 2 e_12 = 1 of the plane `axes`; across that plane the strain is their mean,
// so that a growth that is the same in all directions is one of them.
Eigen::Matrix3d calcUnitStrains(const SurfaceState& at, const Eigen::Matrix3d& axes);
// Rows κ_rr, κ_ss, 2 κ_rs.
ShellRows<3> calcCurvatures(const ShellSurface& surface, const SurfaceState& at, int freedoms);

// The part of the membrane strains that a curved surface adds to those of its plane in the middle, (29.9): with the height
// z over that plane and the deflection w beside that of the plane's own rotation,
//   f_αβ = (z_,α w_,β + z_,β w_,α) / 2.
// It vanishes on a plane and for rigid motions. One factor of the middle normal by node; rows f_rr, f_ss, 2 f_rs.
using CurvedStrains = Eigen::Matrix<double, 3, kMostShellNodes>;
CurvedStrains calcCurvedStrains(const SurfaceState& at, const SurfaceState& middle);
// Adds `factors` times the deflections along `normal`.
void addAlongNormal(const CurvedStrains& factors, const Eigen::Vector3d& normal, int nodes,
                    ShellRows<3>& rows);

// Row of the rotation about the normal beside that of the surface: θ · n - (1/2) n · Σ g^α × u_,α.
ShellRow calcDrilling(const SurfaceState& at, int nodes, int freedoms);

// Orthonormal axes as rows, the third along the normal: in the middle of an element the first along g_r, elsewhere those of
// the middle turned by the smallest rotation that takes one normal to the other. So the axes of all points turn alike when
// the element is counted from another corner, and sums over points do not depend on it.
Eigen::Matrix3d calcMiddleAxes(const SurfaceState& middle);
Eigen::Matrix3d calcPointAxes(const SurfaceState& at, const Eigen::Matrix3d& middleAxes);
// From e_rr, e_ss, 2 e_rs to e_11, e_22, 2 e_12 in those axes, and from γ_r, γ_s to γ_1, γ_2.
Eigen::Matrix3d calcStrainTransformation(const SurfaceState& at, const Eigen::Matrix3d& axes);
Eigen::Matrix2d calcShearTransformation(const SurfaceState& at, const Eigen::Matrix3d& axes);

}  // namespace flexloop::fem
