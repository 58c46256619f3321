#include "model/start/joint_ties.hpp"

#include <algorithm>

namespace flexloop::model {

using system::Item;

namespace {

// A damper pulls at nothing that rests, wherever that is.
bool hasStiffness(const Item& item) {
  if (item.has("stiffness_matrix")) return item.matrix("stiffness_matrix").cwiseAbs().sum() > 0.0;
  if (!item.has("stiffness")) return false;
  const std::vector<double> stiffness = item.numbers("stiffness");
  return std::any_of(stiffness.begin(), stiffness.end(), [](double k) { return k != 0.0; });
}

}  // namespace

JointTies::JointTies(const Description& description, const system::Builder& builder,
                     const system::System& system)
    : system_(system), neighbours_(system.nodes().size()) {
  for (const Item& item : description.items) {
    const bool isJoint = item.section() == "joints" && !isCommanded(item);
    const bool isFlexible = item.section() == "beams" || item.section() == "parts";
    if (isJoint || isFlexible) addTies(item.section(), item.name(), isJoint, builder);
    if (item.section() == "springs" && hasStiffness(item)) addSpring(item, builder);
  }
}

void JointTies::addTies(const std::string& section, const std::string& name, bool isJoint,
                        const system::Builder& builder) {
  const auto* attachment = builder.findAttachment(section, name);
  if (attachment == nullptr || attachment->set == nullptr) return;
  for (int e = attachment->element; e < attachment->element + attachment->count; ++e) {
    for (int k = 1; k < attachment->set->nodes(e); ++k) {
      const int a = attachment->set->node(e, 0).value, b = attachment->set->node(e, k).value;
      const int tie = static_cast<int>(ties_.size());
      ties_.push_back({a, b, name, isJoint});
      neighbours_[a].push_back({b, tie});
      neighbours_[b].push_back({a, tie});
    }
  }
}

void JointTies::addSpring(const Item& item, const system::Builder& builder) {
  const auto* attachment = builder.findAttachment("springs", item.name());
  if (attachment == nullptr || attachment->set->nodes(attachment->element) != 2) return;
  const int a = attachment->set->node(attachment->element, 0).value;
  const int b = attachment->set->node(attachment->element, 1).value;
  springs_.emplace_back(a, b);
  neighbours_[a].push_back({b, -1});
  neighbours_[b].push_back({a, -1});
}

// Adds to `reached` what is tied to a node that is not in it, but nothing through what cannot move; the nodes in turn.
std::vector<int> JointTies::flood(const std::string& joint, int from, bool withSprings,
                                  std::vector<bool>& reached) const {
  std::vector<int> found{from};
  reached[from] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const int at = found[i];
    if (isHeld(at) && at != from) continue;
    for (const auto& [next, tie] : neighbours_[at]) {
      const bool isSpring = tie < 0;
      if (isSpring ? !withSprings : ties_[tie].isJoint && ties_[tie].name == joint) continue;
      if (reached[next]) continue;
      reached[next] = true;
      found.push_back(next);
    }
  }
  return found;
}

std::vector<bool> JointTies::findMoved(const std::string& joint, int end, int other,
                                       const std::vector<bool>& stuck, bool bySprings) const {
  const auto stays = [&](const std::vector<int>& nodes) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](int n) { return isHeld(n) || n == other || stuck[n]; });
  };
  std::vector<bool> tied(system_.nodes().size(), false);
  if (stays(flood(joint, end, false, tied))) return {};
  if (!bySprings) return tied;
  std::vector<bool> moved = tied;
  for (const auto& [a, b] : springs_) {
    const int outside = tied[a] ? b : a;
    if (tied[a] == tied[b] || moved[outside]) continue;
    std::vector<bool> reached = tied;
    const std::vector<int> hanging = flood(joint, outside, true, reached);
    if (stays(hanging)) continue;
    for (const int n : hanging) moved[n] = true;
  }
  return moved;
}

}  // namespace flexloop::model
