// A flexible part after reduction, as the equations of motion need it.
//
// The displacement field of the part in its own axes is u = Φ z with the coordinates
//   z = [u_1 θ_1 … u_n θ_n q],
// six of each interface node (displacement, small rotation) and m internal ones, which leave the interfaces where
// they are. Rigid motions of the interfaces move all of the part rigidly: the field of (v, ω) is Φ z with
// u_k = v + ω × p_k, θ_k = ω, q = 0.
//
// Eₐ turns the translations of all nodes of the mesh by 90° about axis a: (Eₐ u)_i = eₐ × u_i; rotations of nodes are
// left out (zero). With the mass matrix 𝓜 of the mesh,
//   M = Φᵀ 𝓜 Φ,   Gₐ = Φᵀ 𝓜 Eₐ Φ,   Q_ab = Φᵀ Eₐᵀ 𝓜 E_b Φ.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace flexloop::mechanics {

struct ReducedModel {
  std::vector<Eigen::Vector3d> interfaces;  // p_k, part axes, m
  std::vector<std::string> interfaceNames;
  Eigen::MatrixXd K, D, M;                          // stiffness, damping, mass: (6n + m)²
  std::array<Eigen::MatrixXd, 3> G;                 // by axis
  std::array<std::array<Eigen::MatrixXd, 3>, 3> Q;  // by axes
  // Where stiffening is asked for, otherwise empty: the geometric stiffness of the stresses that unit ωₐ ω_b causes in the
  // part held at its first interface and spun about axes through it.
  std::array<std::array<Eigen::MatrixXd, 3>, 3> Kg;
  // Where foreshortening is asked for, otherwise empty: B_j, the geometric stiffness of the stresses of a unit force on an
  // interface with the first held, by translation x y z of interfaces 2 … n.
  std::vector<Eigen::MatrixXd> B;

  int interfaceFreedoms() const { return 6 * static_cast<int>(interfaces.size()); }
  int modes() const { return static_cast<int>(K.rows()) - interfaceFreedoms(); }
};

}  // namespace flexloop::mechanics
