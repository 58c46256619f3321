#include "control/sources/time_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace flexloop::control {

using math::Taylor2;

Taylor2 Ramp::at(double time) const {
  if (time < start_) return {offset_};
  if (time >= end_) return {offset_ + slope_ * (end_ - start_)};
  return {offset_ + slope_ * (time - start_), slope_, 0.0};
}

std::vector<double> Ramp::breaks() const {
  if (std::isfinite(end_)) return {start_, end_};
  return {start_};
}

Taylor2 Sine::at(double time) const {
  return offset_ + amplitude_ * math::sin(Taylor2(omega_ * time + phase_, omega_, 0.0));
}

namespace {

// Second derivatives of the natural cubic spline, by elimination of its tridiagonal system
//   h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (s_i − s_{i−1}),  m_0 = m_{n−1} = 0.
std::vector<double> calcCurvatures(const std::vector<double>& t, const std::vector<double>& y) {
  const std::size_t n = t.size();
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / (t[i + 1] - t[i]); };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = t[i] - t[i - 1], after = t[i + 1] - t[i];
    const double pivot = 2.0 * (before + after) - before * upper[i - 1];
    upper[i] = after / pivot;
    m[i] = (6.0 * (slope(i) - slope(i - 1)) - before * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= upper[i] * m[i + 1];
  return m;
}

}  // namespace

Table::Table(std::vector<double> times, std::vector<double> values, Shape shape)
    : times_(std::move(times)), values_(std::move(values)) {
  if (shape == Shape::kSmooth && times_.size() > 2) curvatures_ = calcCurvatures(times_, values_);
}

Taylor2 Table::at(double time) const {
  if (time < times_.front()) return {values_.front()};
  if (time >= times_.back()) return {values_.back()};
  const auto next = std::upper_bound(times_.begin(), times_.end(), time);
  const std::size_t i = static_cast<std::size_t>(next - times_.begin()) - 1;
  const double h = times_[i + 1] - times_[i];
  const double b = (time - times_[i]) / h, a = 1.0 - b;
  const double slope = (values_[i + 1] - values_[i]) / h;
  const Taylor2 straight{a * values_[i] + b * values_[i + 1], slope, 0.0};
  if (curvatures_.empty()) return straight;
  const double m0 = curvatures_[i], m1 = curvatures_[i + 1];
  const Taylor2 bent{h * h / 6.0 * ((a * a - 1.0) * a * m0 + (b * b - 1.0) * b * m1),
                     h / 6.0 * ((3.0 * b * b - 1.0) * m1 - (3.0 * a * a - 1.0) * m0),
                     a * m0 + b * m1};
  return straight + bent;
}

std::vector<double> Table::breaks() const {
  if (!curvatures_.empty()) return {times_.front(), times_.back()};
  return times_;
}

Taylor2 Formula::at(double time) const {
  const std::array<Taylor2, 1> values{Taylor2(time, 1.0, 0.0)};
  return expression_.evaluate<Taylor2>(values);
}

}  // namespace flexloop::control
