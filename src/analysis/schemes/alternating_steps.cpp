#include "analysis/schemes/alternating_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/LU>

#include "linalg/roots/polynomial_roots.hpp"

namespace flexloop::analysis {
namespace {

using solve::MotionScheme;
using solve::StateScheme;

constexpr std::array<double, 7> kRatios{1.0, 2.0, 5.0, 10.0, 50.0, 100.0, 1000.0};

double calcRadius(double trace, double determinant) {
  const double discriminant = 0.25 * trace * trace - determinant;
  if (discriminant < 0.0) return std::sqrt(determinant);
  return 0.5 * std::abs(trace) + std::sqrt(discriminant);
}

// By the characteristic polynomial.
double calcRadius(const Eigen::Matrix3d& A) {
  const double trace = A.trace();
  const double minors = 0.5 * (trace * trace - (A * A).trace());
  double radius = 0.0;
  for (const auto& z : linalg::calcRoots({{-A.determinant(), minors, -trace, 1.0}})) {
    radius = std::max(radius, std::abs(z));
  }
  return radius;
}

// (11.14), with q = 0 at both ends.
Eigen::Matrix2d makeFastStep(const MotionScheme& s, double h) {
  Eigen::Matrix2d A;
  A << 1.0 - s.gamma / s.beta, h * (1.0 - 0.5 * s.gamma / s.beta),  //
      -1.0 / (s.beta * h), 1.0 - 0.5 / s.beta;
  return A;
}

// (9.1) for q'' + 2ζω q' + ω² q = 0, in (q, v, a).
Eigen::Matrix3d makeStep(const MotionScheme& s, double h, double zeta, double omega) {
  const double c = 2.0 * zeta * omega, k = omega * omega;
  Eigen::Matrix3d left, right;
  left << 1.0, 0.0, -h * h * s.beta,  //
      0.0, 1.0, -h * s.gamma,         //
      (1.0 - s.alphaF) * k, (1.0 - s.alphaF) * c, 1.0 - s.alphaM;
  right << 1.0, h, h * h * (0.5 - s.beta),  //
      0.0, 1.0, h * (1.0 - s.gamma),        //
      -s.alphaF * k, -s.alphaF * c, -s.alphaM;
  return left.inverse() * right;
}

double rootOf(double weight) {
  return weight / (1.0 - weight);
}

}  // namespace

std::vector<AlternatingRadius> calcAlternatingRadii(const solve::Scheme& scheme, double zeta,
                                                    const std::vector<double>& frequencies) {
  std::vector<AlternatingRadius> radii;
  const MotionScheme& m = scheme.motion;
  const StateScheme& x = scheme.state;
  for (const double ratio : kRatios) {
    const double h = 1.0 / ratio;
    const solve::Scheme other = solve::adaptToStep(scheme, {h, 1.0, 1.0});
    const MotionScheme& mh = other.motion;
    const StateScheme& xh = other.state;
    AlternatingRadius radius{.ratio = ratio};
    const Eigen::Matrix2d fast = makeFastStep(mh, h) * makeFastStep(m, 1.0);
    radius.motion = std::max(calcRadius(fast.trace(), fast.determinant()),
                             std::abs(rootOf(m.alphaF) * rootOf(mh.alphaF)));
    radius.index2 = std::abs(rootOf(1.0 - m.gamma) * rootOf(1.0 - mh.gamma));
    radius.state = std::max(std::abs(rootOf(1.0 - x.theta) * rootOf(1.0 - xh.theta)),
                            std::abs(rootOf(x.deltaF) * rootOf(xh.deltaF)));
    for (const double omega : frequencies) {
      const Eigen::Matrix3d both = makeStep(mh, h, zeta, omega) * makeStep(m, 1.0, zeta, omega);
      radius.largest = std::max(radius.largest, calcRadius(both));
    }
    radii.push_back(radius);
  }
  return radii;
}

}  // namespace flexloop::analysis
