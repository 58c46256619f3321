#include "analysis/time/source_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "control/blocks/block_set.hpp"
#include "control/sources/source.hpp"

namespace flexloop::analysis {
namespace {

// Parts of a run, each judged by itself: a chirp is fast in one of them only.
constexpr int kSegments = 8;
constexpr int kSteps = 16;  // looked at in each
constexpr double kGolden = 0.61803398874989485;
// Where steps are looked into, and how near to their ends. No frequency is the same at all of them.
constexpr std::array<double, 3> kShares{0.134, 0.472, 0.786};
constexpr double kInside = 1e-6;
constexpr int kHalvings = 30;

// Of the variation of a source that steps miss: more is worth a warning, and steps that are chosen miss less.
constexpr double kMissedByFixedSteps = 0.1;
constexpr double kMissedByAdaptiveSteps = 0.03;
// So much that a branch may end and begin again between the ends of a step.
constexpr double kMissedByBranches = 1e-3;

}  // namespace

SourceSteps::SourceSteps(const system::System& system, const system::State& start, double end)
    : end_(end), breaks_(system.breaks()), clocks_(system.clocks()) {
  std::sort(breaks_.begin(), breaks_.end());
  const std::vector<system::Clock> periodic = system.periodicBreaks();
  clocks_.insert(clocks_.end(), periodic.begin(), periodic.end());
  addSources(system);
  addFormulas(system, start);
}

void SourceSteps::addSources(const system::System& system) {
  for (const auto& set : system.sets()) {
    const auto* sources = dynamic_cast<const control::SourceSet*>(set.get());
    for (int e = 0; sources != nullptr && e < sources->size(); ++e) {
      const control::TimeFunction& function = sources->function(e);
      add(sources->name(e), [&function](double t) { return function.at(t).value; });
    }
  }
}

void SourceSteps::addFormulas(const system::System& system, const system::State& start) {
  const control::BlockSet* blocks = control::findBlocks(system);
  for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
    const control::Block& block = blocks->block(e);
    if (!block.isFormulaOfTime()) continue;
    std::vector<double> inputs(blocks->inputs(e));
    for (int k = 0; k < blocks->inputs(e); ++k) {
      inputs[k] = blocks->sign(e, k) * start.value[blocks->input(e, k).value];
    }
    add(blocks->name(e), [&block, inputs = std::move(inputs)](double t) {
      double y = 0.0;
      block.calc({t, {}, inputs, nullptr, nullptr, {}, std::span<double>(&y, 1)});
      return y;
    });
  }
}

void SourceSteps::add(std::string name, std::function<double(double)> function) {
  double sum = 0.0, squares = 0.0;
  const double first = function(sampleTime(0));
  for (int k = 0; k < kSegments * kSteps; ++k) {
    const double change = function(sampleTime(k)) - first;
    sum += change;
    squares += change * change;
  }
  constexpr double kCount = kSegments * kSteps;
  const double variance = squares / kCount - (sum / kCount) * (sum / kCount);
  if (!std::isfinite(variance)) return;
  sources_.push_back({std::move(name), std::move(function), std::max(variance, 0.0)});
}

// One after the other through the run, spread without a period.
double SourceSteps::sampleTime(int k) const {
  const double irregular = (k + 1) * kGolden - std::floor((k + 1) * kGolden);
  return end_ * (k + irregular) / (kSegments * kSteps);
}

double SourceSteps::findBreak(double time) const {
  double next = std::numeric_limits<double>::infinity();
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), time);
  if (after != breaks_.end()) next = *after;
  for (const system::Clock& clock : clocks_) {
    next = std::min(next, clock.instant(clock.lastInstant(time) + 1));
  }
  return next;
}

// (9.32)
double SourceSteps::calcMissed(const Source& source, double step) const {
  double worst = 0.0;
  for (int segment = 0; segment < kSegments; ++segment) {
    double squares = 0.0;
    for (int k = segment * kSteps; k < (segment + 1) * kSteps; ++k) {
      const double begin = sampleTime(k);
      const double length = std::min({step, findBreak(begin) - begin, end_ - begin});
      const double first = source.at(begin + kInside * length);
      const double last = source.at(begin + (1.0 - kInside) * length);
      for (const double share : kShares) {
        const double straight = first + share * (last - first);
        const double missed = source.at(begin + share * length) - straight;
        squares += missed * missed;
      }
    }
    worst = std::max(worst, squares / (kSteps * kShares.size()));
  }
  if (!(worst > 0.0)) return 0.0;
  return std::sqrt(worst / std::max(source.variance, worst));
}

SourceSteps::Limit SourceSteps::findLimit(double longest, double share) const {
  Limit limit{longest, {}, 0.0};
  for (const Source& source : sources_) {
    double missed = calcMissed(source, limit.step);
    if (missed <= share) continue;
    limit.source = source.name;
    limit.missed = calcMissed(source, longest);
    for (int k = 0; k < kHalvings && missed > share; ++k) {
      limit.step *= 0.5;
      missed = calcMissed(source, limit.step);
    }
  }
  return limit;
}

model::TimeSettings SourceSteps::limit(const model::TimeSettings& settings) const {
  model::TimeSettings limited = settings;
  if (!settings.adaptive.enabled) return limited;
  model::AdaptiveSettings& adaptive = limited.adaptive;
  const double longest = findLimit(adaptive.maxStep, kMissedByAdaptiveSteps).step;
  adaptive.maxStep = std::max(longest, adaptive.minStep);
  limited.step = std::min(limited.step, adaptive.maxStep);
  return limited;
}

double SourceSteps::findBlindStep(double longest) const {
  return findLimit(longest, kMissedByBranches).step;
}

std::string SourceSteps::describeMissed(double step) const {
  const Limit limit = findLimit(step, kMissedByFixedSteps);
  if (limit.source.empty()) return {};
  char text[192];
  std::snprintf(text, sizeof text,
                "' changes too fast for steps of %.3g s: %.0f %% of its variation falls between "
                "them; use steps of %.2g s or less",
                step, 100.0 * limit.missed, limit.step);
  return "'" + limit.source + text;
}

}  // namespace flexloop::analysis
