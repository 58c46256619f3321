#include "solve/balance/straight_moves.hpp"

#include <algorithm>

namespace flexloop::solve {
namespace {

using math::Mat6;
using math::Vec3;
using math::Vec6;
using system::Node;
using system::NodeMap;
using system::State;

// Calls visit(node, A) with the map A of (3.1), whose columns after the node's count are zero; other
// nodes have translations in ground already.
template <class Visit>
void forEachBodyNode(const system::System& system, const State& state, Visit visit) {
  for (std::size_t i = 0; i < system.nodes().size(); ++i) {
    const Node& node = system.nodes()[i];
    if (node.map != NodeMap::kBody && node.map != NodeMap::kSubgroup) continue;
    visit(node, system::calcMap(node, state.frames[i]));
  }
}

// The node's entries of x, followed by zeros.
Vec6<double> entriesOf(const Node& node, const Eigen::VectorXd& x) {
  Vec6<double> entries = Vec6<double>::Zero();
  for (int k = 0; k < node.count; ++k) entries[k] = x[node.firstUnknown + k];
  return entries;
}

void addToEntry(int row, int column, double value, linalg::SparseMatrix& matrix) {
  const int* rows = matrix.innerIndexPtr();
  const int* first = rows + matrix.outerIndexPtr()[column];
  const int* last = rows + matrix.outerIndexPtr()[column + 1];
  const int* found = std::lower_bound(first, last, row);
  if (found != last && *found == row) matrix.valuePtr()[found - rows] += value;
}

}  // namespace

// The retraction makes x + R T(w)ᵀu of u, so it is given T⁻ᵀ(w) u.
Eigen::VectorXd makeStraight(const system::System& system, const State& from,
                             Eigen::VectorXd delta) {
  forEachBodyNode(system, from, [&](const Node& node, const Mat6<double>& A) {
    Vec6<double> d = A * entriesOf(node, delta);
    const Vec3<double> back = -d.tail<3>();
    d.head<3>() = math::tangentInverseSO3<double>(back) * d.head<3>();
    const Vec6<double> dq = A.transpose() * d;
    for (int k = 0; k < node.count; ++k) delta[node.firstUnknown + k] = dq[k];
  });
  return delta;
}

void addTurnOfForces(const system::System& system, const State& state,
                     const Eigen::VectorXd& unbalance, linalg::SparseMatrix& K) {
  forEachBodyNode(system, state, [&](const Node& node, const Mat6<double>& A) {
    const Vec6<double> r = A * entriesOf(node, unbalance);
    Mat6<double> turn = Mat6<double>::Zero();
    turn.topRightCorner<3, 3>() = -math::skew<double>(r.head<3>());
    const Mat6<double> reduced = A.transpose() * turn * A;
    for (int c = 0; c < node.count; ++c) {
      for (int k = 0; k < node.count; ++k) {
        addToEntry(node.firstUnknown + k, node.firstUnknown + c, reduced(k, c), K);
      }
    }
  });
}

}  // namespace flexloop::solve
