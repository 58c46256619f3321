// Stiffness and mass of a part in its independent freedoms.
//
// Every node of the mesh has six nodal freedoms, of which solids use three. Freedoms of rigid spiders and equations that
// follow from others are eliminated; averaging spiders get Lagrange multipliers, because the reference node would follow
// otherwise and an interface must lead:
//
//   nodal displacements   U = T u            (6 · nodes; zero where a freedom has no stiffness)
//   unknowns              u = [independent freedoms, multipliers]
//   K = [Tᵀ 𝓚 T  Cᵀ; C  0],   M = [Tᵀ 𝓜 T  0; 0  0]
//
// Rows of C are multiplied with a stiffness of the part, so that multipliers are displacements (m) and the entries of K of one
// size.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"
#include "linalg/solvers/sparse_solver.hpp"

namespace flexloop::fem {

// A motion of a node that nothing resists, for example the rotation about a line of nodes. The unknowns
// have row · (nodal freedoms) = 0.
struct FreeMotion {
  int node = 0;
  Eigen::Matrix<double, 6, 1> motion, row;
};

struct PartSystem {
  PartSystem() = default;
  PartSystem(const PartSystem&) = default;
  PartSystem& operator=(const PartSystem&) = default;
  // Sparse matrices of Eigen are copied when they are moved, unless they are swapped.
  PartSystem(PartSystem&& other) noexcept { swap(other); }
  PartSystem& operator=(PartSystem&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(PartSystem& other) noexcept {
    K.swap(other.K);
    M.swap(other.M);
    nodalMass.swap(other.nodalMass);
    T.swap(other.T);
    std::swap(multipliers, other.multipliers);
    unknownOf.swap(other.unknownOf);
    points.swap(other.points);
    freeMotions.swap(other.freeMotions);
    warnings.swap(other.warnings);
  }

  linalg::SparseMatrix K, M;       // lower triangles
  linalg::SparseMatrix nodalMass;  // 𝓜 over the nodal freedoms, lower triangle
  linalg::SparseMatrix T;          // (6 · nodes) × unknowns
  int multipliers = 0;             // the last unknowns
  // By nodal freedom 6 · node + component: its unknown; -1: follows from others or has no stiffness.
  std::vector<int> unknownOf;
  std::vector<Eigen::Vector3d> points;  // of all nodes, those of interfaces included, m
  std::vector<FreeMotion> freeMotions;
  std::vector<std::string> warnings;

  int unknowns() const { return static_cast<int>(K.rows()); }
};

}  // namespace flexloop::fem
