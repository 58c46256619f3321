#include "analysis/time/drive_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "analysis/time/inner_state.hpp"

namespace flexloop::analysis {
namespace {

using system::State;

// Share of the way in a step by which it may differ from what the rates at both ends say.
constexpr double kSuspect = 0.01;
// Halvings, and the share of what was suspect that is left of it after them where the signal jumps.
constexpr int kHalvings = 40;
constexpr double kJump = 0.5;
// Relative, of positions.
constexpr double kRoundOff = 1e-12;

// Follows the half of a step in which a signal, or its rate, changes most.
class Halving {
 public:
  enum class Of : std::uint8_t { kValue, kRate };

  Halving(solve::SignalSystem& signals, const State& from, const State& to, int signal, Of of)
      : signals_(signals), from_(from), to_(to), signal_(signal), of_(of) {}

  // Whether more than half of what is suspect, or of the whole change, is left of it when the part is next to nothing. Both ends are
  // solved like all places between them: a step leaves signals beside that by its tolerance.
  bool jumps(std::optional<double> suspected = {}) {
    if (!calc(0.0, left_) || !calc(1.0, right_)) return false;
    const double suspect = suspected.value_or(std::abs(right_ - left_));
    for (int k = 0; k < kHalvings; ++k) {
      if (!(std::abs(right_ - left_) > kJump * suspect)) return false;
      const double middle = 0.5 * (before_ + after_);
      double value = 0.0;
      if (!calc(middle, value)) return false;
      const bool isLeft = std::abs(value - left_) > std::abs(right_ - value);
      (isLeft ? after_ : before_) = middle;
      (isLeft ? right_ : left_) = value;
    }
    return std::abs(right_ - left_) >
           kRoundOff * std::max({std::abs(left_), std::abs(right_), suspect});
  }

  double left() const { return left_; }
  double right() const { return right_; }
  // Just before and just after the jump.
  double timeBefore() const { return timeAt(before_); }
  double timeAfter() const { return timeAt(after_); }

 private:
  double timeAt(double share) const { return from_.time + share * (to_.time - from_.time); }

  bool calc(double share, double& value) {
    State there = interpolate(from_, to_, share);
    if (signals_.solve(there)) return false;
    if (of_ == Of::kRate) signals_.calcRates(there);
    value = of_ == Of::kRate ? there.rate[signal_] : there.value[signal_];
    return true;
  }

  solve::SignalSystem& signals_;
  const State& from_;
  const State& to_;
  int signal_;
  Of of_;
  double left_ = 0.0, right_ = 0.0;
  double before_ = 0.0, after_ = 1.0;  // shares of the step
};

// What the rates at both ends of a step do not say of the way between them; none where that is a matter of digits.
double findSuspect(const State& from, const State& to, int signal) {
  const double h = to.time - from.time;
  const double first = h * from.rate[signal], last = h * to.rate[signal];
  const double way = to.value[signal] - from.value[signal];
  const double suspect = std::abs(way - 0.5 * (first + last));
  const double digits =
      kRoundOff * std::max(std::abs(from.value[signal]), std::abs(to.value[signal]));
  const double size = std::max({std::abs(way), std::abs(first), std::abs(last)});
  return suspect > std::max(kSuspect * size, digits) ? suspect : 0.0;
}

std::string describe(const system::System& system, const solve::SignalSystem::Drive& drive,
                     const char* quantity, const Halving& halving) {
  char text[64];
  std::snprintf(text, sizeof text, " jumps from %.6g to %.6g", halving.left(), halving.right());
  return std::string("the prescribed ") + quantity + " of '" +
         system.equationName(system::UnknownIndex{drive.constraint}) + "' (signal '" +
         system.equationName(system::UnknownIndex{drive.signal}) + "')" + text;
}

}  // namespace

DriveJumps findDriveJumps(const system::System& system, solve::SignalSystem& signals,
                          const State& from, const State& to) {
  DriveJumps jumps;
  for (const solve::SignalSystem::Drive& drive : signals.drives()) {
    const double suspect = findSuspect(from, to, drive.signal);
    if (suspect == 0.0) continue;
    Halving positions(signals, from, to, drive.signal, Halving::Of::kValue);
    if (positions.jumps(suspect)) {
      jumps.position = base::numericalFailure(
          describe(system, drive, "position", positions),
          "no finite force can do this: prescribe a smooth motion (s_curve, sine, a table, a "
          "filter after the jump), or let an actuator follow the signal");
      return jumps;
    }
    Halving rates(signals, from, to, drive.signal, Halving::Of::kRate);
    if (jumps.velocity.empty() && rates.jumps()) {
      jumps.velocity = describe(system, drive, "velocity", rates);
      jumps.before = rates.timeBefore();
      jumps.after = rates.timeAfter();
    }
  }
  return jumps;
}

}  // namespace flexloop::analysis
