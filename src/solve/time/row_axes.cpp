#include "solve/time/row_axes.hpp"

#include <cmath>

#include "solve/time/matrix_places.hpp"

namespace flexloop::solve {
namespace {

using math::Mat3;
using system::Kind;
using system::Node;

// Of a joint with a held body.
constexpr int kHeldCount = 2;

// Whether the first three rows are constraints that both ends of the element see move: those of a point that both have in
// common.
bool holdsPoint(const system::System& system, const system::ElementSet& set, int element) {
  if (set.nodes(element) != 2 || set.scalars(element) < 3) return false;
  for (int i = 0; i < 3; ++i) {
    if (system.kinds()[set.scalar(element, i).value] != Kind::kMultiplier) return false;
    for (const int column : {0, 1, 2, 6, 7, 8}) {
      if (!set.fills(element, 12 + i, column, false)) return false;
    }
  }
  return true;
}

// Calls visit(set, element) for all joints between two bodies with a point in common.
template <class Visit>
void forEachPointJoint(const system::System& system, Visit visit) {
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      if (holdsPoint(system, *set, e)) visit(*set, e);
    }
  }
}

bool isTurning(const Node& node) {
  return node.isStraight && node.map == system::NodeMap::kBody;
}

}  // namespace

RowAxes::RowAxes(const system::System& system, const linalg::SparseMatrix& pattern) {
  std::vector<int> counts(system.nodes().size(), 0);
  forEachPointJoint(system, [&](const system::ElementSet& set, int e) {
    const int a = set.node(e, 0).value, b = set.node(e, 1).value;
    counts[a] += system.nodes()[b].count == 0 ? kHeldCount : 1;
    counts[b] += system.nodes()[a].count == 0 ? kHeldCount : 1;
  });
  forEachPointJoint(system, [&](const system::ElementSet& set, int e) {
    Joint joint;
    for (int k = 0; k < 2; ++k) joint.nodes[k] = set.node(e, k).value;
    const Node &a = system.nodes()[joint.nodes[0]], &b = system.nodes()[joint.nodes[1]];
    if (!isTurning(a) || !isTurning(b) || counts[joint.nodes[1]] <= counts[joint.nodes[0]]) return;
    bool isComplete = true;
    for (int i = 0; i < 3; ++i) {
      joint.rows[i] = set.scalar(e, i).value;
      for (int k = 0; k < 2; ++k) {
        for (int c = 0; c < 3; ++c) {
          const int column = system.nodes()[joint.nodes[k]].firstUnknown + c;
          const int place = findPlace(pattern, joint.rows[i], column);
          joint.gradients[k][3 * c + i] = place;
          isComplete = isComplete && place != kNoPlace;
        }
      }
    }
    if (isComplete) joints_.push_back(joint);
  });
  turns_.assign(joints_.size(), Mat3<double>::Identity());
  axes_ = turns_;
}

// By the translations of the first body the gradients are −k R₁ᵀR_A, which stays, by those of the second one k R₁ᵀR_B.
void RowAxes::setTurns(const system::State& state, const std::vector<double>& values) {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const Mat3<double> first = readBlock(values, joint.gradients[0]);
    const Mat3<double> second = readBlock(values, joint.gradients[1]);
    const Mat3<double>&R_A = state.frames[joint.nodes[0]].R, &R_B = state.frames[joint.nodes[1]].R;
    const Mat3<double> now = -first * (R_A.transpose() * R_B);
    const double square = now.col(0).squaredNorm();
    // An open latch holds nothing.
    if (square == 0.0) {
      turns_[j] = axes_[j] = Mat3<double>::Identity();
      continue;
    }
    turns_[j] = second * now.transpose() / square;
    axes_[j] = now / std::sqrt(square);
  }
}

void RowAxes::turn(const Joint& joint, const Mat3<double>& Q, Eigen::VectorXd& x) {
  const auto& rows = joint.rows;
  const math::Vec3<double> turned = Q * math::Vec3<double>(x[rows[0]], x[rows[1]], x[rows[2]]);
  for (int i = 0; i < 3; ++i) x[rows[i]] = turned[i];
}

void RowAxes::toFactors(Eigen::VectorXd& rhs) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) turn(joints_[j], turns_[j], rhs);
}

void RowAxes::fromFactors(Eigen::VectorXd& x) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) turn(joints_[j], turns_[j].transpose(), x);
}

void RowAxes::toBody(Eigen::VectorXd& rows) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) turn(joints_[j], axes_[j].transpose(), rows);
}

void RowAxes::fromBody(Eigen::VectorXd& rows) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) turn(joints_[j], axes_[j], rows);
}

}  // namespace flexloop::solve
