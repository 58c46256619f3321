// Cross-sections of beams: how shape and material become stiffness and mass per length.
//
// Section axes: x along the beam, y and z in the section, through its centroid. Strains and forces
// are (axial, shear y, shear z, torsion, bending about y, bending about z), so with I_y = ∫ z² dA
// and I_z = ∫ y² dA
//
//     C = diag(EA, k_y GA, k_z GA, GJ, E I_y, E I_z),                                    (7.18)
//     𝕄 = ρ diag(A, A, A, I_y + I_z, I_y, I_z).                                          (7.19)
#pragma once

#include "math/se3.hpp"

namespace flexloop::mechanics {

struct SectionMatrices {
  math::Mat6<double> stiffness = math::Mat6<double>::Zero();  // C
  math::Mat6<double> mass = math::Mat6<double>::Zero();       // 𝕄 per length
};

struct SectionShape {
  double area = 0.0;                    // m²
  double secondY = 0.0, secondZ = 0.0;  // I_y, I_z, m⁴
  double torsion = 0.0;                 // J, m⁴
  double shearY = 1.0, shearZ = 1.0;    // k_y, k_z
};

struct ElasticMaterial {
  double E = 0.0, G = 0.0;  // Pa
  double rho = 0.0;         // kg/m³
};

// Width along y, height along z; shear factor 5/6.
SectionShape makeRectangle(double width, double height);
// Shear factor 9/10.
SectionShape makeCircle(double diameter);
// Shear factor 1/2, that of a thin wall.
SectionShape makeTube(double outer, double inner);

// Saint-Venant's torsion constant of a rectangle with sides a ≥ b:
//
//     J = a b³ [1/3 − (64 b/π⁵a) Σ_{n odd} tanh(nπa/2b)/n⁵].                             (7.20)
double calcRectangleTorsion(double sideA, double sideB);

SectionMatrices makeSection(const SectionShape& shape, const ElasticMaterial& material);

// Whether a rotation of the section about x changes nothing.
bool isAxisymmetric(const SectionMatrices& section);

}  // namespace flexloop::mechanics
