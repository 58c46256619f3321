// Strains of the four shell elements at their points of integration: what distinguishes them. Everything else (matrices,
// stresses, loads) is common (docs/theory/29_shell_elements.md).
//
//   ε = B [u; a],   u: 6 freedoms per node on the middle surface,  a: freedoms inside the element
//
// Rows of B in the axes of the point: e_11 e_22 2e_12 | κ_11 κ_22 2κ_12 | γ_13 γ_23.
#pragma once

#include <array>

#include <Eigen/Core>

#include "fem/elements/element_matrices.hpp"
#include "fem/elements/shell_surface.hpp"

namespace flexloop::fem {

struct ShellPoint {
  double r = 0.0, s = 0.0;
  double area = 0.0;     // of the middle surface that the point stands for, m²
  Eigen::Matrix3d axes;  // rows: two tangents and the normal, mesh axes
  ShellRows<8> B;
  ShellRow
      drilling;  // rotation about the normal beside that of the surface, rad; empty: in the membrane strains already
};

struct ShellStrains {
  int nodeFreedoms = 0;      // 6 per node of the mesh
  int internalFreedoms = 0;  // after those
  int count = 0;
  std::array<ShellPoint, 9> points;

  int freedoms() const { return nodeFreedoms + internalFreedoms; }
};

// Gives tied membrane strains the mean of the untied ones, (29.22), so that constant stresses are in balance with the forces
// on the edges whatever the shape of the element.
class MeanStrainRepair {
 public:
  explicit MeanStrainRepair(int freedoms) : difference_(ShellRows<3>::Zero(3, freedoms)) {}
  void add(const ShellRows<3>& untied, const ShellPoint& point) {
    difference_ += point.area * (untied - point.B.topRows<3>());
    area_ += point.area;
  }
  void apply(ShellStrains& strains) const {
    for (int k = 0; k < strains.count; ++k) {
      strains.points[static_cast<std::size_t>(k)].B.topRows<3>() += difference_ / area_;
    }
  }

 private:
  ShellRows<3> difference_;
  double area_ = 0.0;
};

// `thickness` and `nu` decide how much of a deflection is shear.
void calcTri3Strains(const ShellSurface& surface, double thickness, double nu,
                     ShellStrains& strains);
void calcQuad4Strains(const ShellSurface& surface, ShellStrains& strains);
void calcTri6Strains(const ShellSurface& surface, ShellStrains& strains);
void calcQuad8Strains(const ShellSurface& surface, ShellStrains& strains);

// Middle surface and directors of an element, the offset of its property included.
[[nodiscard]] ElementFault calcShellSurface(const ElementGeometry& geometry, ShellSurface& surface);
// Strains of any of the four.
[[nodiscard]] ElementFault calcShellStrains(const ElementGeometry& geometry, ShellSurface& surface,
                                            ShellStrains& strains);

}  // namespace flexloop::fem
