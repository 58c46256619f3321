#include "solve/motion_sizes.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::solve {
namespace {

using system::Kind;
using system::Node;
using system::UnknownIndex;

// Of a size, what is left after a nominal step.
constexpr double kKept = 0.5;
// An acceleration that moves a part in a step by this share of its size is none.
constexpr double kTinyMove = 1e-15;
// Rotations move a body over its size: neither is judged as if it were alone.
constexpr double kOther = 0.1;
// Of what the forces of joints would make of a node that they hold, and of the larger of two forces that a joint may pass on.
constexpr double kHeld = 1e-3;

// Both moves or both turns.
bool isSameKind(int group, int other) {
  return group % 2 == other % 2;
}

}  // namespace

MotionSizes::MotionSizes(const system::System& system, const linalg::SparseMatrix& pattern)
    : system_(&system) {
  const auto nodes = system.nodes().size();
  group_.assign(system.unknowns(), -1);
  for (std::size_t i = 0; i < nodes; ++i) {
    const Node& node = system.nodes()[i];
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      group_[u] = static_cast<int>(2 * i) + (system.isRotation(UnknownIndex{u}) ? 1 : 0);
    }
  }
  std::vector<std::vector<int>> others(2 * nodes), joined(group_.size());
  for (int column = 0; column < pattern.cols(); ++column) {
    if (group_[column] < 0) continue;
    for (linalg::SparseMatrix::InnerIterator entry(pattern, column); entry; ++entry) {
      const auto row = static_cast<int>(entry.row());
      if (group_[row] >= 0 && group_[row] != group_[column]) {
        others[group_[row]].push_back(group_[column]);
      } else if (system.kinds()[row] == Kind::kMultiplier) {
        joined[row].push_back(group_[column] / 2);
      }
    }
  }
  for (const std::vector<int>& list : joined) {
    for (const int a : list) {
      for (const int b : list) {
        if (a == b) continue;
        others[2 * a].push_back(2 * b);
        others[2 * a + 1].push_back(2 * b + 1);
      }
    }
  }
  const auto sort = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  for (std::vector<int>& list : others) {
    sort(list);
    firstLink_.push_back(static_cast<int>(links_.size()));
    for (const int other : list) links_.push_back({other});
  }
  firstLink_.push_back(static_cast<int>(links_.size()));
  for (int u = 0; u < system.unknowns(); ++u) {
    if (system.kinds()[u] != Kind::kMultiplier) continue;
    sort(joined[u]);
    multipliers_.push_back(u);
    firstJoined_.push_back(static_cast<int>(joined_.size()));
    joined_.insert(joined_.end(), joined[u].begin(), joined[u].end());
  }
  firstJoined_.push_back(static_cast<int>(joined_.size()));
  inertia_.assign(group_.size(), 0.0);
  diagonal_.assign(group_.size(), 0.0);
  size_.assign(group_.size(), 0.0);
  groupSize_.assign(2 * nodes, 0.0);
  for (std::vector<double>* x :
       {&mass_, &turn_, &radius_, &seen_.moves, &seen_.turns, &seen_.forces}) {
    x->assign(nodes, 0.0);
  }
  reached_ = seen_;
}

void MotionSizes::measure(const PartSizes& parts, const linalg::SparseMatrix& M) {
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    const Node& node = system_->nodes()[i];
    mass_[i] = turn_[i] = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      double& largest = group_[u] % 2 == 0 ? mass_[i] : turn_[i];
      largest = std::max(largest, M.coeff(u, u));
    }
    radius_[i] = mass_[i] > 0.0 ? std::sqrt(turn_[i] / mass_[i]) : 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const PartSize& part = parts.of(u);
      const bool isMove = group_[u] % 2 == 0;
      const double own = isMove ? mass_[i] : turn_[i];
      inertia_[u] = own > 0.0 ? own : part.mass * (isMove ? 1.0 : part.length * part.length);
    }
  }
  for (std::size_t k = 0; k < multipliers_.size(); ++k) {
    for (int a = firstJoined_[k]; a < firstJoined_[k + 1]; ++a) {
      for (int b = firstJoined_[k]; b < firstJoined_[k + 1]; ++b) {
        if (a != b) joinNodes(joined_[a], joined_[b]);
      }
    }
  }
}

// The force that accelerates a node acts on those that it is joined to.
void MotionSizes::joinNodes(int node, int other) {
  for (const int kind : {0, 1}) {
    const std::vector<double>& mass = kind == 0 ? mass_ : turn_;
    const double sum = mass[node] + mass[other];
    const int k = findLink(2 * node + kind, 2 * other + kind);
    if (sum > 0.0) links_[k].joint = mass[other] / sum;
  }
}

int MotionSizes::findLink(int group, int other) const {
  const auto end = links_.begin() + firstLink_[group + 1];
  const auto link = std::lower_bound(links_.begin() + firstLink_[group], end, other,
                                     [](const Link& a, int b) { return a.other < b; });
  return link != end && link->other == other ? static_cast<int>(link - links_.begin()) : -1;
}

// The largest of the rows of a group.
void MotionSizes::couple(const linalg::SparseMatrix& S) {
  for (Link& link : links_) link.share = link.joint;
  for (int u = 0; u < static_cast<int>(group_.size()); ++u) {
    if (group_[u] >= 0) diagonal_[u] = std::abs(S.coeff(u, u));
  }
  for (int column = 0; column < S.cols(); ++column) {
    if (group_[column] < 0) continue;
    for (linalg::SparseMatrix::InnerIterator entry(S, column); entry; ++entry) {
      const auto row = static_cast<int>(entry.row());
      if (group_[row] < 0 || group_[row] == group_[column] || !(diagonal_[row] > 0.0)) continue;
      const int k = findLink(group_[row], group_[column]);
      if (k >= 0)
        links_[k].share = std::max(links_[k].share, std::abs(entry.value()) / diagonal_[row]);
    }
  }
  normalize();
}

// A node that two others hold moves as they do: together they count as much as one that alone would hold it.
void MotionSizes::normalize() {
  for (int g = 0; g + 1 < static_cast<int>(firstLink_.size()); ++g) {
    double sum = 0.0, most = 0.0;
    for (int k = firstLink_[g]; k < firstLink_[g + 1]; ++k) {
      if (!isSameKind(g, links_[k].other)) continue;
      sum += links_[k].share;
      most = std::max(most, links_[k].share);
    }
    if (!(most > 0.0)) continue;
    const double factor = std::min(sum, 1.0) / most;
    for (int k = firstLink_[g]; k < firstLink_[g + 1]; ++k) {
      if (isSameKind(g, links_[k].other)) links_[k].share *= factor;
    }
  }
}

// Along chains of nodes, in both directions; from moves to turns and back at once only, so that nothing grows on its way.
void MotionSizes::spread(const Seen& seen) {
  const auto groups = static_cast<int>(groupSize_.size());
  const auto own = [&](int g) { return g % 2 == 0 ? seen.moves[g / 2] : seen.turns[g / 2]; };
  for (int g = 0; g < groups; ++g) {
    groupSize_[g] = own(g);
    for (int k = firstLink_[g]; k < firstLink_[g + 1]; ++k) {
      const int other = links_[k].other;
      if (!isSameKind(g, other))
        groupSize_[g] = std::max(groupSize_[g], links_[k].share * own(other));
    }
  }
  const auto take = [&](int g) {
    for (int k = firstLink_[g]; k < firstLink_[g + 1]; ++k) {
      const int other = links_[k].other;
      if (isSameKind(g, other))
        groupSize_[g] = std::max(groupSize_[g], links_[k].share * groupSize_[other]);
    }
  };
  for (int g = 0; g < groups; ++g) take(g);
  for (int g = groups - 1; g >= 0; --g) take(g);
}

void MotionSizes::look(const Motion& motion, double kept, Seen& seen) const {
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    const Node& node = system_->nodes()[i];
    double moves = 0.0, turns = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      const double a = motion.acceleration[u];
      (group_[u] % 2 == 0 ? moves : turns) += a * a;
    }
    seen.moves[i] = std::max(kept * seen.moves[i], std::sqrt(moves));
    seen.turns[i] = std::max(kept * seen.turns[i], std::sqrt(turns));
    seen.forces[i] *= kept;
  }
  for (std::size_t k = 0; k < multipliers_.size(); ++k) {
    const int u = multipliers_[k];
    const double force = std::abs(motion.gradient[u] * motion.state.value[u]);
    for (int j = firstJoined_[k]; j < firstJoined_[k + 1]; ++j) {
      seen.forces[joined_[j]] = std::max(seen.forces[joined_[j]], force);
    }
  }
}

void MotionSizes::refresh(const PartSizes& parts, const Motion& motion, const Seen& seen) {
  const double gravity = system_->gravity().norm();
  spread(seen);
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    const Node& node = system_->nodes()[i];
    if (node.count == 0) continue;
    const PartSize& part = parts.of(node.firstUnknown);
    double& move = groupSize_[2 * i];
    double& turn = groupSize_[2 * i + 1];
    const double mass = mass_[i] > 0.0 ? mass_[i] : part.mass;
    const double held = mass > 0.0 ? kHeld * seen.forces[i] / (motion.forceShare * mass) : 0.0;
    move = std::max({move, gravity, held, kTinyMove * part.length / (motion.step * motion.step)});
    turn = std::max(turn, kOther * move / part.length);
    move = std::max(move, kOther * turn * radius_[i]);
  }
  for (std::size_t u = 0; u < group_.size(); ++u) {
    if (group_[u] >= 0) size_[u] = groupSize_[group_[u]];
  }
  sizeForces(parts, motion.forceShare, seen);
}

// A joint passes on what the body needs that needs less.
void MotionSizes::sizeForces(const PartSizes& parts, double forceShare, const Seen& seen) {
  for (std::size_t k = 0; k < multipliers_.size(); ++k) {
    const int u = multipliers_[k];
    const PartSize& part = parts.of(u);
    double least = 0.0, most = 0.0;
    for (int j = firstJoined_[k]; j < firstJoined_[k + 1]; ++j) {
      const int i = joined_[j];
      const double mass = mass_[i];
      const double inertial =
          mass * std::max(groupSize_[2 * i],
                          radius_[i] * radius_[i] * groupSize_[2 * i + 1] / part.length);
      const double force = std::max(seen.forces[i], forceShare * inertial);
      least = j == firstJoined_[k] ? force : std::min(least, force);
      most = std::max(most, force);
    }
    size_[u] = std::max(least, kHeld * most);
  }
}

double MotionSizes::calcKept(double time) {
  return std::pow(kKept, time);
}

void MotionSizes::follow(const PartSizes& parts, const Motion& motion, double time) {
  look(motion, calcKept(time), seen_);
  refresh(parts, motion, seen_);
}

void MotionSizes::include(const PartSizes& parts, const Motion& motion) {
  reached_ = seen_;
  look(motion, 1.0, reached_);
  refresh(parts, motion, reached_);
}

std::vector<double> MotionSizes::record() const {
  std::vector<double> numbers;
  for (const std::vector<double>* x : {&inertia_, &diagonal_, &mass_, &turn_, &radius_, &size_,
                                       &seen_.moves, &seen_.turns, &seen_.forces}) {
    numbers.insert(numbers.end(), x->begin(), x->end());
  }
  for (const Link& link : links_) numbers.insert(numbers.end(), {link.share, link.joint});
  return numbers;
}

const double* MotionSizes::restore(const double* next) {
  for (std::vector<double>* x : {&inertia_, &diagonal_, &mass_, &turn_, &radius_, &size_,
                                 &seen_.moves, &seen_.turns, &seen_.forces}) {
    for (double& number : *x) number = *next++;
  }
  for (Link& link : links_) {
    link.share = *next++;
    link.joint = *next++;
  }
  return next;
}

}  // namespace flexloop::solve
