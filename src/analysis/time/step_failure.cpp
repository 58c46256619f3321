#include "analysis/time/step_failure.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace flexloop::analysis {
namespace {

using system::Kind;

constexpr std::size_t kMostNames = 4;

bool isOf(const system::System& system, const system::ElementSet& set, int element, int unknown) {
  for (int k = 0; k < set.scalars(element); ++k) {
    if (set.scalar(element, k).value == unknown) return true;
  }
  for (int k = 0; k < set.nodes(element); ++k) {
    const system::Node& node = system.nodes()[set.node(element, k).value];
    if (unknown >= node.firstUnknown && unknown < node.firstUnknown + node.count) return true;
  }
  return false;
}

// The items whose elements use an unknown.
std::string listItems(const system::System& system, int unknown) {
  std::vector<std::string> names;
  for (const auto& set : system.sets()) {
    for (int e = 0; e < set->size() && names.size() < kMostNames; ++e) {
      const std::string& name = set->name(e);
      if (name.empty() || !isOf(system, *set, e, unknown)) continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

}  // namespace

base::Failure explainFailure(const system::System& system, const solve::StepReport& step,
                             double length) {
  if (step.worst < 0 || !step.failure->hint.empty()) return *step.failure;
  char shortest[48];
  std::snprintf(shortest, sizeof shortest, "; even steps of %.2g s do not converge", length);
  const std::string items = listItems(system, step.worst);
  std::string text = step.failure->message + shortest;
  if (!items.empty()) text += " (at work: " + items + ")";
  switch (system.kind(system::UnknownIndex{step.worst})) {
    case Kind::kMultiplier:
      return base::numericalFailure(
          text +
              ": the joint cannot be closed, as in a dead point, out of reach, or against another "
              "joint or drive",
          "the last state is recorded: look at it with 'flexloop view'; start or drive the "
          "machine away from poses in which its links lie in one line");
    case Kind::kState:
    case Kind::kSignal:
      return base::numericalFailure(
          text +
              ": its value jumps back and forth, as that of a function that switches by what it "
              "causes, or there is no solution",
          "blocks that switch (relay, switch, saturation) are located and may have a hysteresis, "
          "conditions inside of formulas are not; a lag or a delay opens the loop");
    case Kind::kMotion:
      break;
  }
  return base::numericalFailure(
      text + ": forces jump with the motion, or are far too stiff for the steps",
      "the last state is recorded: look at it with 'flexloop view'; use a smaller step, a smoother "
      "force law, or blocks that switch (relay, switch, saturation), which are located, in place "
      "of conditions inside of formulas");
}

}  // namespace flexloop::analysis
