#include "analysis/time/step_failure.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text_format.hpp"

namespace flexloop::analysis {
namespace {

using system::Kind;

constexpr std::size_t kMostNames = 4;
// Answers to a disturbance, where one is what inertia gives; and stiffnesses over inertia.
constexpr double kNearlySingular = 1e4;
constexpr double kFarTooStiff = 1e2;

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

// (27.4)
base::Failure explainJoint(const std::string& text, const solve::StepTrouble& trouble) {
  const std::string cannot = text + ": the joint cannot be closed";
  if (trouble.isKnown && trouble.answer < kNearlySingular) {
    return base::numericalFailure(
        cannot +
            base::formatText(", although its equation is regular (an error of it changes its "
                             "force by a factor of %.1g)",
                             trouble.answer) +
            ": another joint or drive may be in conflict with it, or what drives it jumps",
        "the last state is recorded: inspect it with 'flexloop view'; look at what drives the "
        "joint at that time");
  }
  std::string singular;
  if (trouble.isKnown && std::isfinite(trouble.answer))
    singular =
        base::formatText(", and its equation is nearly singular (by %.1g)", 1.0 / trouble.answer);
  return base::numericalFailure(
      cannot + singular +
          ": it may be at a dead point, out of reach, or in conflict with another joint or drive",
      "the last state is recorded: inspect it with 'flexloop view'; keep the machine away from "
      "poses in which its links are aligned");
}

base::Failure explainMotion(const std::string& text, const solve::StepTrouble& trouble) {
  const std::string inspect = "the last state is recorded: inspect it with 'flexloop view'; ";
  if (trouble.isKnown && trouble.answer > kNearlySingular) {
    return base::numericalFailure(
        text + base::formatText(": its equation is nearly singular (by %.1g), since forces that "
                                "grow with the motion cancel the inertia",
                                1.0 / trouble.answer),
        inspect + "check the signs of stiffnesses and feedback there, or use a smaller step");
  }
  const std::string smooth =
      "use a smoother force law, or blocks that switch (relay, switch, saturation), whose events "
      "are located, instead of conditions in formulas";
  if (trouble.isKnown && trouble.stiffness > kFarTooStiff) {
    return base::numericalFailure(
        text + base::formatText(": forces are far too stiff for the step, %.1g times as stiff as "
                                "the inertia is in it, and not smooth",
                                trouble.stiffness),
        inspect + "use a smaller step or a softer spring; " + smooth);
  }
  return base::numericalFailure(text + ": forces jump with the motion", inspect + smooth);
}

}  // namespace

base::Failure explainFailure(const system::System& system, const solve::StepReport& step,
                             double length, const solve::StepTrouble& trouble) {
  if (step.worst < 0 || !step.failure->hint.empty()) return *step.failure;
  const std::string shortest = base::formatText("; even steps of %.2g s do not converge", length);
  const std::string items = listItems(system, step.worst);
  std::string text = step.failure->message + shortest;
  if (!items.empty()) text += " (acting there: " + items + ")";
  switch (system.kind(system::UnknownIndex{step.worst})) {
    case Kind::kMultiplier:
      return explainJoint(text, trouble);
    case Kind::kState:
      return base::numericalFailure(
          text +
              ": its rate jumps back and forth, or grows so fast with its value that this becomes "
              "infinite within the step",
          "look at the last values with 'flexloop view' or 'flexloop plot': where a value grows, "
          "check the sign of its feedback; where its rate jumps, use blocks that switch (relay, "
          "switch, saturation), whose events are located, instead of conditions in formulas");
    case Kind::kSignal:
      return base::numericalFailure(
          text +
              ": its value jumps back and forth, like that of a function that switches because of "
              "its own effect, or there is no solution",
          "use blocks that switch (relay, switch, saturation), whose events are located and which "
          "may have hysteresis, instead of conditions in formulas; or open the loop with a lag or "
          "a delay");
    case Kind::kMotion:
      return explainMotion(text, trouble);
  }
  return *step.failure;
}

}  // namespace flexloop::analysis
