// The part of shells that is common to matrices, stresses and loads: the stiffness over all freedoms of an element, those
// inside it included, and the way from the freedoms of the nodes to those of the middle surface.
#pragma once

#include <Eigen/Core>

#include "fem/elements/shell_strains.hpp"

namespace flexloop::fem {

using ShellMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor,
                                  kMostShellFreedoms, kMostShellFreedoms>;
using ShellVector =
    Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMostShellFreedoms, 1>;

// Stresses over the thickness from strains, per unit of width: forces N/m, moments N, shear forces N/m.
struct ShellElasticity {
  double membrane = 0.0;  // E t / (1 - ν²)
  double bending = 0.0;   // E t³ / 12 (1 - ν²)
  double shear = 0.0;     // (5/6) G t
  double drilling = 0.0;  // about the normal, see (29.6)
  double nu = 0.0;
};

ShellElasticity calcElasticity(const ElementGeometry& geometry, const ShellStrains& strains);

// K = Σ area Bᵀ D B over all freedoms, (29.5), in full.
ShellMatrix calcFullStiffness(const ShellStrains& strains, const ShellElasticity& elasticity);

// Σ area Bᵀ D ε of a free thermal strain of size 1 in the plane, (29.27).
ShellVector calcExpansionLoad(const ShellStrains& strains, const ShellElasticity& elasticity);

// Eliminates the freedoms inside: K and, if given, a load, keep those of the nodes.
void eliminateInside(int nodeFreedoms, ShellMatrix& K, ShellVector* load);

// u on the middle surface = T u of the nodes, (29.7), applied from the right and by its transpose from the left.
void moveToNodes(const ShellSurface& surface, double offset, ShellMatrix& K);
void moveToNodes(const ShellSurface& surface, double offset, ShellVector& load);
ShellVector moveToSurface(const ShellSurface& surface, double offset,
                          const Eigen::VectorXd& displacement);

// All freedoms of a displacement of the nodes: those inside follow from equilibrium under `temperature`, K.
ShellVector calcAllFreedoms(const ElementGeometry& geometry, const ShellSurface& surface,
                            const ShellStrains& strains, const ShellElasticity& elasticity,
                            const Eigen::VectorXd& displacement, double temperature);

}  // namespace flexloop::fem
