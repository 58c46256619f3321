#include "control/dynamics/filters.hpp"

#include <cmath>
#include <numbers>

namespace flexloop::control {
namespace {

using Complex = std::complex<double>;
using Roots = std::vector<Complex>;

// (14.10): the poles of the Butterworth filter for 1 rad/s, of each pair the upper one.
Roots makePrototype(int order) {
  Roots poles;
  for (int k = 0; k < order / 2; ++k) {
    const double angle = std::numbers::pi * (2 * k + 1) / (2.0 * order);
    poles.emplace_back(-std::sin(angle), std::cos(angle));
  }
  if (order % 2 == 1) poles.emplace_back(-1.0, 0.0);
  return poles;
}

Roots scaled(Roots roots, double omega) {
  for (Complex& root : roots) root *= omega;
  return roots;
}

// The roots of s² + 2ζω s + ω².
Roots makeOscillator(double omega, double damping) {
  if (damping < 1.0) {
    return {{-damping * omega, omega * std::sqrt((1.0 - damping) * (1.0 + damping))}};
  }
  const double large = omega * (damping + std::sqrt((damping - 1.0) * (damping + 1.0)));
  return {-large, -omega * (omega / large)};
}

}  // namespace

ZeroPoleGain makeLowPass(int order, double omega) {
  return {{}, scaled(makePrototype(order), omega), std::pow(omega, order)};
}

ZeroPoleGain makeHighPass(int order, double omega) {
  return {Roots(order, 0.0), scaled(makePrototype(order), omega), 1.0};
}

ZeroPoleGain makeBandPass(int order, double omega, double width) {
  ZeroPoleGain filter{Roots(order, 0.0), {}, std::pow(width, order)};
  for (const Complex& p : makePrototype(order)) {
    // (14.11): s² − p W s + ω² = 0
    if (p.imag() == 0.0) {
      for (const Complex& s : makeOscillator(omega, 0.5 * width / omega)) filter.poles.push_back(s);
      continue;
    }
    const Complex half = 0.5 * width * p;
    const Complex root = std::sqrt(half * half - omega * omega);
    const Complex s1 = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
    for (const Complex& s : {s1, omega * omega / s1}) {
      filter.poles.emplace_back(s.real(), std::abs(s.imag()));
    }
  }
  return filter;
}

ZeroPoleGain makeNotch(double omega, double damping, double depth) {
  return {makeOscillator(omega, depth * damping), makeOscillator(omega, damping), 1.0};
}

}  // namespace flexloop::control
