#include "study/stability_limit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/balance/operating_point.hpp"
#include "analysis/modes/mode_description.hpp"

namespace flexloop::study {
namespace {

using analysis::Mode;

constexpr double kRelative = 1e-13;  // interval by value at which bisection ends
constexpr double kRoundOff = 4e-16;  // real part by size of a root at the limit
constexpr int kMostSteps = 80;
// What decays slower than this, by its size, may rest on the imaginary axis on the whole stable side.
constexpr double kMarginal = 1e-9;
constexpr double kOutside = 1e-3;  // of the interval, to look behind its end

const TrackedMode* findTrack(const ModeSweepPoint& point, int track) {
  for (const TrackedMode& mode : point.modes) {
    if (mode.track == track) return &mode;
  }
  return nullptr;
}

bool isFine(double from, double to) {
  return std::abs(to - from) <= kRelative * std::max(std::abs(from), std::abs(to));
}

struct End {
  double value = 0.0;
  double height = 0.0;  // the real part
};

// One mode between two points, on one side of which it is stable.
class LimitSearch {
 public:
  LimitSearch(const ModelMaker& maker, const ModeTask& task, const ModeSweepPoint& from,
              const ModeSweepPoint& to)
      : maker_(maker), task_(task), settings_(from.settings) {
    from_.value = from.settings.front().value;
    to_.value = to.settings.front().value;
  }

  std::optional<StabilityLimit> find(const Mode& from, const Mode& to) {
    last_ = findModesAt(maker_, settings_, widen(task_));
    lastSettings_ = settings_;
    if (!last_.ok() || !select(from)) return std::nullopt;
    from_.height = from.eigenvalue.real();
    to_.height = to.eigenvalue.real();
    fromIsStable_ = from.isStable();
    becomesUnstable_ = fromIsStable_ == (from_.value < to_.value);
    if (isMarginal(fromIsStable_ ? from : to) && !lookOutside()) return std::nullopt;
    for (int step = 0; step < kMostSteps && !isFine(from_.value, to_.value); ++step) {
      if (!move(propose(step))) return std::nullopt;
      if (isAtLimit(last_.modes[current_])) break;
    }
    StabilityLimit limit;
    limit.value = lastSettings_.front().value;
    limit.eigenvalue = last_.modes[current_].eigenvalue;
    limit.becomesUnstable = becomesUnstable_;
    return limit;
  }

 private:
  static bool isMarginal(const Mode& mode) {
    return std::abs(mode.eigenvalue.real()) <= kMarginal * std::abs(mode.eigenvalue);
  }
  static bool isAtLimit(const Mode& mode) {
    return std::abs(mode.eigenvalue.real()) <= kRoundOff * std::abs(mode.eigenvalue);
  }

  // A stable end on the axis: the limit is there by chance, and behind it the mode decays. Or nothing damps the
  // mode, and the real part says nothing.
  bool lookOutside() {
    const double end = fromIsStable_ ? from_.value : to_.value;
    const double other = fromIsStable_ ? to_.value : from_.value;
    if (!move(end + kOutside * (end - other))) return false;
    const Mode& mode = last_.modes[current_];
    return mode.isStable() && !isMarginal(mode);
  }

  // The secant between the ends; now and then the middle, so that the interval shrinks in any case.
  double propose(int step) const {
    const double middle = 0.5 * (from_.value + to_.value);
    if (step % 4 == 3) return middle;
    const double drop = to_.height - from_.height;
    const double secant = from_.value - from_.height * (to_.value - from_.value) / drop;
    const bool inside = (secant - from_.value) * (secant - to_.value) <= 0.0;
    return inside ? secant : middle;
  }

  bool select(const Mode& mode) {
    current_ = -1;
    double nearest = 0.0;
    for (std::size_t i = 0; i < last_.modes.size(); ++i) {
      const double distance = std::abs(last_.modes[i].eigenvalue - mode.eigenvalue);
      if (current_ >= 0 && distance >= nearest) continue;
      nearest = distance;
      current_ = static_cast<int>(i);
    }
    return current_ >= 0;
  }

  // Evaluates the mode there; the end on the same side of the limit takes the place.
  bool move(double value) {
    Settings settings = settings_;
    settings.front().value = value;
    ModePoint point = findModesAt(maker_, settings, widen(task_));
    if (!point.ok()) return false;
    const int next = follow(maker_, task_, lastSettings_, last_, settings, point).next[current_];
    if (next < 0) return false;
    current_ = next;
    const Mode& mode = point.modes[current_];
    const double height = mode.eigenvalue.real();
    const bool movesFrom = (height <= 0.0) == fromIsStable_;
    (movesFrom ? from_ : to_) = {value, height};
    // An end that stays twice gets half of its height, which draws the secant over to it (Illinois).
    if (lastMovedFrom_ == movesFrom) (movesFrom ? to_ : from_).height *= 0.5;
    lastMovedFrom_ = movesFrom;
    last_ = std::move(point);
    lastSettings_ = std::move(settings);
    return true;
  }

  const ModelMaker& maker_;
  const ModeTask& task_;
  Settings settings_, lastSettings_;
  ModePoint last_;
  int current_ = -1;
  End from_, to_;
  bool fromIsStable_ = true, becomesUnstable_ = true;
  std::optional<bool> lastMovedFrom_;
};

// Of the modes that were asked for, the one that decays least; null if there are none.
const Mode* findRightmost(const ModePoint& point, const ModeTask& task) {
  const std::vector<bool> asked = findAsked(point, task);
  const Mode* found = nullptr;
  for (std::size_t i = 0; i < point.modes.size(); ++i) {
    const Mode& mode = point.modes[i];
    if (!asked[i]) continue;
    if (found == nullptr || mode.eigenvalue.real() > found->eigenvalue.real()) found = &mode;
  }
  return found;
}

// Where nothing damps the modes, they rest on the axis and leave it like a root: only whether one grows can be
// asked, and the interval is halved.
std::optional<StabilityLimit> bisect(const ModelMaker& maker, const ModeTask& task,
                                     const ModeSweepPoint& from, const ModeSweepPoint& to) {
  Settings settings = from.settings;
  double a = settings.front().value, b = to.settings.front().value;
  const bool fromIsStable = from.findRightmost()->isStable();
  StabilityLimit limit;
  limit.becomesUnstable = fromIsStable == (a < b);
  limit.eigenvalue = (fromIsStable ? to : from).findRightmost()->eigenvalue;
  for (int step = 0; step < kMostSteps && !isFine(a, b); ++step) {
    settings.front().value = 0.5 * (a + b);
    const ModePoint point = findModesAt(maker, settings, widen(task));
    const Mode* rightmost = point.ok() ? findRightmost(point, task) : nullptr;
    if (rightmost == nullptr) return std::nullopt;
    (rightmost->isStable() == fromIsStable ? a : b) = settings.front().value;
    if (!rightmost->isStable()) limit.eigenvalue = rightmost->eigenvalue;
  }
  limit.value = 0.5 * (a + b);
  return limit;
}

int findTrackOfRightmost(const ModeSweepPoint& point) {
  const Mode* rightmost = point.findRightmost();
  for (const TrackedMode& tracked : point.modes) {
    if (&tracked.mode == rightmost) return tracked.track;
  }
  return 0;
}

// By the energies of the mode at its limit.
std::string nameMode(const ModelMaker& maker, const ModeTask& task, const Settings& settings,
                     std::complex<double> eigenvalue) {
  const model::Model model = maker(settings);
  const analysis::OperatingState at =
      analysis::findOperatingPoint(model, task.about.value_or(model.modes().about));
  if (!at.ok()) return "";
  const analysis::ModeResult found = analysis::findModes(model, at.state, widen(task).options);
  const auto distance = [&](const Mode& mode) { return std::abs(mode.eigenvalue - eigenvalue); };
  const auto nearest =
      std::min_element(found.modes.begin(), found.modes.end(),
                       [&](const Mode& a, const Mode& b) { return distance(a) < distance(b); });
  if (nearest == found.modes.end()) return "";
  return analysis::describeModes(model, at.state, {*nearest}, true).front().name;
}

class LimitCollector {
 public:
  LimitCollector(const ModelMaker& maker, const ModeTask& task) : maker_(maker), task_(task) {}

  void add(const ModeSweepPoint& before, const ModeSweepPoint& point) {
    bool found = false;
    for (const TrackedMode& tracked : point.modes) {
      const TrackedMode* old = findTrack(before, tracked.track);
      if (old == nullptr || old->mode.isStable() == tracked.mode.isStable()) continue;
      std::optional<StabilityLimit> limit =
          LimitSearch(maker_, task_, before, point).find(old->mode, tracked.mode);
      if (!limit) continue;
      limit->track = tracked.track;
      keep(*limit, point);
      found = true;
    }
    const Mode *a = before.findRightmost(), *b = point.findRightmost();
    if (found || a == nullptr || b == nullptr || a->isStable() == b->isStable()) return;
    std::optional<StabilityLimit> limit = bisect(maker_, task_, before, point);
    if (limit) {
      limit->track = findTrackOfRightmost(a->isStable() ? point : before);
      keep(*limit, point);
    } else {
      limits_.lost.emplace_back("the modes could not be found at a point on the way to the limit");
    }
  }

  StabilityLimits take() { return std::move(limits_); }

 private:
  void keep(StabilityLimit& limit, const ModeSweepPoint& point) {
    Settings settings = point.settings;
    settings.front().value = limit.value;
    limit.name = nameMode(maker_, task_, settings, limit.eigenvalue);
    limits_.limits.push_back(std::move(limit));
  }

  const ModelMaker& maker_;
  const ModeTask& task_;
  StabilityLimits limits_;
};

}  // namespace

StabilityLimits findStabilityLimits(const ModeSweep& sweep, const ModelMaker& maker,
                                    const ModeTask& task) {
  LimitCollector collector(maker, task);
  const ModeSweepPoint* before = nullptr;
  for (const ModeSweepPoint& point : sweep.points) {
    if (!point.ok()) continue;
    if (before != nullptr) collector.add(*before, point);
    before = &point;
  }
  return collector.take();
}

}  // namespace flexloop::study
