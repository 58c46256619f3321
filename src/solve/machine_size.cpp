#include "solve/machine_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexloop::solve {

double findMachineSize(const system::State& state) {
  double size = 0.0;
  for (const auto& frame : state.frames) size = std::max(size, frame.x.cwiseAbs().maxCoeff());
  return size > 0.0 ? size : 1.0;
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

namespace {

// Of the machine without it; what is longer is a gradient of turns with round-off among its moves.
constexpr double kLongestArm = 1e6;

// The largest entries of a gradient.
struct Gradient {
  double move = 0.0, turn = 0.0;
};

std::vector<Gradient> findGradients(const system::System& system, const linalg::SparseMatrix& K) {
  std::vector<Gradient> gradients(system.kinds().size());
  for (int column = 0; column < K.cols(); ++column) {
    if (system.kinds()[column] != system::Kind::kMotion) continue;
    const bool turns = system.isRotation(system::UnknownIndex{column});
    for (linalg::SparseMatrix::InnerIterator entry(K, column); entry; ++entry) {
      if (system.kinds()[entry.row()] != system::Kind::kMultiplier) continue;
      Gradient& gradient = gradients[entry.row()];
      double& largest = turns ? gradient.turn : gradient.move;
      largest = std::max(largest, std::abs(entry.value()));
    }
  }
  return gradients;
}

}  // namespace

MachineLengths findMachineLengths(const system::System& system, const system::State& state,
                                  const linalg::SparseMatrix& K, const linalg::SparseMatrix& M) {
  MachineLengths lengths;
  for (const auto& frame : state.frames) {
    lengths.place = std::max(lengths.place, frame.x.norm());
  }
  for (const system::Node& node : system.nodes()) {
    double mass = 0.0, inertia = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      double& largest = system.isRotation(system::UnknownIndex{u}) ? inertia : mass;
      largest = std::max(largest, M.coeff(u, u));
    }
    if (mass > 0.0) lengths.arm = std::max(lengths.arm, std::sqrt(inertia / mass));
  }
  const double longest =
      lengths.size() > 0.0 ? kLongestArm * lengths.size() : std::numeric_limits<double>::infinity();
  for (const Gradient& gradient : findGradients(system, K)) {
    if (gradient.move == 0.0 || gradient.turn > longest * gradient.move) continue;
    lengths.arm = std::max(lengths.arm, gradient.turn / gradient.move);
  }
  return lengths;
}

void calcGradientSizes(const system::System& system, const linalg::SparseMatrix& K, double arm,
                       Eigen::VectorXd& sizes) {
  sizes.setZero(system.unknowns());
  const std::vector<Gradient> gradients = findGradients(system, K);
  for (int u = 0; u < sizes.size(); ++u) {
    const double turn = arm > 0.0 ? gradients[u].turn / arm : gradients[u].turn;
    sizes[u] = std::max(gradients[u].move, turn);
  }
}

}  // namespace flexloop::solve
