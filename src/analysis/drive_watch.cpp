#include "analysis/drive_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "math/so3.hpp"

namespace flexloop::analysis {
namespace {

using system::State;

// Share of the way in a step by which it may differ from what the rates at both ends say.
constexpr double kSuspect = 0.01;
// Halvings, and the share of what was suspect that is left of it after them where the signal jumps.
constexpr int kHalvings = 40;
constexpr double kJump = 0.5;

// Part of the way between two states. Signals are solved there.
State interpolate(const State& from, const State& to, double share) {
  State between = from;
  between.time = from.time + share * (to.time - from.time);
  between.value += share * (to.value - from.value);
  between.rate += share * (to.rate - from.rate);
  for (std::size_t i = 0; i < between.frames.size(); ++i) {
    math::Frame<double>& frame = between.frames[i];
    const math::Vec3<double> turn =
        math::logSO3<double>(from.frames[i].R.transpose() * to.frames[i].R);
    frame.x += share * (to.frames[i].x - from.frames[i].x);
    frame.R = from.frames[i].R * math::expSO3<double>(share * turn);
  }
  return between;
}

class Halving {
 public:
  Halving(solve::SignalSystem& signals, const State& from, const State& to, int signal)
      : signals_(signals), from_(from), to_(to), signal_(signal) {}

  // Follows the half in which the signal changes most. Whether a change is left that no rate explains.
  bool jumps() {
    const double length = to_.time - from_.time;
    const double slope = 0.5 * (from_.rate[signal_] + to_.rate[signal_]);
    const double suspect = std::abs(to_.value[signal_] - from_.value[signal_] - slope * length);
    left_ = from_.value[signal_];
    right_ = to_.value[signal_];
    double a = 0.0, b = 1.0;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (a + b);
      State there = interpolate(from_, to_, middle);
      if (!signals_.solve(there).empty()) return false;
      const double value = there.value[signal_];
      const bool isLeft = std::abs(value - left_) > std::abs(right_ - value);
      (isLeft ? b : a) = middle;
      (isLeft ? right_ : left_) = value;
      if (std::abs(right_ - left_) < kJump * suspect) return false;
    }
    return true;
  }

  double left() const { return left_; }
  double right() const { return right_; }

 private:
  solve::SignalSystem& signals_;
  const State& from_;
  const State& to_;
  int signal_;
  double left_ = 0.0, right_ = 0.0;
};

bool isSuspect(const State& from, const State& to, int signal) {
  const double h = to.time - from.time;
  const double first = h * from.rate[signal], last = h * to.rate[signal];
  const double way = to.value[signal] - from.value[signal];
  return std::abs(way - 0.5 * (first + last)) >
         kSuspect * std::max({std::abs(way), std::abs(first), std::abs(last)});
}

}  // namespace

std::string findDriveJump(const system::System& system, solve::SignalSystem& signals,
                          const State& from, const State& to) {
  for (const solve::SignalSystem::Drive& drive : signals.drives()) {
    if (!isSuspect(from, to, drive.signal)) continue;
    Halving halving(signals, from, to, drive.signal);
    if (!halving.jumps()) continue;
    char text[64];
    std::snprintf(text, sizeof text, " jumps from %.6g to %.6g", halving.left(), halving.right());
    return "the prescribed position of '" +
           system.equationName(system::UnknownIndex{drive.constraint}) + "' (signal '" +
           system.equationName(system::UnknownIndex{drive.signal}) + "')" + text +
           "\nno finite force moves a body at once: prescribe a smooth motion (s_curve, "
           "sine, a table, a filter behind the jump), or let an actuator follow the signal";
  }
  return {};
}

}  // namespace flexloop::analysis
