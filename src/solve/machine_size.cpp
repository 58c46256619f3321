#include "solve/machine_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::solve {

double findFarthestNode(const system::State& state) {
  double size = 0.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.norm());
  return size > 0.0 ? size : 1.0;
}

double findMachineSize(const system::System& system, const system::State& state,
                       const linalg::SparseMatrix& M) {
  double size = 0.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.norm());
  for (const system::Node& node : system.nodes()) {
    double mass = 0.0, inertia = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      double& largest = system.isRotation(system::UnknownIndex{u}) ? inertia : mass;
      largest = std::max(largest, M.coeff(u, u));
    }
    if (mass > 0.0) size = std::max(size, std::sqrt(inertia / mass));
  }
  return size > 0.0 ? size : 1.0;
}

MeanMasses findMeanMasses(const system::System& system, const linalg::SparseMatrix& M) {
  MeanMasses mean;
  int moves = 0, turns = 0;
  for (int u = 0; u < M.cols(); ++u) {
    const double m = system.kinds()[u] == system::Kind::kMotion ? M.coeff(u, u) : 0.0;
    if (m <= 0.0) continue;
    const bool isTurn = system.isRotation(system::UnknownIndex{u});
    (isTurn ? mean.turn : mean.move) += m;
    ++(isTurn ? turns : moves);
  }
  if (moves > 0) mean.move /= moves;
  if (turns > 0) mean.turn /= turns;
  return mean;
}

double calcLargestMove(const system::System& system, const Eigen::VectorXd& increment,
                       double machineSize) {
  if (!increment.allFinite()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (int u = 0; u < increment.size(); ++u) {
    if (system.kinds()[u] != system::Kind::kMotion) continue;
    const double scale = system.isRotation(system::UnknownIndex{u}) ? 1.0 : machineSize;
    largest = std::max(largest, std::abs(increment[u]) / scale);
  }
  return largest;
}

void calcGradientSizes(const system::System& system, const linalg::SparseMatrix& K,
                       double machineSize, Eigen::VectorXd& sizes) {
  calcGradientSizes(system, K, Eigen::VectorXd::Constant(K.cols(), machineSize), sizes);
}

void calcGradientSizes(const system::System& system, const linalg::SparseMatrix& K,
                       const Eigen::VectorXd& machineSizes, Eigen::VectorXd& sizes) {
  sizes.setZero(system.unknowns());
  for (int column = 0; column < K.cols(); ++column) {
    if (system.kinds()[column] != system::Kind::kMotion) continue;
    const double arm = system.isRotation(system::UnknownIndex{column}) ? machineSizes[column] : 1.0;
    for (linalg::SparseMatrix::InnerIterator entry(K, column); entry; ++entry) {
      if (system.kinds()[entry.row()] != system::Kind::kMultiplier) continue;
      double& largest = sizes[entry.row()];
      largest = std::max(largest, std::abs(entry.value()) / arm);
    }
  }
}

}  // namespace flexloop::solve
