// Matrices, stresses and loads of single elements. Each family has the same functions; those for a whole mesh are in
// fem/assembly. Theory: docs/theory/28_solid_elements.md for solids and beams.
//
// Freedoms are ordered by node, as in ElementGeometry::points:
//   solids          3 per node: ux uy uz
//   beams, shells   6 per node: ux uy uz rx ry rz        (mesh axes; rotations as a vector, rad)
//
// Matrices are symmetric and written in full; arguments keep their memory where their size is right, so that a loop over
// elements allocates nothing. Stresses have one column per node with the components xx yy zz xy yz zx in mesh axes, tension
// positive, Pa.
#pragma once

#include <cstdint>
#include <string>

#include <Eigen/Core>

#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct ElementGeometry {
  ElementShape shape = ElementShape::kTet4;
  const Eigen::Vector3d* points = nullptr;  // nodeCount(shape) of them, mesh axes, m
  const MeshMaterial* material = nullptr;
  const Property* property = nullptr;               // of shells and beams; solids need none
  Eigen::Vector3d yAxis = Eigen::Vector3d::Zero();  // of beams; zero: chosen, see calcBeamAxes
};

// Why an element has no matrices. The matrices are then not to be used.
enum class ElementFault : std::uint8_t {
  kNone,
  kInverted,  // the Jacobian is negative throughout: nodes in the wrong order
  kTangled,  // the Jacobian changes its sign inside: a corner is folded in or the element crosses itself
  kFlat,  // no volume (solids), no area (shells), no length (beams), within rounding
};
std::string describe(ElementFault fault);  // empty for kNone

int freedomsPerNode(ElementShape shape);
// Every block of M that belongs to two nodes is a multiple of the identity: all solids but hex8.
bool hasScalarMass(ElementShape shape);

// One column per node; see above.
using NodeStresses = Eigen::Matrix<double, 6, Eigen::Dynamic>;
// Displacements of the nodes of an element, one column for each of several fields; stresses then have the columns of all
// nodes for the first field, for the second and so on.
using ElementDisplacements = Eigen::Ref<const Eigen::MatrixXd>;

// Solids.

// K [N/m] and the consistent mass M [kg].
[[nodiscard]] ElementFault calcSolidMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                                             Eigen::MatrixXd& M);
// K_g of the linear stresses of a displacement; K + K_g is the stiffness about the stressed state. `temperature` is the
// uniform change that has already expanded the element, K.
[[nodiscard]] ElementFault calcSolidGeometricStiffness(const ElementGeometry& geometry,
                                                       const Eigen::VectorXd& displacement,
                                                       double temperature, Eigen::MatrixXd& Kg);
[[nodiscard]] ElementFault calcSolidStresses(const ElementGeometry& geometry,
                                             const ElementDisplacements& displacements,
                                             double temperature, NodeStresses& stresses);
// Nodal forces that a temperature change of 1 K is equivalent to.
[[nodiscard]] ElementFault calcSolidThermalLoad(const ElementGeometry& geometry,
                                                Eigen::VectorXd& load);
double calcSolidVolume(const ElementGeometry& geometry);  // m³

// Beams.

// The rows are the x, y and z axis of a beam. Without a usable `yAxis` the y axis is horizontal (across x and the mesh's z
// axis), or the mesh's y axis for an upright beam.
Eigen::Matrix3d calcBeamAxes(const ElementGeometry& geometry);

[[nodiscard]] ElementFault calcBeamMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                                            Eigen::MatrixXd& M);
[[nodiscard]] ElementFault calcBeamGeometricStiffness(const ElementGeometry& geometry,
                                                      const Eigen::VectorXd& displacement,
                                                      double temperature, Eigen::MatrixXd& Kg);
// On the axis: the stress of the axial force, since the outline of the section is not known.
[[nodiscard]] ElementFault calcBeamStresses(const ElementGeometry& geometry,
                                            const ElementDisplacements& displacements,
                                            double temperature, NodeStresses& stresses);
[[nodiscard]] ElementFault calcBeamThermalLoad(const ElementGeometry& geometry,
                                               Eigen::VectorXd& load);
double calcBeamVolume(const ElementGeometry& geometry);

// Shells.

// Where in the thickness: top is the side that the normal points to.
enum class ShellSide : std::uint8_t { kTop, kMiddle, kBottom };

[[nodiscard]] ElementFault calcShellMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                                             Eigen::MatrixXd& M);
[[nodiscard]] ElementFault calcShellGeometricStiffness(const ElementGeometry& geometry,
                                                       const Eigen::VectorXd& displacement,
                                                       double temperature, Eigen::MatrixXd& Kg);
[[nodiscard]] ElementFault calcShellStresses(const ElementGeometry& geometry,
                                             const ElementDisplacements& displacements,
                                             double temperature, ShellSide side,
                                             NodeStresses& stresses);
[[nodiscard]] ElementFault calcShellThermalLoad(const ElementGeometry& geometry,
                                                Eigen::VectorXd& load);
double calcShellVolume(const ElementGeometry& geometry);  // area × thickness

// Any element, by its shape.

[[nodiscard]] ElementFault calcElementMatrices(const ElementGeometry& geometry, Eigen::MatrixXd& K,
                                               Eigen::MatrixXd& M);
[[nodiscard]] ElementFault calcElementGeometricStiffness(const ElementGeometry& geometry,
                                                         const Eigen::VectorXd& displacement,
                                                         double temperature, Eigen::MatrixXd& Kg);
[[nodiscard]] ElementFault calcElementStresses(const ElementGeometry& geometry,
                                               const ElementDisplacements& displacements,
                                               double temperature, ShellSide side,
                                               NodeStresses& stresses);
[[nodiscard]] ElementFault calcElementThermalLoad(const ElementGeometry& geometry,
                                                  Eigen::VectorXd& load);
double calcElementVolume(const ElementGeometry& geometry);

// Stresses.

double calcVonMises(const Eigen::Matrix<double, 6, 1>& stress);
// Falling: the largest tension first.
Eigen::Vector3d calcPrincipalStresses(const Eigen::Matrix<double, 6, 1>& stress);

}  // namespace flexloop::fem
