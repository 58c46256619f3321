// Cross-sections of beams: how shape and material become stiffness and mass per length.
//
// Section axes: x along the beam, y and z in the section, through its centroid. Strains and forces
// are (axial, shear y, shear z, torsion, bending about y, bending about z), so with I_y = ∫ z² dA
// and I_z = ∫ y² dA
//
//     C = diag(EA, k_y GA, k_z GA, GJ, E I_y, E I_z),                                    (7.32)
//     𝕄 = ρ diag(A, A, A, I_y + I_z, I_y, I_z).                                          (7.33)
#pragma once

#include "math/se3.hpp"
#include "mechanics/sections/mean_section.hpp"

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
//     J = a b³ [1/3 − (64 b/π⁵a) Σ_{n odd} tanh(nπa/2b)/n⁵].                             (7.34)
double calcRectangleTorsion(double sideA, double sideB);

SectionMatrices makeSection(const SectionShape& shape, const ElasticMaterial& material);

// Along a two-node element of length L the forces n are constant and the moments linear,
// m(s) = m + s (0, Q_z, −Q_y) from the middle, so with σ = (n; m) and m(s) = m + s 𝔸 σ the complementary
// energy makes the element's stiffness
//
//     C_e = (C⁻¹ + L²/12 𝔸ᵀC⁻¹𝔸)⁻¹.                                                     (7.5)
math::Mat6<double> calcElementStiffness(const math::Mat6<double>& stiffness, double length);

// The curvature that changes linearly with the moment turns the sections in between, on average by
// a = Φγ against those of the ends:
//
//     a_y = −L²/12 (C⁻¹𝔸C_e ε)_κz,   a_z = L²/12 (C⁻¹𝔸C_e ε)_κy.                        (7.6)
SectionTurn<double> calcSectionTurn(const math::Mat6<double>& stiffness,
                                    const math::Mat6<double>& elementStiffness, double length);

// From the element's strains to forces (or strains) of the section at the distance s from its
// middle; `elementStiffness` is C_e.
math::Mat6<double> calcForceMap(const math::Mat6<double>& elementStiffness, double s);
math::Mat6<double> calcStrainMap(const math::Mat6<double>& elementStiffness, double length,
                                 double s);

// Whether a rotation of the section about x changes nothing.
bool isAxisymmetric(const SectionMatrices& section);

}  // namespace flexloop::mechanics
