#include "analysis/time/growth_diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "analysis/modes/mode_analysis.hpp"
#include "analysis/modes/mode_description.hpp"
#include "control/blocks/block_set.hpp"

namespace flexloop::analysis {
namespace {

// Between the rate of a run and that of its mode, which is linearised where the motion is already large.
constexpr double kSameRate = 1.5;
constexpr std::size_t kMostNames = 3;
// Doublings of a growth without bound: up to the end of a run, up to a step that has no solution, and where no mode of
// the linearised machine explains it.
constexpr int kFewestDoublings = 10, kFewestBeforeFailure = 4, kAbsurdDoublings = 30;
// Of the damping ratio: what feeds the mode.
constexpr double kFeeds = 1e-3;

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string listNames(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

void addName(const std::string& name, std::vector<std::string>& names) {
  if (names.size() == kMostNames || std::find(names.begin(), names.end(), name) != names.end())
    return;
  names.push_back(name);
}

class Diagnosis {
 public:
  Diagnosis(const model::Model& model, const Growth& growth, const system::State& state,
            double until)
      : model_(model), state_(state), until_(until) {
    report_.growth = growth;
    report_.linearizedAt = state.time;
  }

  GrowthReport make() {
    const Mode mode = findMode();
    if (report_.hasMode) describe(mode);
    writeText();
    writeHint();
    return std::move(report_);
  }

 private:
  // Of those that grow, the one whose rate is nearest to that of the run.
  Mode findMode() {
    Mode nearest;
    try {
      const ModeResult result = findModes(model_, state_, {});
      isLinearized_ = result.ok();
      isStable_ = result.ok() && result.verdict.isStable();
      for (const Mode& mode : result.modes) {
        if (mode.isStable()) continue;
        if (!report_.hasMode || differ(mode) < differ(nearest)) nearest = mode;
        report_.hasMode = true;
      }
    } catch (const std::exception&) {
      // A machine that has gone too far cannot be linearised; what is known without that is said.
    }
    return nearest;
  }

  double differ(const Mode& mode) const {
    return std::abs(std::log(mode.eigenvalue.real() / report_.growth.rate));
  }

  void describe(const Mode& mode) {
    report_.isExplained = differ(mode) < std::log(kSameRate);
    report_.modeRate = mode.eigenvalue.real();
    report_.modeHz = mode.frequencyHz();
    try {
      const ModeDescription text = describeModes(model_, state_, {mode}, true).front();
      report_.mode = text.name;
      for (const Share& share : text.freedoms) addName(share.name, report_.freedoms);
      for (const Share& share : text.damping) {
        if (share.value < -kFeeds) addName(share.name, report_.parts);
      }
      for (const auto* shares : {&text.loops, &text.bodies}) {
        for (const Share& share : *shares) addName(share.name, report_.parts);
      }
      for (const std::string& part : report_.parts) addBlocks(part, mode);
      if (report_.blocks.empty()) addLargestBlocks(mode);
    } catch (const std::exception&) {
      report_.mode.clear();
    }
  }

  // Those through which the loop of an actuator goes, from it back to its sensors.
  void addBlocks(const std::string& actuator, const Mode& mode) {
    const control::BlockSet* blocks = control::findBlocks(model_.system());
    if (blocks == nullptr) return;
    std::vector<int> signals;
    for (const system::Item& item : model_.description().items) {
      if (item.section() != "actuators" || item.name() != actuator || !item.has("input")) continue;
      for (const std::string& name : item.names("input")) {
        if (const auto signal = model_.findSignal(name)) signals.push_back(signal->value);
      }
    }
    for (std::size_t i = 0; i < signals.size(); ++i) {
      for (int e = 0; e < blocks->size(); ++e) {
        if (!gives(*blocks, e, signals[i]) || !takesPart(mode, signals[i])) continue;
        addName(blocks->name(e), report_.blocks);
        for (int k = 0; k < blocks->inputs(e); ++k) {
          const int input = blocks->input(e, k).value;
          if (std::find(signals.begin(), signals.end(), input) == signals.end()) {
            signals.push_back(input);
          }
        }
      }
    }
  }

  static bool gives(const control::BlockSet& blocks, int element, int signal) {
    for (int k = 0; k < blocks.outputs(element); ++k) {
      if (blocks.output(element, k).value == signal) return true;
    }
    return false;
  }

  static bool takesPart(const Mode& mode, int unknown) {
    return unknown < mode.shape.size() && mode.shape[unknown] != 0.0;
  }

  // Of loops without a machine.
  void addLargestBlocks(const Mode& mode) {
    const control::BlockSet* blocks = control::findBlocks(model_.system());
    if (blocks == nullptr || !report_.freedoms.empty()) return;
    std::vector<std::pair<double, int>> sizes;
    for (int e = 0; e < blocks->size(); ++e) {
      double size = 0.0;
      for (int k = 0; k < blocks->outputs(e); ++k) {
        const int signal = blocks->output(e, k).value;
        if (takesPart(mode, signal)) size = std::max(size, std::abs(mode.shape[signal]));
      }
      if (size > 0.0) sizes.emplace_back(-size, e);
    }
    std::sort(sizes.begin(), sizes.end());
    for (const auto& [size, element] : sizes) addName(blocks->name(element), report_.blocks);
  }

  void writeText() {
    const Growth& growth = report_.growth;
    std::string& text = report_.text;
    text = growth.isMotion ? "the motion grows" : "signals grow";
    text += " without bound since t = " + format("%.4g s", growth.since);
    if (until_ >= 0.0)
      text += format(", until the steps no longer resolve it at t = %.4g s", until_);
    text += growth.isSteady ? ", doubling every " : ", finally doubling every ";
    text += format("%.3g s", growth.doublingTime()) + format(" (rate %.3g 1/s)", growth.rate);
    if (!report_.hasMode) {
      if (isLinearized_) {
        text += "; the machine linearised at t = " + format("%.4g s", report_.linearizedAt) +
                (isStable_ ? " has no growing mode" : " has no growing mode among those found");
      }
      return;
    }
    text += report_.isExplained ? ", by"
                                : "; linearised at t = " + format("%.4g s", report_.linearizedAt) +
                                      " the machine has";
    text += report_.mode.empty() ? " a mode" : " the mode '" + report_.mode + "'";
    text +=
        format(" of %.4g Hz", report_.modeHz) + format(", growing at %.3g 1/s", report_.modeRate);
    if (!report_.freedoms.empty()) text += ", which moves " + listNames({report_.freedoms.front()});
    if (!report_.parts.empty()) text += "; largest contributions: " + listNames(report_.parts);
    if (!report_.blocks.empty()) text += " with the blocks " + listNames(report_.blocks);
  }

  void writeHint() {
    std::string& hint = report_.hint;
    if (!report_.hasMode) {
      hint =
          isStable_
              ? "the growth is numerical: try a smaller step, a smaller rho, or 'constraints: "
                "index2' instead of index 3"
              : "try a smaller step; 'flexloop modes --at TIME' shows the modes at an earlier time";
      return;
    }
    if (!report_.blocks.empty()) {
      hint = "check the sign and the gain of " + listNames(report_.blocks);
    } else if (report_.modeHz == 0.0) {
      hint =
          "the machine leaves an unstable position, like a buckling column: support it, or reduce "
          "the load";
    } else {
      hint = "look for a source of energy, such as loads that follow the motion";
    }
    hint += "; 'flexloop modes --at " + format("%.4g", report_.linearizedAt) + "' shows the mode";
    if (!report_.isExplained) hint += "; if a smaller step changes the growth, it is numerical";
  }

  const model::Model& model_;
  const system::State& state_;
  double until_;
  bool isLinearized_ = false, isStable_ = false;
  GrowthReport report_;
};

}  // namespace

GrowthReport diagnoseGrowth(const model::Model& model, const Growth& growth,
                            const system::State& state, double until) {
  return Diagnosis(model, growth, state, until).make();
}

void explainByGrowth(const model::Model& model, const GrowthWatch& watch, const RunEnd& end,
                     RunHealth& health) {
  const bool isUnsolved = end.kind == RunEnd::kUnsolved;
  const int fewest = isUnsolved ? kFewestBeforeFailure : kFewestDoublings;
  std::optional<Growth> growth;
  if (end.kind != RunEnd::kOther) growth = watch.find(end.time, end.step, fewest, isUnsolved);
  if (growth && (!growth->isMotion || end.hasGained)) {
    GrowthReport found = diagnoseGrowth(model, *growth, watch.stateSince(growth->since));
    const int most = isUnsolved ? kFewestDoublings : kAbsurdDoublings;
    // What hurries towards a dead point is no growth in time.
    const bool isGrowth = growth->isSteady && growth->doublings >= most;
    if (found.isExplained || isGrowth) health.growth = std::move(found);
  }
  judge(health);
  if (health.growth || health.isTrusted() || !end.hasGained) return;
  // What is not to be trusted may have grown until the steps could no longer follow it.
  const std::optional<Doublings::Past> past = watch.findPast(end.step, kFewestBeforeFailure);
  if (!past) return;
  GrowthReport found =
      diagnoseGrowth(model, past->growth, watch.stateSince(past->growth.since), past->until);
  if (!found.isExplained) return;
  health.growth = std::move(found);
  health.doubts.clear();
  judge(health);
}

}  // namespace flexloop::analysis
