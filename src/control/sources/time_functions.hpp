// The functions of time that sources may follow.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "control/sources/source.hpp"
#include "math/expressions/expression.hpp"

namespace flexloop::control {

class Constant final : public TimeFunction {
 public:
  explicit Constant(double value) : value_(value) {}
  math::Taylor2 at(double) const override { return {value_}; }

 private:
  double value_;
};

// `to` from the time of the step on.
class Step final : public TimeFunction {
 public:
  Step(double time, double from, double to) : time_(time), from_(from), to_(to) {}
  math::Taylor2 at(double time) const override { return {time < time_ ? from_ : to_}; }
  std::vector<double> breaks() const override { return {time_}; }

 private:
  double time_, from_, to_;
};

// offset + slope (t − start) between start and end, constant outside.
class Ramp final : public TimeFunction {
 public:
  Ramp(double offset, double slope, double start, double end)
      : offset_(offset), slope_(slope), start_(start), end_(end) {}
  math::Taylor2 at(double time) const override;
  std::vector<double> breaks() const override;

 private:
  double offset_, slope_, start_, end_;
};

// offset + amplitude sin(ω t + phase)
class Sine final : public TimeFunction {
 public:
  Sine(double offset, double amplitude, double omega, double phase)
      : offset_(offset), amplitude_(amplitude), omega_(omega), phase_(phase) {}
  math::Taylor2 at(double time) const override;

 private:
  double offset_, amplitude_, omega_, phase_;
};

// Values at ascending times, constant beyond the ends: straight between them, or by the natural
// cubic spline, whose second derivative is continuous (8.8).
class Table final : public TimeFunction {
 public:
  enum class Shape { kLinear, kSmooth };
  Table(std::vector<double> times, std::vector<double> values, Shape shape);
  math::Taylor2 at(double time) const override;
  std::vector<double> breaks() const override;

 private:
  std::vector<double> times_, values_;
  std::vector<double> curvatures_;  // second derivatives at the times; empty if straight
};

// A formula in which `t` is the time.
class Formula final : public TimeFunction {
 public:
  explicit Formula(math::Expression expression) : expression_(std::move(expression)) {}
  math::Taylor2 at(double time) const override;

 private:
  math::Expression expression_;
};

}  // namespace flexloop::control
