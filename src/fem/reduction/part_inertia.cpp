#include "fem/reduction/part_inertia.hpp"

#include "linalg/symmetric/symmetric_factors.hpp"

namespace flexloop::fem {

using Eigen::MatrixXd;
using linalg::multiplySymmetric;

MatrixXd turn(const MatrixXd& U, int axis) {
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  MatrixXd turned = MatrixXd::Zero(U.rows(), U.cols());
  for (Eigen::Index j = 0; j < U.cols(); ++j) {
    for (Eigen::Index node = 0; node < U.rows(); node += 6) {
      turned(node + next, j) = -U(node + last, j);
      turned(node + last, j) = U(node + next, j);
    }
  }
  return turned;
}

void fillTurningInertia(const PartSystem& part, const MatrixXd& U, mechanics::ReducedModel& model) {
  for (int b = 0; b < 3; ++b) {
    const MatrixXd momentum = multiplySymmetric(part.nodalMass, turn(U, b));
    model.G[b] = U.transpose() * momentum;
    for (int a = 0; a <= b; ++a) {
      // Eₐᵀ = −Eₐ
      model.Q[a][b] = -U.transpose() * turn(momentum, a);
      if (a == b) {
        model.Q[a][b] = (0.5 * (model.Q[a][b] + model.Q[a][b].transpose())).eval();
      } else {
        model.Q[b][a] = model.Q[a][b].transpose();
      }
    }
  }
}

MatrixXd makeSpinLoads(const PartSystem& part, const Eigen::Vector3d& centre) {
  const auto nodes = static_cast<Eigen::Index>(part.points.size());
  MatrixXd x = MatrixXd::Zero(6 * nodes, 1);
  for (Eigen::Index i = 0; i < nodes; ++i) x.block<3, 1>(6 * i, 0) = part.points[i] - centre;
  MatrixXd accelerations(6 * nodes, 6);
  for (std::size_t pair = 0; pair < kAxisPairs.size(); ++pair) {
    const auto [a, b] = kAxisPairs[pair];
    accelerations.col(pair) = 0.5 * (turn(turn(x, b), a) + turn(turn(x, a), b));
  }
  return -multiplySymmetric(part.nodalMass, accelerations);
}

}  // namespace flexloop::fem
