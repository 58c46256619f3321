#include "analysis/modes/rigid_clusters.hpp"

#include <numeric>

#include "linalg/dense/least_squares.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "mechanics/beams/beam_layout.hpp"
#include "mechanics/parts/reduced_bodies.hpp"

namespace flexloop::analysis {
namespace {

constexpr double kHeld = 1e-9;  // share of the largest motion that a node cannot follow

using Matrix = Eigen::MatrixXd;

// Nodes joined by beams and parts, by union and find.
class Joined {
 public:
  explicit Joined(std::size_t nodes) : parent_(nodes) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int i, int j) { parent_[find(i)] = find(j); }

 private:
  std::vector<int> parent_;
};

bool isPart(const system::ElementSet& set) {
  return dynamic_cast<const mechanics::ReducedBodies*>(&set) != nullptr;
}

bool isFlexible(const system::ElementSet& set) {
  return mechanics::isBeam(set) || isPart(set);
}

// Modal coordinates of parts belong to no motion: they stay where they are.
RigidCluster findHeldModes(const system::System& system) {
  RigidCluster held;
  for (const auto& set : system.sets()) {
    if (!isPart(*set)) continue;
    for (int e = 0; e < set->size(); ++e) {
      for (int k = 0; k < set->scalars(e); ++k) {
        held.unknowns.emplace_back(set->scalar(e, k).value, Eigen::VectorXd());
      }
    }
  }
  return held;
}

std::vector<std::vector<int>> groupNodes(const system::System& system) {
  Joined joined(system.nodes().size());
  std::vector<bool> isFlexiblyJoined(system.nodes().size(), false);
  for (const auto& set : system.sets()) {
    if (!isFlexible(*set)) continue;
    for (int e = 0; e < set->size(); ++e) {
      for (int k = 0; k < set->nodes(e); ++k) {
        isFlexiblyJoined[set->node(e, k).value] = true;
        joined.join(set->node(e, k).value, set->node(e, 0).value);
      }
    }
  }
  std::vector<std::vector<int>> groups(system.nodes().size());
  for (int i = 0; i < static_cast<int>(isFlexiblyJoined.size()); ++i) {
    if (isFlexiblyJoined[i]) groups[joined.find(i)].push_back(i);
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

}  // namespace

std::vector<RigidCluster> findRigidClusters(const system::System& system,
                                            const system::State& state) {
  std::vector<RigidCluster> clusters;
  for (const std::vector<int>& group : groupNodes(system)) {
    // What each node cannot follow restricts the motion of all.
    Matrix forbidden(0, 6);
    std::vector<Matrix> toUnknowns;
    for (const int i : group) {
      const system::Node& node = system.nodes()[i];
      const Matrix adjoint =
          math::adjoint(math::relative(state.frames[i], state.frames[group.front()]));
      const Matrix A = Matrix(system::calcMap(node, state.frames[i])).leftCols(node.count);
      const Matrix pseudo =
          node.count > 0 ? linalg::solveLeastSquares(A, Matrix::Identity(6, 6)) : Matrix(0, 6);
      toUnknowns.push_back(pseudo * adjoint);
      if (node.count == 6) continue;
      const Matrix rest = adjoint - A * toUnknowns.back();
      forbidden.conservativeResize(forbidden.rows() + 6, 6);
      forbidden.bottomRows(6) = rest;
    }
    Matrix motions = Matrix::Identity(6, 6);
    if (forbidden.rows() > 0) {
      const linalg::PivotedQr<double> qr(forbidden.transpose());
      motions = qr.Q().rightCols(6 - qr.rank(kHeld));
    }
    RigidCluster cluster;
    cluster.motions = static_cast<int>(motions.cols());
    for (std::size_t k = 0; k < group.size(); ++k) {
      const Matrix rows = toUnknowns[k] * motions;
      for (int f = 0; f < rows.rows(); ++f) {
        cluster.unknowns.emplace_back(system.nodes()[group[k]].firstUnknown + f, rows.row(f));
      }
    }
    clusters.push_back(std::move(cluster));
  }
  clusters.push_back(findHeldModes(system));
  return clusters;
}

}  // namespace flexloop::analysis
