#include "analysis/linear/node_centres.hpp"

#include <cmath>

namespace flexloop::analysis {
namespace {

using linalg::SparseMatrix;
using system::Node;
using system::State;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double kSameMass = 1e-12;  // of a node in all directions

// Whether its translations and rotations are those of a body, so that a point of it may take the place of its origin.
bool hasPoints(const Node& node) {
  const int translations = node.translations(), rotations = node.count - translations;
  return rotations == 3 ? translations == 3 : rotations == 1 && translations > 0;
}

Eigen::Vector3d findAngularAcceleration(const Node& node, const State& state, std::size_t index) {
  const Matrix6 A = system::calcMap(node, state.frames[index]);
  return (A.leftCols(node.count) * state.acceleration.segment(node.firstUnknown, node.count))
      .tail<3>();
}

// m c × e_r is what a rotation about e_r has in the rows of the translations; Σ (e × c) × e = 2 c for three rotations, and c across
// the axis for one. Zero where M couples the node with others, or moves it in some directions with another mass.
Eigen::Vector3d findCentre(const Node& node, const math::Frame<double>& frame,
                           const SparseMatrix& M) {
  const int first = node.firstUnknown, end = first + node.count;
  Matrix6 own = Matrix6::Zero();
  for (int u = first; u < end; ++u) {
    for (SparseMatrix::InnerIterator it(M, u); it; ++it) {
      if (it.value() == 0.0) continue;
      if (it.row() < first || it.row() >= end) return Eigen::Vector3d::Zero();
      own(it.row() - first, u - first) = it.value();
    }
  }
  const double mass = own(0, 0);
  if (!(mass > 0.0)) return Eigen::Vector3d::Zero();
  for (int c = 1; c < node.translations(); ++c) {
    if (std::abs(own(c, c) - mass) > kSameMass * mass) return Eigen::Vector3d::Zero();
  }
  const Matrix6 A = system::calcMap(node, frame);
  const auto columns = A.leftCols(node.count);
  const Matrix6 whole = columns * own.topLeftCorner(node.count, node.count) * columns.transpose();
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int r = 0; r < 3; ++r) {
    const Eigen::Vector3d moment = whole.block<3, 1>(0, 3 + r) / mass;
    centre += math::cross<double>(moment, Eigen::Vector3d::Unit(r));
  }
  return node.count - node.translations() == 3 ? Eigen::Vector3d(0.5 * centre) : centre;
}

}  // namespace

std::vector<Eigen::Vector3d> findCentres(const system::System& system, const State& state,
                                         const SparseMatrix& M) {
  std::vector<Eigen::Vector3d> centres(system.nodes().size(), Eigen::Vector3d::Zero());
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.count == 0 || !hasPoints(node)) continue;
    if (findAngularAcceleration(node, state, i).isZero(0.0)) continue;
    centres[i] = findCentre(node, state.frames[i], M);
  }
  return centres;
}

NodeBrackets calcBracketsAt(const Eigen::Vector3d& centre, const system::System& system,
                            std::size_t node, const State& state, Axes axes) {
  NodeBrackets brackets = calcBrackets(system, node, state, axes);
  if (centre.isZero(0.0)) return brackets;
  const Node& moving = system.nodes()[node];
  const Matrix6 A = system::calcMap(moving, state.frames[node]);
  Matrix6 ofCentre = Matrix6::Zero();
  ofCentre.topRightCorner<3, 3>() =
      math::skew<double>(findAngularAcceleration(moving, state, node)) * math::skew<double>(centre);
  brackets.acceleration += A.transpose() * ofCentre * A;
  return brackets;
}

}  // namespace flexloop::analysis
