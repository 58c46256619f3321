#include "system/system.hpp"

#include <algorithm>

namespace flexloop::system {

bool State::operator==(const State& other) const {
  const auto sameFrames = [](const math::Frame<double>& a, const math::Frame<double>& b) {
    return a.R == b.R && a.x == b.x;
  };
  return time == other.time && value == other.value && rate == other.rate &&
         acceleration == other.acceleration && algorithmic == other.algorithmic &&
         history == other.history && records == other.records &&
         std::equal(frames.begin(), frames.end(), other.frames.begin(), other.frames.end(),
                    sameFrames);
}

namespace {

const ScalarUnknown* findScalar(const std::vector<ScalarUnknown>& scalars, UnknownIndex u) {
  const auto it = std::lower_bound(scalars.begin(), scalars.end(), u,
                                   [](const ScalarUnknown& scalar, UnknownIndex wanted) {
                                     return scalar.index.value < wanted.value;
                                   });
  return it != scalars.end() && it->index == u ? &*it : nullptr;
}

}  // namespace

std::string System::nodeFreedom(UnknownIndex u) const {
  const auto it =
      std::upper_bound(nodes_.begin(), nodes_.end(), u.value,
                       [](int wanted, const Node& node) { return wanted < node.firstUnknown; });
  const Node* node = &*std::prev(it);
  // Held nodes share their first unknown with the next node that has any.
  while (node->count == 0) --node;
  return node->name + " " + freedomLabel(*node, u.value - node->firstUnknown);
}

std::string System::unknownName(UnknownIndex u) const {
  const ScalarUnknown* scalar = findScalar(scalars_, u);
  return scalar != nullptr ? scalar->name : "motion of " + nodeFreedom(u);
}

std::string System::equationName(UnknownIndex u) const {
  const ScalarUnknown* scalar = findScalar(scalars_, u);
  return scalar != nullptr ? scalar->equation : "balance of " + nodeFreedom(u);
}

void System::retract(const State& from, const Eigen::VectorXd& dq, State& to) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    to.frames[i] = system::retract(node, from.frames[i], dq.data() + node.firstUnknown);
  }
  addToScalars(from, dq, to);
}

void System::advance(const State& from, const Eigen::VectorXd& expected, const Eigen::VectorXd& dq,
                     State& to) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    to.frames[i] = system::advance(node, from.frames[i], expected.data() + node.firstUnknown,
                                   dq.data() + node.firstUnknown);
  }
  addToScalars(from, dq, to);
}

void System::addToScalars(const State& from, const Eigen::VectorXd& dq, State& to) const {
  // They are what lies between the freedoms of nodes.
  const auto add = [&](int first, int end) {
    const int count = end - first;
    to.value.segment(first, count) = from.value.segment(first, count) + dq.segment(first, count);
  };
  int next = 0;
  for (const Node& node : nodes_) {
    if (node.firstUnknown > next) add(next, node.firstUnknown);
    next = node.firstUnknown + node.count;
  }
  add(next, unknowns());
}

}  // namespace flexloop::system
