#include "study/mode_sweep.hpp"

#include <algorithm>
#include <map>
#include <numbers>
#include <numeric>

#include "study/ahead.hpp"
#include "study/mode_tracking.hpp"

namespace flexloop::study {
namespace {

using analysis::Mode;
using Complex = std::complex<double>;

constexpr int kMostHalvings = 6;
constexpr int kFewestSpare = 4;

Settings findMiddle(const Settings& a, const Settings& b) {
  Settings middle = a;
  for (std::size_t i = 0; i < a.size(); ++i) middle[i].value = 0.5 * (a[i].value + b[i].value);
  return middle;
}

struct Step {
  const Settings& settings;
  ModePoint& point;
};

// The recursion of follow().
Continuation followStep(const ModelMaker& maker, const ModeTask& task, const Step& from,
                        const Step& to, int halvings) {
  const ModeMatch match = matchModes(from.point, to.point, findAsked(from.point, task));
  if (match.isClear || halvings == 0) {
    alignRepeated(from.point, match, to.point);
    return {match.next, match.isClear};
  }
  const Settings settings = findMiddle(from.settings, to.settings);
  ModePoint middle = findModesAt(maker, settings, widen(task));
  if (!middle.ok()) return {match.next, false};
  const Step between{settings, middle};
  const Continuation first = followStep(maker, task, from, between, halvings - 1);
  const Continuation second = followStep(maker, task, between, to, halvings - 1);
  Continuation whole{first.next, first.isClear && second.isClear};
  for (int& next : whole.next) {
    if (next >= 0) next = second.next[next];
  }
  return whole;
}

// What the next point is followed from.
struct Anchor {
  Settings settings;
  ModePoint point;
  std::vector<int> tracks;  // by mode
};

class ModeSweeper {
 public:
  ModeSweeper(const ModelMaker& maker, const ModeTask& task) : maker_(maker), task_(task) {}

  // The point with its modes followed from the anchor, which moves on.
  ModeSweepPoint add(const Settings& settings, ModePoint point, std::optional<Anchor>& anchor) {
    ModeSweepPoint result{settings, point.failure, {}, false};
    if (!point.ok()) return result;
    std::vector<int> tracks(point.modes.size(), -1);
    if (anchor) {
      const Continuation path =
          follow(maker_, task_, anchor->settings, anchor->point, settings, point);
      for (std::size_t i = 0; i < path.next.size(); ++i) {
        if (path.next[i] >= 0) tracks[path.next[i]] = anchor->tracks[i];
      }
      result.isUnclear = !path.isClear;
    }
    const std::vector<bool> asked = findAsked(point, task_);
    for (std::size_t i = 0; i < point.modes.size(); ++i) {
      if (tracks[i] < 0) tracks[i] = tracks_++;
      if (asked[i]) shown_.push_back(tracks[i]);
      Mode mode = point.modes[i];
      mode.shape.resize(0);
      result.modes.push_back({std::move(mode), tracks[i]});
    }
    anchor = Anchor{settings, std::move(point), std::move(tracks)};
    return result;
  }

  // Tracks that were asked for nowhere go; the others get numbers in the order in which they appear.
  int renumber(std::vector<ModeSweepPoint>& points) {
    std::sort(shown_.begin(), shown_.end());
    std::map<int, int> numbers;
    for (ModeSweepPoint& point : points) {
      std::erase_if(point.modes, [&](const TrackedMode& mode) {
        return !std::binary_search(shown_.begin(), shown_.end(), mode.track);
      });
      for (TrackedMode& mode : point.modes) {
        mode.track =
            numbers.try_emplace(mode.track, static_cast<int>(numbers.size())).first->second;
      }
    }
    return static_cast<int>(numbers.size());
  }

 private:
  const ModelMaker& maker_;
  const ModeTask& task_;
  std::vector<int> shown_;
  int tracks_ = 0;
};

}  // namespace

const Mode* ModeSweepPoint::findRightmost() const {
  const auto found =
      std::max_element(modes.begin(), modes.end(), [](const TrackedMode& a, const TrackedMode& b) {
        return a.mode.eigenvalue.real() < b.mode.eigenvalue.real();
      });
  return found == modes.end() ? nullptr : &found->mode;
}

ModeTask widen(const ModeTask& task) {
  ModeTask wide = task;
  wide.options.count += std::max(kFewestSpare, task.options.count / 2);
  return wide;
}

std::vector<bool> findAsked(const ModePoint& point, const ModeTask& task) {
  std::vector<int> order(point.modes.size());
  std::iota(order.begin(), order.end(), 0);
  const Complex near(0.0, 2.0 * std::numbers::pi * task.options.nearHz);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::abs(point.modes[a].eigenvalue - near) < std::abs(point.modes[b].eigenvalue - near);
  });
  std::vector<bool> asked(point.modes.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    asked[order[i]] = static_cast<int>(i) < task.options.count;
  }
  return asked;
}

Continuation follow(const ModelMaker& maker, const ModeTask& task, const Settings& fromSettings,
                    ModePoint& from, const Settings& toSettings, ModePoint& to) {
  return followStep(maker, task, {fromSettings, from}, {toSettings, to}, kMostHalvings);
}

ModeSweep sweepModes(const std::vector<SweepAxis>& axes, const ModelMaker& maker,
                     const ModeTask& task, const Pace& pace) {
  ModeSweep sweep{axes, {}, 0, true};
  const std::vector<Settings> all = combine(axes);
  const int total = static_cast<int>(all.size());
  const std::size_t row = axes.empty() ? 1 : axes.back().values.size();
  const ModeTask wide = widen(task);
  Ahead<ModePoint> points(total, pace.threads,
                          [&](int i) { return findModesAt(maker, all[i], wide); });
  ModeSweeper sweeper(maker, task);
  std::optional<Anchor> anchor, rowStart;
  bool goesOn = true;
  for (int i = 0; i < total && goesOn; ++i) {
    const bool startsRow = i % row == 0;
    if (startsRow) anchor = std::move(rowStart);
    const auto ask = [&](int done) {
      goesOn = goesOn && (!pace.proceed || pace.proceed(done, total));
    };
    sweep.points.push_back(sweeper.add(all[i], points.take([&] { ask(i); }), anchor));
    if (startsRow) rowStart = anchor;
    ask(i + 1);
  }
  sweep.isComplete = static_cast<int>(sweep.points.size()) == total;
  sweep.tracks = sweeper.renumber(sweep.points);
  return sweep;
}

}  // namespace flexloop::study
