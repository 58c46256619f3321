#include "control/sources/motion_profiles.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::control {

using math::Taylor2;

PiecewiseMove::PiecewiseMove(double start, double from, double distance,
                             const std::vector<Phase>& phases,
                             const std::vector<double>& accelerations)
    : start_(start), from_(from), distance_(distance), end_(start) {
  double position = 0.0, velocity = 0.0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto [t, jerk] = phases[i];
    if (t <= 0.0) continue;
    const double acceleration = accelerations[i];
    pieces_.push_back({end_, position, velocity, acceleration, jerk});
    position += t * (velocity + t * (acceleration / 2.0 + t * jerk / 6.0));
    velocity += t * (acceleration + t * jerk / 2.0);
    end_ += t;
  }
}

Taylor2 PiecewiseMove::at(double time) const {
  if (time < start_) return {from_};
  if (time >= end_) return {from_ + distance_};
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                     [](double t, const Piece& piece) { return t < piece.start; });
  const auto& [start, position, velocity, acceleration, jerk] = *(next - 1);
  const double t = time - start;
  return {from_ + position + t * (velocity + t * (acceleration / 2.0 + t * jerk / 6.0)),
          velocity + t * (acceleration + t * jerk / 2.0), acceleration + t * jerk};
}

std::vector<double> PiecewiseMove::breaks() const {
  std::vector<double> times;
  for (const Piece& piece : pieces_) times.push_back(piece.start);
  times.push_back(end_);
  return times;
}

PiecewiseMove makeTrapezoid(double start, double from, double distance, const MoveLimits& limits) {
  const double way = std::abs(distance), a = std::copysign(limits.acceleration, distance);
  const double ramp =
      std::min(limits.velocity / limits.acceleration, std::sqrt(way / limits.acceleration));
  // A triangle has no cruise, also after round-off.
  const bool cruises = limits.velocity / limits.acceleration <= ramp;
  const double cruise = cruises ? way / limits.velocity - ramp : 0.0;
  return {start, from, distance, {{ramp, 0.0}, {cruise, 0.0}, {ramp, 0.0}}, {a, 0.0, -a}};
}

namespace {

struct SCurveTimes {
  double jerk;    // of each phase with jerk
  double ramp;    // until the largest velocity is reached
  double cruise;  // with this velocity
};

SCurveTimes calcTimes(double way, const MoveLimits& limits, double jerk) {
  const auto [v, a] = limits;
  SCurveTimes times{a / jerk, a / jerk + v / a, 0.0};
  if (v * jerk < a * a) times.ramp = 2.0 * (times.jerk = std::sqrt(v / jerk));
  times.cruise = way / v - times.ramp;
  if (times.cruise >= 0.0) return times;
  times = {a / jerk, 0.0, 0.0};
  times.ramp = 0.5 * (times.jerk + std::sqrt(times.jerk * times.jerk + 4.0 * way / a));
  if (times.ramp < 2.0 * times.jerk) times.ramp = 2.0 * (times.jerk = std::cbrt(0.5 * way / jerk));
  return times;
}

}  // namespace

PiecewiseMove makeSCurve(double start, double from, double distance, const MoveLimits& limits,
                         double jerk) {
  const SCurveTimes times = calcTimes(std::abs(distance), limits, jerk);
  const double j = std::copysign(jerk, distance), a = j * times.jerk;
  const double plateau = times.ramp - 2.0 * times.jerk;
  return {start,
          from,
          distance,
          {{times.jerk, j},
           {plateau, 0.0},
           {times.jerk, -j},
           {times.cruise, 0.0},
           {times.jerk, -j},
           {plateau, 0.0},
           {times.jerk, j}},
          {0.0, a, a, 0.0, 0.0, -a, -a}};
}

PolynomialMove::PolynomialMove(double start, double from, double distance, double duration,
                               int order)
    : start_(start), from_(from), distance_(distance), duration_(duration), end_(start + duration) {
  if (order == 3) coefficients_ = {3.0, -2.0};
  if (order == 5) coefficients_ = {10.0, -15.0, 6.0};
  if (order == 7) coefficients_ = {35.0, -84.0, 70.0, -20.0};
}

Taylor2 PolynomialMove::at(double time) const {
  if (time < start_) return {from_};
  if (time >= end_) return {from_ + distance_};
  // The second half is the first one backwards; seen from there no digits are lost at the end.
  const bool isFirstHalf = time - start_ < end_ - time;
  const double fromNearerEnd = isFirstHalf ? time - start_ : end_ - time;
  const Taylor2 tau(fromNearerEnd / duration_, (isFirstHalf ? 1.0 : -1.0) / duration_, 0.0);
  Taylor2 sum = 0.0;
  for (std::size_t k = coefficients_.size(); k > 0; --k) sum = sum * tau + coefficients_[k - 1];
  for (std::size_t k = 0; k < coefficients_.size(); ++k) sum = sum * tau;
  return isFirstHalf ? from_ + distance_ * sum : from_ + distance_ - distance_ * sum;
}

}  // namespace flexloop::control
