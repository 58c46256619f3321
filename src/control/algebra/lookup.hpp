// Values at given points and what lies between them (docs/theory/13_algebra_and_sources.md, sections
// 13.3 and 13.4).
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "control/blocks/block.hpp"
#include "math/expressions/expression_functions.hpp"

namespace flexloop::control {

// The points along one direction, ascending, and the weights with which values f and slopes d at the
// two neighbours of x enter:
//
//     (13.7)  f(x) = w_0 f_i + w_1 f_{i+1} + w_2 d_i + w_3 d_{i+1}
class Axis {
 public:
  enum class Extrapolation { kHold, kLinear };
  // From the right where the function is not smooth.
  struct Weights {
    int index = 0;
    std::array<double, 4> value{}, first{}, second{};
  };

  Axis(std::vector<double> points, bool isCubic, Extrapolation extrapolation)
      : points_(std::move(points)), isCubic_(isCubic), extrapolation_(extrapolation) {}

  const std::vector<double>& points() const { return points_; }
  Weights at(double x) const;

 private:
  Weights inside(int index, double x) const;
  Weights outside(int index, bool isRight, double x) const;

  std::vector<double> points_;
  bool isCubic_;
  Extrapolation extrapolation_;
};

// Slopes of the natural cubic spline at the points (13.9).
std::vector<double> calcSplineSlopes(const std::vector<double>& x, const std::vector<double>& y);

// y = f(u). Slopes may be absent where the axis is not cubic.
class Lookup final : public BlockOf<Lookup> {
 public:
  Lookup(Axis axis, std::vector<double> values, std::vector<double> slopes);
  BlockSize size() const override { return {}; }
  math::Jet1 at(double x) const;

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = math::lift(at(math::valueOf(p.u[0])), p.u[0]);
  }

 private:
  Axis axis_;
  std::vector<double> values_, slopes_;
};

// y = f(u_1, u_2), the product of the rules along both directions (13.11).
class Lookup2 final : public BlockOf<Lookup2> {
 public:
  // Values have one row for each point of x and one column for each of y.
  Lookup2(Axis x, Axis y, const Eigen::MatrixXd& values, bool isCubic);
  BlockSize size() const override { return {.inputs = 2}; }
  math::Jet2 at(double x, double y) const;

  template <class S>
  void evaluate(const BlockPorts<S>& p) const {
    p.y[0] = math::lift(at(math::valueOf(p.u[0]), math::valueOf(p.u[1])), p.u[0], p.u[1]);
  }

 private:
  Axis x_, y_;
  Eigen::MatrixXd f_, fx_, fy_, fxy_;
};

}  // namespace flexloop::control
