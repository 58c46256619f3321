// Shells are written elsewhere; this file goes when they come.
#include <cassert>

#include "fem/elements/element_matrices.hpp"

namespace flexloop::fem {

ElementFault calcShellMatrices(const ElementGeometry&, Eigen::MatrixXd&, Eigen::MatrixXd&) {
  return ElementFault::kFlat;
}
ElementFault calcShellGeometricStiffness(const ElementGeometry&, const Eigen::VectorXd&, double,
                                         Eigen::MatrixXd&) {
  return ElementFault::kFlat;
}
ElementFault calcShellStresses(const ElementGeometry&, const Eigen::VectorXd&, double, ShellSide,
                               NodeStresses&) {
  return ElementFault::kFlat;
}
ElementFault calcShellThermalLoad(const ElementGeometry&, Eigen::VectorXd&) {
  return ElementFault::kFlat;
}
double calcShellVolume(const ElementGeometry&) {
  return 0.0;
}

}  // namespace flexloop::fem
