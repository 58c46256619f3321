#include "solve/time/motion_reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/disjoint_sets.hpp"

namespace flexloop::solve {
namespace {

using system::Kind;
using system::Node;
using system::UnknownIndex;

// Digits of a position, in units of its last place, from which errors cannot be distinguished.
constexpr double kFloor = 16.0 * std::numeric_limits<double>::epsilon();

bool isMechanical(Kind kind) {
  return kind == Kind::kMotion || kind == Kind::kMultiplier;
}

}  // namespace

std::vector<int> findParts(const system::System& system, const linalg::SparseMatrix& pattern) {
  const std::vector<Kind>& kinds = system.kinds();
  base::DisjointSets sets(static_cast<int>(kinds.size()));
  for (int column = 0; column < pattern.cols(); ++column) {
    if (!isMechanical(kinds[column])) continue;
    for (linalg::SparseMatrix::InnerIterator entry(pattern, column); entry; ++entry) {
      if (isMechanical(kinds[entry.row()])) {
        sets.join(static_cast<int>(entry.row()), column);
      }
    }
  }
  for (const Node& node : system.nodes()) {
    for (int k = 1; k < node.count; ++k) sets.join(node.firstUnknown + k, node.firstUnknown);
  }
  std::vector<int> ofRoot(kinds.size(), -1), part(kinds.size(), -1);
  int count = 0;
  for (int u = 0; u < static_cast<int>(kinds.size()); ++u) {
    if (!isMechanical(kinds[u])) continue;
    int& index = ofRoot[sets.findRoot(u)];
    if (index < 0) index = count++;
    part[u] = index;
  }
  return part;
}

void MotionReach::begin(const system::System& system, const linalg::SparseMatrix& pattern,
                        const linalg::SparseMatrix& M, const Eigen::VectorXd& moves,
                        const Eigen::VectorXd& turns, const system::State& state) {
  system_ = &system;
  start_ = state.frames;
  setParts(pattern);
  measureParts(M, moves, turns);
  relative_.begin(system, part_, start_);
  add(state);
}

void MotionReach::setParts(const linalg::SparseMatrix& pattern) {
  part_ = findParts(*system_, pattern);
  const auto last = std::max_element(part_.begin(), part_.end());
  parts_.assign(last == part_.end() ? 0 : *last + 1, {});
}

void MotionReach::measureParts(const linalg::SparseMatrix& M, const Eigen::VectorXd& moves,
                               const Eigen::VectorXd& turns) {
  std::vector<const math::Frame<double>*> first(parts_.size(), nullptr);
  for (std::size_t i = 0; i < system_->nodes().size(); ++i) {
    const Node& node = system_->nodes()[i];
    if (node.count == 0) continue;
    const int p = part_[node.firstUnknown];
    if (first[p] == nullptr) first[p] = &start_[i];
    double mass = 0.0, inertia = 0.0;
    for (int u = node.firstUnknown; u < node.firstUnknown + node.count; ++u) {
      double& largest = system_->isRotation(UnknownIndex{u}) ? inertia : mass;
      largest = std::max(largest, M.coeff(u, u));
    }
    const double radius = mass > 0.0 ? std::sqrt(inertia / mass) : 0.0;
    parts_[p].size = std::max({parts_[p].size, radius, (start_[i].x - first[p]->x).norm()});
  }
  for (int u = 0; u < moves.size(); ++u) {
    if (part_[u] < 0 || system_->kinds()[u] != Kind::kMultiplier || moves[u] <= 0.0) continue;
    parts_[part_[u]].size = std::max(parts_[part_[u]].size, turns[u] / moves[u]);
  }
}

// Of a turn, the chord of its angle, up to one: far turns are judged in radians.
void MotionReach::raise(const system::State& state, std::vector<Part>& parts) const {
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const Node& node = system_->nodes()[i];
    if (node.count == 0) continue;
    Part& part = parts[part_[node.firstUnknown]];
    const math::Frame<double>& now = state.frames[i];
    const double turn = std::min((now.R - start_[i].R).norm() / std::sqrt(2.0), 1.0);
    const double far = std::max((now.x - start_[i].x).norm(), turn * part.size);
    part.turn = std::max(part.turn, turn);
    part.place = std::max(part.place, now.x.norm());
    // Beyond its own size a part is carried along, and its motions are not those of the way.
    part.reach = std::max(part.reach, part.size > 0.0 ? std::min(far, part.size) : far);
  }
}

void MotionReach::add(const system::State& state) {
  raise(state, parts_);
  relative_.add(state);
}

double MotionReach::judge(const system::State& trial, const Eigen::VectorXd& errors) const {
  trial_ = parts_;
  raise(trial, trial_);
  double largest = 0.0;
  for (int u = 0; u < errors.size(); ++u) {
    if (system_->kinds()[u] != Kind::kMotion) continue;
    const Part& part = trial_[part_[u]];
    const bool isTurn = system_->isRotation(UnknownIndex{u});
    const double error = std::abs(errors[u]) - kFloor * (isTurn ? 1.0 : part.place);
    if (error <= 0.0) continue;
    // A part without a size, such as a rotor on its axis, has turns and nothing to compare them with.
    const bool isAlone = isTurn && part.size == 0.0;
    const double share =
        isAlone ? error / part.turn : error * (isTurn ? part.size : 1.0) / part.reach;
    // An error that is no number is larger than any.
    largest = share <= largest ? largest : share;
  }
  return largest;
}

void MotionReach::restore(const system::System& system, const linalg::SparseMatrix& pattern,
                          const Record& record) {
  system_ = &system;
  start_ = record.start;
  setParts(pattern);
  if (start_.size() != system.nodes().size() || record.parts.size() != parts_.size()) {
    throw std::invalid_argument("the reach of another machine");
  }
  parts_ = record.parts;
  relative_.begin(system, part_, start_);
  relative_.restore(record.groups);
}

}  // namespace flexloop::solve
