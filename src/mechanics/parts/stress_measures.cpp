#include "mechanics/parts/stress_measures.hpp"

#include <Eigen/Eigenvalues>

namespace flexloop::mechanics {

PrincipalAxes findPrincipalAxes(const math::Vec6<double>& s) {
  math::Mat3<double> stress;
  stress << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
  const Eigen::SelfAdjointEigenSolver<math::Mat3<double>> solver(stress);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

}  // namespace flexloop::mechanics
