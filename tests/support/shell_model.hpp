// Shells for tests: grids of elements on a surface, supports, loads, static solution and lowest frequencies.
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "fem/elements/element_matrices.hpp"

namespace flexloop::test {

struct ShellModel {
  fem::ElementShape shape = fem::ElementShape::kQuad4;
  std::vector<Eigen::Vector3d> points;
  std::vector<int> elementNodes;  // one element after the other
  fem::MeshMaterial material;
  fem::Property property;
  std::vector<char> held;  // by freedom 6 · node + component
  Eigen::VectorXd force;

  int nodesPerElement() const { return fem::nodeCount(shape); }
  int elements() const { return static_cast<int>(elementNodes.size()) / nodesPerElement(); }
  // Points of an element are written to `storage`.
  fem::ElementGeometry geometry(int element, std::vector<Eigen::Vector3d>& storage) const;

  // Holds components (bits 0-5: x y z rx ry rz) of all nodes where `where` holds.
  void hold(const std::function<bool(const Eigen::Vector3d&)>& where, unsigned components);
  int nodeAt(const Eigen::Vector3d& place) const;  // the nearest one
  void addForce(const Eigen::Vector3d& place, int component, double value);
  // Force per area of the surface, mesh axes; by the mass matrix, so that it is spread as gravity is.
  void addAreaForce(const Eigen::Vector3d& force);
  // A force spread evenly over the element edges whose nodes all satisfy `where`; consistent.
  void addEdgeForce(const std::function<bool(const Eigen::Vector3d&)>& where,
                    const Eigen::Vector3d& total);

  Eigen::SparseMatrix<double> stiffness() const;
  Eigen::SparseMatrix<double> mass() const;
  // K_g of the membrane forces of a displacement of all freedoms.
  Eigen::SparseMatrix<double> geometricStiffness(const Eigen::VectorXd& displacement) const;
  // The smallest factor of that displacement at which K + factor · K_g is singular: buckling.
  double bucklingFactor(const Eigen::VectorXd& displacement) const;
  Eigen::VectorXd solve() const;  // of all freedoms
  double displacement(const Eigen::VectorXd& solution, const Eigen::Vector3d& place,
                      int component) const;
  // Lowest frequencies, Hz; `shift` is a frequency of their order of magnitude.
  std::vector<double> frequencies(int count, double shift) const;
};

// Coordinates a, b ∈ [0, 1] to points of the surface, `m` × `n` quadrilaterals or twice as many triangles.
using SurfaceMap = std::function<Eigen::Vector3d(double a, double b)>;
ShellModel makeShellGrid(fem::ElementShape shape, int m, int n, const SurfaceMap& map);
// Adds a second grid; nodes at the same place become one.
void addGrid(ShellModel& model, int m, int n, const SurfaceMap& map);

}  // namespace flexloop::test
