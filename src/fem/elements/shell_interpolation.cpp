#include "fem/elements/shell_interpolation.hpp"

#include <array>
#include <cmath>

namespace flexloop::fem {

namespace {

constexpr std::array<SurfacePoint, 9> kQuadNodes{{{-1, -1, 0},
                                                  {1, -1, 0},
                                                  {1, 1, 0},
                                                  {-1, 1, 0},
                                                  {0, -1, 0},
                                                  {1, 0, 0},
                                                  {0, 1, 0},
                                                  {-1, 0, 0},
                                                  {0, 0, 0}}};
constexpr std::array<SurfacePoint, 6> kTriNodes{
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {.5, 0, 0}, {.5, .5, 0}, {0, .5, 0}}};

void addTri3(double r, double s, ShapeValues& v) {
  v.N.head<3>() << 1 - r - s, r, s;
  v.N_r.head<3>() << -1, 1, 0;
  v.N_s.head<3>() << -1, 0, 1;
}

void addTri6(double r, double s, ShapeValues& v) {
  const double t = 1 - r - s;
  v.N.head<6>() << t * (2 * t - 1), r * (2 * r - 1), s * (2 * s - 1), 4 * r * t, 4 * r * s,
      4 * s * t;
  v.N_r.head<6>() << 1 - 4 * t, 4 * r - 1, 0, 4 * (t - r), 4 * s, -4 * s;
  v.N_s.head<6>() << 1 - 4 * t, 0, 4 * s - 1, -4 * r, 4 * r, 4 * (t - s);
}

void addQuad4(double r, double s, ShapeValues& v) {
  for (int i = 0; i < 4; ++i) {
    const auto [ri, si, unused] = kQuadNodes[static_cast<std::size_t>(i)];
    v.N[i] = (1 + ri * r) * (1 + si * s) / 4;
    v.N_r[i] = ri * (1 + si * s) / 4;
    v.N_s[i] = si * (1 + ri * r) / 4;
  }
}

void addQuad8(double r, double s, ShapeValues& v) {
  for (int i = 0; i < 8; ++i) {
    const auto [ri, si, unused] = kQuadNodes[static_cast<std::size_t>(i)];
    const double p = 1 + ri * r, q = 1 + si * s;
    if (i < 4) {
      v.N[i] = p * q * (ri * r + si * s - 1) / 4;
      v.N_r[i] = ri * q * (2 * ri * r + si * s) / 4;
      v.N_s[i] = si * p * (2 * si * s + ri * r) / 4;
    } else if (ri == 0) {
      v.N[i] = (1 - r * r) * q / 2;
      v.N_r[i] = -r * q;
      v.N_s[i] = si * (1 - r * r) / 2;
    } else {
      v.N[i] = (1 - s * s) * p / 2;
      v.N_r[i] = ri * (1 - s * s) / 2;
      v.N_s[i] = -s * p;
    }
  }
}

// Lagrange polynomial of the node at x_i ∈ {-1, 0, 1} and its slope.
std::array<double, 2> parabola(double at, double x) {
  if (at == 0) {
    return {1 - x * x, -2 * x};
  }
  return {x * (x + at) / 2, x + at / 2};
}

void addQuad9(double r, double s, ShapeValues& v) {
  for (int i = 0; i < 9; ++i) {
    const auto [ri, si, unused] = kQuadNodes[static_cast<std::size_t>(i)];
    const auto [p, p_r] = parabola(ri, r);
    const auto [q, q_s] = parabola(si, s);
    v.N[i] = p * q;
    v.N_r[i] = p_r * q;
    v.N_s[i] = p * q_s;
  }
}

template <std::size_t n>
std::array<SurfacePoint, n * n> makeProductRule(const std::array<double, n>& places,
                                                const std::array<double, n>& weights) {
  std::array<SurfacePoint, n * n> rule{};
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      rule[n * j + i] = {places[i], places[j], weights[i] * weights[j]};
    }
  }
  return rule;
}

}  // namespace

int nodeCount(ShellInterpolation shape) {
  switch (shape) {
    case ShellInterpolation::kTri3:
      return 3;
    case ShellInterpolation::kQuad4:
      return 4;
    case ShellInterpolation::kTri6:
      return 6;
    case ShellInterpolation::kQuad8:
      return 8;
    case ShellInterpolation::kQuad9:
      return 9;
  }
  return 0;
}

ShapeValues calcShapeValues(ShellInterpolation shape, double r, double s) {
  ShapeValues values;
  values.N.setZero();
  values.N_r.setZero();
  values.N_s.setZero();
  switch (shape) {
    case ShellInterpolation::kTri3:
      addTri3(r, s, values);
      break;
    case ShellInterpolation::kQuad4:
      addQuad4(r, s, values);
      break;
    case ShellInterpolation::kTri6:
      addTri6(r, s, values);
      break;
    case ShellInterpolation::kQuad8:
      addQuad8(r, s, values);
      break;
    case ShellInterpolation::kQuad9:
      addQuad9(r, s, values);
      break;
  }
  return values;
}

SurfacePoint nodePoint(ShellInterpolation shape, int node) {
  const auto i = static_cast<std::size_t>(node);
  const bool isTriangle = shape == ShellInterpolation::kTri3 || shape == ShellInterpolation::kTri6;
  return isTriangle ? kTriNodes[i] : kQuadNodes[i];
}

std::span<const SurfacePoint> triangleMiddles() {
  static constexpr std::array<SurfacePoint, 3> kRule{
      {{.5, 0, 1. / 6}, {.5, .5, 1. / 6}, {0, .5, 1. / 6}}};
  return kRule;
}

std::span<const SurfacePoint> triangleSixPoints() {
  // Two orbits (a, a), (1 - 2a, a), (a, 1 - 2a): the moments up to degree 4 give (Strang & Fix)
  //   a = (8 - √10 ± √(38 - 44 √(2/5))) / 18,  weights (620 ± √(213125 - 53320 √10)) / 7440 on an area of 1/2.
  static const std::array<SurfacePoint, 6> rule = [] {
    const double root = std::sqrt(38 - 44 * std::sqrt(.4));
    const double part = std::sqrt(213125 - 53320 * std::sqrt(10.));
    std::array<SurfacePoint, 6> points{};
    for (std::size_t orbit = 0; orbit < 2; ++orbit) {
      const double sign = orbit == 0 ? 1 : -1;
      const double a = (8 - std::sqrt(10.) + sign * root) / 18;
      const double weight = (620 + sign * part) / 7440;
      points[3 * orbit] = {a, a, weight};
      points[3 * orbit + 1] = {1 - 2 * a, a, weight};
      points[3 * orbit + 2] = {a, 1 - 2 * a, weight};
    }
    return points;
  }();
  return rule;
}

std::span<const SurfacePoint> gaussTwoByTwo() {
  static const auto rule = makeProductRule<2>({-std::sqrt(1. / 3), std::sqrt(1. / 3)}, {1., 1.});
  return rule;
}

std::span<const SurfacePoint> gaussThreeByThree() {
  static const auto rule =
      makeProductRule<3>({-std::sqrt(.6), 0., std::sqrt(.6)}, {5. / 9, 8. / 9, 5. / 9});
  return rule;
}

}  // namespace flexloop::fem
