#include "solve/time/relative_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <Eigen/Eigenvalues>

#include "base/disjoint_sets.hpp"

namespace flexloop::solve {
namespace {

using math::cross;
using system::Kind;
using system::Node;
using system::State;
using Vec3 = math::Vec3<double>;
using Mat3 = math::Mat3<double>;

// Digits of a position, in units of its last place, from which errors cannot be distinguished.
constexpr double kFloor = 16.0 * std::numeric_limits<double>::epsilon();
// Of the size of a group, or of a radian: from there on it has no frame that moves along.
constexpr double kFar = 0.1;
// Share of the largest inertia about an axis: less is none.
constexpr double kNoInertia = 1e-9;
constexpr int kFits = 3;  // by places, by rotations and by both
constexpr int kMostTurns = 30;
constexpr double kNoTurn = 1e-14, kSmallTurn = 1e-8;  // [rad]

bool hasConstraints(const system::System& system, const system::ElementSet& set, int e) {
  for (int k = 0; k < set.scalars(e); ++k) {
    if (system.kinds()[set.scalar(e, k).value] == Kind::kMultiplier) return true;
  }
  return false;
}

// Pairs of nodes that a joint connects.
std::set<std::pair<int, int>> findJointed(const system::System& system) {
  std::set<std::pair<int, int>> pairs;
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      if (set->nodes(e) != 2 || !hasConstraints(system, *set, e)) continue;
      pairs.insert(std::minmax(set->node(e, 0).value, set->node(e, 1).value));
    }
  }
  return pairs;
}

// By node, one number for all that springs and beams connect; the ground connects nothing.
std::vector<int> findElastic(const system::System& system,
                             const std::set<std::pair<int, int>>& without) {
  base::DisjointSets sets(static_cast<int>(system.nodes().size()));
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size(); ++e) {
      if (set->scalars(e) > 0) continue;
      for (int k = 1; k < set->nodes(e); ++k) {
        const int a = set->node(e, 0).value, b = set->node(e, k).value;
        if (system.nodes()[a].count == 0 || system.nodes()[b].count == 0) continue;
        if (!without.contains(std::minmax(a, b))) sets.join(a, b);
      }
    }
  }
  std::vector<int> groups;
  for (int i = 0; i < static_cast<int>(system.nodes().size()); ++i) {
    groups.push_back(sets.findRoot(i));
  }
  return groups;
}

Mat3 invertWhereRegular(const Mat3& J) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(J);
  Mat3 inverse = Mat3::Zero();
  for (int k = 0; k < 3; ++k) {
    if (solver.eigenvalues()[k] <= kNoInertia * solver.eigenvalues()[2]) continue;
    const Vec3 axis = solver.eigenvectors().col(k);
    inverse += axis * axis.transpose() / solver.eigenvalues()[k];
  }
  return inverse;
}

}  // namespace

void RelativeMotion::begin(const system::System& system, const std::vector<int>& parts,
                           const std::vector<math::Frame<double>>& start) {
  system_ = &system;
  groups_.clear();
  std::vector<int> byPart;
  for (const Node& node : system.nodes()) {
    byPart.push_back(node.count == 0 ? -1 : parts[node.firstUnknown]);
  }
  layers_ = 0;
  for (const std::vector<int>& groupOf :
       {byPart, findElastic(system, {}), findElastic(system, findJointed(system))}) {
    addGroups(layers_, groupOf, parts, start);
    layers_ += kFits;
  }
  errors_.assign(layers_, 0.0);
  from_.resize(system.nodes().size());
  to_.resize(system.nodes().size());
}

void RelativeMotion::addGroups(int layer, const std::vector<int>& groupOf,
                               const std::vector<int>& parts,
                               const std::vector<math::Frame<double>>& start) {
  std::map<int, std::vector<int>> members;
  for (int i = 0; i < static_cast<int>(groupOf.size()); ++i) {
    if (system_->nodes()[i].count > 0) members[groupOf[i]].push_back(i);
  }
  for (const auto& [group, nodes] : members) {
    if (nodes.size() < 2) continue;
    const auto isSame = [&nodes = nodes](const Group& other) {
      return std::equal(nodes.begin(), nodes.end(), other.members.begin(), other.members.end(),
                        [](int node, const Member& member) { return node == member.node; });
    };
    if (std::any_of(groups_.begin(), groups_.end(), isSame)) continue;
    addFits(layer, nodes, parts[system_->nodes()[nodes.front()].firstUnknown], start);
  }
}

void RelativeMotion::addFits(int layer, const std::vector<int>& nodes, int part,
                             const std::vector<math::Frame<double>>& start) {
  Group group;
  group.part = part;
  group.Q = Mat3::Identity();
  int turning = 0;
  Vec3 mean = Vec3::Zero();
  for (const int i : nodes) {
    const Node& node = system_->nodes()[i];
    const bool moves = node.translations() > 0, turns = node.count > node.translations();
    group.members.push_back({i, start[i].x, start[i].R, moves, turns, Vec3::Zero(), Vec3::Zero()});
    if (moves) mean += start[i].x;
    group.moving += moves ? 1 : 0;
    turning += turns ? 1 : 0;
  }
  if (group.moving > 0) mean /= group.moving;
  Mat3 inertia = Mat3::Zero();
  for (Member& member : group.members) {
    member.place -= mean;
    if (!member.moves) continue;
    const Vec3& r = member.place;
    group.size = std::max(group.size, 2.0 * r.norm());
    inertia += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
  }
  const auto add = [&](int fit, double moveWeight, double turnWeight) {
    group.layer = layer + fit;
    group.moveWeight = moveWeight;
    group.turnWeight = turnWeight;
    group.inverse =
        invertWhereRegular(moveWeight * inertia + turnWeight * turning * Mat3::Identity());
    groups_.push_back(group);
  };
  if (group.moving > 1) add(0, 1.0, 0.0);
  if (turning > 1) add(1, 0.0, 1.0);
  if (group.moving > 1 && turning > 0 && group.size > 0.0) add(2, 1.0, group.size * group.size);
}

void RelativeMotion::calcKinematics(const State& state, std::vector<Kinematics>& nodes) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = system_->nodes()[i];
    if (node.count == 0) continue;
    math::Vec6<double> twist, rate;
    system::calcTwist(node, state.frames[i], state.rate.data() + node.firstUnknown,
                      state.acceleration.data() + node.firstUnknown, twist, rate);
    const Mat3& R = state.frames[i].R;
    const Vec3 v = twist.head<3>(), omega = twist.tail<3>();
    nodes[i] = {state.frames[i].x, R * v, R * (rate.head<3>() + cross<double>(omega, v)), R * omega,
                R * rate.tail<3>()};
  }
}

RelativeMotion::Vec3 RelativeMotion::findMean(const Group& group, const State& state) {
  Vec3 mean = Vec3::Zero();
  for (const Member& member : group.members) {
    if (member.moves) mean += state.frames[member.node].x;
  }
  return group.moving > 0 ? Vec3(mean / group.moving) : mean;
}

// (9.22), from a frame that is near.
void RelativeMotion::fit(const Group& group, const State& state, Mat3& Q) {
  const Vec3 c = findMean(group, state);
  double previous = 1.0;
  for (int k = 0; k < kMostTurns; ++k) {
    Vec3 left = Vec3::Zero();
    for (const Member& member : group.members) {
      const math::Frame<double>& now = state.frames[member.node];
      if (group.moveWeight > 0.0 && member.moves) {
        const Vec3 r = Q.transpose() * (now.x - c);
        left += group.moveWeight * cross<double>(member.place, r);
      }
      if (group.turnWeight > 0.0 && member.turns) {
        left +=
            group.turnWeight * math::axial<double>(Q.transpose() * now.R * member.R.transpose());
      }
    }
    const Vec3 turn = group.inverse * left;
    Q = Q * math::expSO3<double>(turn);
    const double size = turn.norm();
    const bool isStalled = size <= kSmallTurn && size > 0.5 * previous;
    if (!(size > kNoTurn) || isStalled) return;
    previous = size;
  }
}

// The same J gives how the frame turns and how that changes.
RelativeMotion::Frame RelativeMotion::calcFrame(const Group& group,
                                                const std::vector<Kinematics>& nodes,
                                                const Mat3& Q) {
  Frame frame{Q, Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  for (const Member& member : group.members) {
    if (!member.moves) continue;
    const Kinematics& node = nodes[member.node];
    frame.c += node.x / group.moving;
    frame.v += node.v / group.moving;
    frame.a += node.a / group.moving;
  }
  Vec3 omega = Vec3::Zero();
  for (const Member& member : group.members) {
    const Kinematics& node = nodes[member.node];
    if (member.moves) {
      omega += group.moveWeight * cross<double>(member.place, Q.transpose() * (node.v - frame.v));
    }
    if (member.turns) omega += group.turnWeight * (Q.transpose() * node.omega);
  }
  frame.omega = Q * (group.inverse * omega);
  Vec3 alpha = Vec3::Zero();
  for (const Member& member : group.members) {
    const Kinematics& node = nodes[member.node];
    if (member.moves) {
      const Vec3 r = node.x - frame.c;
      const Vec3 relative = node.v - frame.v - cross<double>(frame.omega, r);
      const Vec3 a = node.a - frame.a - cross<double>(frame.omega, cross<double>(frame.omega, r)) -
                     2.0 * cross<double>(frame.omega, relative);
      alpha += group.moveWeight * cross<double>(member.place, Q.transpose() * a);
    }
    if (member.turns) {
      const Vec3 a = node.alpha - cross<double>(frame.omega, node.omega);
      alpha += group.turnWeight * (Q.transpose() * a);
    }
  }
  frame.alpha = Q * (group.inverse * alpha);
  return frame;
}

double RelativeMotion::calcReach(const Group& group, const State& state, const Mat3& Q) {
  const Vec3 c = findMean(group, state);
  double reach = 0.0;
  for (const Member& member : group.members) {
    const math::Frame<double>& now = state.frames[member.node];
    if (!group.isTurn() && member.moves) {
      reach = std::max(reach, (Q.transpose() * (now.x - c) - member.place).norm());
    }
    if (group.isTurn() && member.turns) {
      reach = std::max(reach, (now.R * member.R.transpose() - Q).norm() / std::sqrt(2.0));
    }
  }
  return reach;
}

void RelativeMotion::add(const State& state) {
  for (Group& group : groups_) {
    fit(group, state, group.Q);
    group.reach = std::max(group.reach, calcReach(group, state, group.Q));
    for (const Member& member : group.members) {
      group.place = std::max(group.place, state.frames[member.node].x.norm());
    }
  }
}

bool RelativeMotion::isFar(const Group& group, double reach) {
  if (group.isTurn()) return reach > kFar;
  return group.size > 0.0 && reach > kFar * group.size;
}

void RelativeMotion::compare(const State& from, const State& to, double factor,
                             const std::vector<OpenAccelerations>& open) {
  std::fill(errors_.begin(), errors_.end(), 0.0);
  if (groups_.empty()) return;
  calcKinematics(from, from_);
  calcKinematics(to, to_);
  for (Group& group : groups_) {
    compareGroup(from, to, group);
    const double share = judgeGroup(group, factor, open[group.part]);
    double& largest = errors_[group.layer];
    largest = share <= largest ? largest : share;
  }
}

// (9.23)
void RelativeMotion::compareGroup(const State& from, const State& to, Group& group) {
  group.now = 0.0;
  if (isFar(group, group.reach)) return;
  const Frame first = calcFrame(group, from_, group.Q);
  const Vec3 turn = (to.time - from.time) * first.omega;
  Mat3 Q = math::expSO3<double>(turn) * group.Q;
  fit(group, to, Q);
  const double reach = std::max(group.reach, calcReach(group, to, Q));
  if (isFar(group, reach)) return;
  group.now = reach;
  group.frame = calcFrame(group, to_, Q);
  const Frame& last = group.frame;
  const auto calcMove = [](const Frame& frame, const Kinematics& node) {
    const Vec3 r = node.x - frame.c;
    const Vec3 v = node.v - frame.v - cross<double>(frame.omega, r);
    const Vec3 a = node.a - frame.a - cross<double>(frame.alpha, r) -
                   cross<double>(frame.omega, cross<double>(frame.omega, r)) -
                   2.0 * cross<double>(frame.omega, v);
    return Vec3(frame.Q.transpose() * a);
  };
  const auto calcTurn = [](const Frame& frame, const Kinematics& node) {
    const Vec3 a = node.alpha - frame.alpha - cross<double>(frame.omega, node.omega);
    return Vec3(frame.Q.transpose() * a);
  };
  for (Member& member : group.members) {
    const Kinematics &before = from_[member.node], &after = to_[member.node];
    member.move = member.turn = Vec3::Zero();
    if (!group.isTurn() && member.moves) {
      member.move = Q * (calcMove(last, after) - calcMove(first, before));
    }
    if (member.turns) {
      member.turn = Q * (calcTurn(last, after) - calcTurn(first, before));
    }
  }
}

// What is the same for all nodes as if they were one body, by (9.22).
void RelativeMotion::removeRigid(Group& group) const {
  const Mat3& Q = group.frame.Q;
  Vec3 mean = Vec3::Zero(), turn = Vec3::Zero();
  for (const Member& member : group.members) {
    if (member.moves) mean += member.move / group.moving;
  }
  for (const Member& member : group.members) {
    if (member.moves) {
      turn += group.moveWeight * cross<double>(member.place, Q.transpose() * (member.move - mean));
    }
    if (member.turns) turn += group.turnWeight * (Q.transpose() * member.turn);
  }
  turn = Q * (group.inverse * turn);
  for (Member& member : group.members) {
    const Vec3 r = to_[member.node].x - group.frame.c;
    if (member.moves) member.move -= mean + cross<double>(turn, r);
    if (member.turns) member.turn -= turn;
  }
}

double RelativeMotion::judgeGroup(const Group& group, double factor,
                                  const OpenAccelerations& open) {
  const double digits = kFloor * (group.isTurn() ? 1.0 : std::max(group.place, group.size));
  if (group.now <= digits) return 0.0;
  double largest = 0.0;
  for (const Member& member : group.members) {
    const double change =
        group.isTurn() ? member.turn.norm() - open.rotation : member.move.norm() - open.translation;
    const double share = (factor * change - digits) / group.now;
    // An error that is no number is larger than any.
    largest = share <= largest ? largest : share;
  }
  return largest;
}

void RelativeMotion::write(int layer, const State& to, Eigen::VectorXd& changes) const {
  changes.setZero(system_->unknowns());
  for (const Group& group : groups_) {
    if (group.layer != layer || group.now == 0.0) continue;
    for (const Member& member : group.members) {
      const Node& node = system_->nodes()[member.node];
      const math::Frame<double>& frame = to.frames[member.node];
      math::Vec6<double> inBody;
      inBody << frame.R.transpose() * member.move, frame.R.transpose() * member.turn;
      changes.segment(node.firstUnknown, node.count) =
          (system::calcMap(node, frame).transpose() * inBody).head(node.count);
    }
  }
}

double RelativeMotion::judge(int layer, const State& to, const Eigen::VectorXd& changes,
                             double factor, const std::vector<OpenAccelerations>& open) {
  double largest = 0.0;
  for (Group& group : groups_) {
    if (group.layer != layer || group.now == 0.0) continue;
    for (Member& member : group.members) {
      const Node& node = system_->nodes()[member.node];
      const math::Frame<double>& frame = to.frames[member.node];
      const math::Vec6<double> inBody = system::calcMap(node, frame).leftCols(node.count) *
                                        changes.segment(node.firstUnknown, node.count);
      member.move = frame.R * inBody.head<3>();
      member.turn = frame.R * inBody.tail<3>();
    }
    removeRigid(group);
    const double share = judgeGroup(group, factor, open[group.part]);
    largest = share <= largest ? largest : share;
  }
  return largest;
}

std::vector<GroupReach> RelativeMotion::record() const {
  std::vector<GroupReach> groups;
  for (const Group& group : groups_) groups.push_back({group.Q, group.reach, group.place});
  return groups;
}

void RelativeMotion::restore(const std::vector<GroupReach>& groups) {
  if (groups.size() != groups_.size()) throw std::invalid_argument("groups of another machine");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups_[i].Q = groups[i].Q;
    groups_[i].reach = groups[i].reach;
    groups_[i].place = groups[i].place;
  }
}

}  // namespace flexloop::solve
