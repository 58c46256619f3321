// Where the energy of a mode is, and who takes it (docs/theory/22_mode_descriptions.md): the quadratic
// forms of every element in a shape z that moves by e^{st},
//
//     zᴴ P z = Σ_e (k + s c + s² m + q) = 0                                                      (22.1)
//
// with k, c, m from the motions of the element's own matrices and q from the forces of signals,
// states and multipliers on them.
#pragma once

#include <complex>
#include <map>
#include <string>
#include <vector>

#include "analysis/modes/mode_analysis.hpp"

namespace flexloop::analysis {

// Sums over the elements of one item. Real parts are of the symmetric, imaginary ones of the skew part of
// the matrix.
struct ItemForms {
  std::complex<double> stiffness, damping, mass;  // zᴴKz, zᴴCz, zᴴMz
  std::complex<double> control;                   // q
  double torsion = 0.0, stretch = 0.0;            // shares of the stiffness of a beam
  double stiffnessSize = 0.0, controlSize = 0.0;  // sums of the sizes of all terms
};

struct ModeForms {
  std::complex<double> s;
  std::map<std::string, ItemForms> items;  // by name
  Eigen::VectorXd freedoms;                // z_i* (M z)_i by unknown

  ItemForms total() const;
};

// One for each of the modes.
std::vector<ModeForms> calcModeForms(const model::Model& model, const system::State& state,
                                     const std::vector<Mode>& modes);

// What an item adds to the damping ratio of the mode; the sum over all items is the ratio (22.4), (22.5).
double calcDampingShare(const ModeForms& forms, const ItemForms& total, const ItemForms& item);
// What a loop is as a spring: zᴴ k_eq z (22.2).
double calcControlStiffness(std::complex<double> s, std::complex<double> q);

}  // namespace flexloop::analysis
