// One analysis at every point of a sweep, where the points have nothing to do with one another.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/ahead.hpp"
#include "study/sweep_axis.hpp"

namespace flexloop::study {

template <class Result>
struct SweepPoint {
  Settings settings;
  std::optional<base::Failure> failure;
  std::string warnings;  // lines of text
  Result result;

  bool ok() const { return !failure; }
};

template <class Result>
struct PointSweep {
  std::vector<SweepAxis> axes;
  std::vector<SweepPoint<Result>> points;  // less of them if the sweep was ended
  bool isComplete = false;

  // The first with a result; null if there is none.
  const Result* findFirst() const {
    for (const SweepPoint<Result>& point : points) {
      if (point.ok()) return &point.result;
    }
    return nullptr;
  }
};

template <class Result>
[[nodiscard]] PointSweep<Result> sweepPoints(
    const std::vector<SweepAxis>& axes,
    const std::function<SweepPoint<Result>(const Settings&)>& evaluate, const Pace& pace) {
  PointSweep<Result> sweep{axes, {}, true};
  const std::vector<Settings> all = combine(axes);
  const int total = static_cast<int>(all.size());
  bool goesOn = true;
  const auto ask = [&] {
    const int done = static_cast<int>(sweep.points.size());
    if (pace.proceed && !pace.proceed(done, total)) goesOn = false;
  };
  Ahead<SweepPoint<Result>> points(total, pace.threads, [&](int i) { return evaluate(all[i]); });
  for (int i = 0; i < total && goesOn; ++i) {
    sweep.points.push_back(points.take(ask));
    ask();
  }
  sweep.isComplete = static_cast<int>(sweep.points.size()) == total;
  return sweep;
}

}  // namespace flexloop::study
