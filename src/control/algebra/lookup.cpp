#include "control/algebra/lookup.hpp"

#include <algorithm>
#include <cmath>

namespace flexloop::control {

using math::Jet1;
using math::Jet2;

Axis::Weights Axis::at(double x) const {
  const int last = static_cast<int>(points_.size()) - 1;
  if (x < points_.front()) return outside(0, false, x);
  if (!(x < points_.back())) return outside(last - 1, true, x);
  const auto next = std::upper_bound(points_.begin(), points_.end(), x);
  return inside(static_cast<int>(next - points_.begin()) - 1, x);
}

// (13.8), with b = (x − x_i)/h
Axis::Weights Axis::inside(int index, double x) const {
  const double h = points_[index + 1] - points_[index];
  const double b = (x - points_[index]) / h, a = 1.0 - b;
  if (!isCubic_) return {index, {a, b, 0.0, 0.0}, {-1.0 / h, 1.0 / h, 0.0, 0.0}, {}};
  const double bump = 6.0 * a * b / h, turn = 6.0 * (a - b) / (h * h);
  return {index,
          {a * a * (1.0 + 2.0 * b), b * b * (1.0 + 2.0 * a), h * a * a * b, -h * a * b * b},
          {-bump, bump, a * (a - 2.0 * b), b * (b - 2.0 * a)},
          {-turn, turn, (2.0 * b - 4.0 * a) / h, (4.0 * b - 2.0 * a) / h}};
}

Axis::Weights Axis::outside(int index, bool isRight, double x) const {
  Weights end{index, {isRight ? 0.0 : 1.0, isRight ? 1.0 : 0.0, 0.0, 0.0}, {}, {}};
  if (extrapolation_ == Extrapolation::kHold) return end;
  if (!isCubic_) return inside(index, x);
  const int slope = isRight ? 3 : 2;
  end.value[slope] = x - points_[isRight ? index + 1 : index];
  end.first[slope] = 1.0;
  return end;
}

// (13.9): the second derivative is continuous and vanishes at the ends. Elimination of
//   d_{i−1}/h_{i−1} + 2 (1/h_{i−1} + 1/h_i) d_i + d_{i+1}/h_i = 3 (s_{i−1}/h_{i−1} + s_i/h_i).
std::vector<double> calcSplineSlopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> d(n), upper(n, 0.0);
  double before = 0.0, slopeBefore = 0.0;  // 1/h and s of the interval before; none at the start
  for (std::size_t i = 0; i < n; ++i) {
    const bool hasNext = i + 1 < n;
    const double after = hasNext ? 1.0 / (x[i + 1] - x[i]) : 0.0;
    const double slopeAfter = hasNext ? (y[i + 1] - y[i]) * after : 0.0;
    const double pivot = 2.0 * (before + after) - (i > 0 ? before * upper[i - 1] : 0.0);
    upper[i] = after / pivot;
    const double right = 3.0 * (slopeBefore * before + slopeAfter * after);
    d[i] = (right - (i > 0 ? before * d[i - 1] : 0.0)) / pivot;
    before = after;
    slopeBefore = slopeAfter;
  }
  for (std::size_t i = n - 1; i-- > 0;) d[i] -= upper[i] * d[i + 1];
  return d;
}

Lookup::Lookup(Axis axis, std::vector<double> values, std::vector<double> slopes)
    : axis_(std::move(axis)), values_(std::move(values)), slopes_(std::move(slopes)) {
  slopes_.resize(values_.size(), 0.0);
}

Jet1 Lookup::at(double x) const {
  const auto [i, value, first, second] = axis_.at(x);
  const std::array<double, 4> known{values_[i], values_[i + 1], slopes_[i], slopes_[i + 1]};
  Jet1 jet;
  for (int k = 0; k < 4; ++k) {
    jet.f += value[k] * known[k];
    jet.fx += first[k] * known[k];
    jet.fxx += second[k] * known[k];
  }
  return jet;
}

namespace {

// Slopes of the splines through the rows of a matrix; points belong to its columns.
Eigen::MatrixXd calcRowSlopes(const std::vector<double>& points, const Eigen::MatrixXd& values) {
  Eigen::MatrixXd slopes(values.rows(), values.cols());
  std::vector<double> row(values.cols());
  for (int i = 0; i < values.rows(); ++i) {
    for (int j = 0; j < values.cols(); ++j) row[j] = values(i, j);
    const std::vector<double> d = calcSplineSlopes(points, row);
    for (int j = 0; j < values.cols(); ++j) slopes(i, j) = d[j];
  }
  return slopes;
}

}  // namespace

Lookup2::Lookup2(Axis x, Axis y, const Eigen::MatrixXd& values, bool isCubic)
    : x_(std::move(x)), y_(std::move(y)), f_(values) {
  fx_ = fy_ = fxy_ = Eigen::MatrixXd::Zero(f_.rows(), f_.cols());
  if (!isCubic) return;
  fx_ = calcRowSlopes(x_.points(), f_.transpose()).transpose();
  fy_ = calcRowSlopes(y_.points(), f_);
  fxy_ = calcRowSlopes(y_.points(), fx_);
}

Jet2 Lookup2::at(double x, double y) const {
  const Axis::Weights a = x_.at(x), b = y_.at(y);
  Jet2 jet;
  for (int k = 0; k < 4; ++k) {
    // First the function and its derivatives by y along one line of x.
    const int i = a.index + k % 2;
    const Eigen::MatrixXd& f = k < 2 ? f_ : fx_;
    const Eigen::MatrixXd& d = k < 2 ? fy_ : fxy_;
    const std::array<double, 4> known{f(i, b.index), f(i, b.index + 1), d(i, b.index),
                                      d(i, b.index + 1)};
    double value = 0.0, first = 0.0, second = 0.0;
    for (int l = 0; l < 4; ++l) {
      value += b.value[l] * known[l];
      first += b.first[l] * known[l];
      second += b.second[l] * known[l];
    }
    jet.f += a.value[k] * value;
    jet.fx += a.first[k] * value;
    jet.fxx += a.second[k] * value;
    jet.fy += a.value[k] * first;
    jet.fxy += a.first[k] * first;
    jet.fyy += a.value[k] * second;
  }
  return jet;
}

}  // namespace flexloop::control
