// A part as one rigid body: mass, centre and inertia, its six motions, and whether its stiffness lets them be free.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct MassProperties {
  double mass = 0.0;                                  // kg
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   // of mass, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre, mesh axes, kg m²
};

// By the consistent mass matrix: exact for the meshed shape.
MassProperties calcMassProperties(const PartSystem& part);

// Of all elements, m³.
double calcVolume(const Mesh& mesh);

// Columns: translations along x, y, z (m) and rotations about axes through the origin (rad), by nodal freedom.
Eigen::MatrixXd makeNodalRigidModes(const std::vector<Eigen::Vector3d>& points,
                                    const Eigen::Vector3d& origin);
// The same by unknown; multipliers are zero.
Eigen::MatrixXd makeRigidModes(const PartSystem& part, const Eigen::Vector3d& origin);

// How far K is from giving no forces in rigid motions: the largest force relative to the sum of the magnitudes that
// make it up, about 1e-14 for a free part, and
// the nodal freedom where it is found. Part of a ground that an equation or a given matrix holds it to makes it large.
struct RigidResidual {
  double share = 0.0;
  int freedom = -1;  // 6 · node + component; -1: a multiplier
  int motion = 0;    // column of the rigid modes
};
RigidResidual findRigidResidual(const PartSystem& part);

}  // namespace flexloop::fem
