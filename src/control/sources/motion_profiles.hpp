// Moves from rest to rest, to drive joints and references (docs/theory/13_algebra_and_sources.md,
// section 13.6). Value and first two derivatives are exact; before the start and after the end the
// move rests.
#pragma once

#include <vector>

#include "control/sources/source.hpp"

namespace flexloop::control {

// A move in pieces of constant jerk,
//
//     (13.13)  s = s_i + v_i τ + a_i τ²/2 + j_i τ³/6,   τ = t − t_i
class PiecewiseMove final : public TimeFunction {
 public:
  // How long the jerk has this value.
  struct Phase {
    double duration, jerk;
  };
  // `accelerations` are those at the start of each phase: a trapezoid of velocity has steps there.
  PiecewiseMove(double start, double from, double distance, const std::vector<Phase>& phases,
                const std::vector<double>& accelerations);

  math::Taylor2 at(double time) const override;
  std::vector<double> breaks() const override;
  double end() const { return end_; }

 private:
  struct Piece {
    double start, position, velocity, acceleration, jerk;
  };
  double start_, from_, distance_, end_;
  std::vector<Piece> pieces_;
};

// Limits are positive; the move has the sign of the distance.
struct MoveLimits {
  double velocity, acceleration;
};

// The fastest move within the limits (13.14): its velocity is a trapezoid, or a triangle.
PiecewiseMove makeTrapezoid(double start, double from, double distance, const MoveLimits& limits);

// The fastest move that also keeps a limit of jerk (13.15).
PiecewiseMove makeSCurve(double start, double from, double distance, const MoveLimits& limits,
                         double jerk);

// A polynomial of order 3, 5 or 7 whose derivatives up to the first, second or third vanish at both
// ends (13.16).
class PolynomialMove final : public TimeFunction {
 public:
  PolynomialMove(double start, double from, double distance, double duration, int order);
  math::Taylor2 at(double time) const override;
  std::vector<double> breaks() const override { return {start_, end_}; }

 private:
  double start_, from_, distance_, duration_, end_;
  std::vector<double> coefficients_;  // of τ^n, τ^(n+1) …, n = (order + 1)/2
};

}  // namespace flexloop::control
