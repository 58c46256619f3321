// The part of realization.hpp that makes chains of sections, equations (14.6) to (14.9).
#include <algorithm>
#include <cmath>

#include "control/dynamics/realization.hpp"

namespace flexloop::control {
namespace {

using Complex = std::complex<double>;
using Roots = std::vector<Complex>;

// A pair of conjugate poles, one real pole or two of them, and zeros, no more than poles.
struct Section {
  Roots poles, zeros{};
};

bool isPair(const Complex& root) {
  return root.imag() != 0.0;
}

int degreeOf(const Roots& roots) {
  int degree = 0;
  for (const Complex& root : roots) degree += isPair(root) ? 2 : 1;
  return degree;
}

// Takes the root nearest to `place` out of the list.
Complex takeNearest(Roots& roots, const Complex& place) {
  const auto nearest =
      std::min_element(roots.begin(), roots.end(), [&](const Complex& a, const Complex& b) {
        return std::abs(a - place) < std::abs(b - place);
      });
  const Complex root = *nearest;
  roots.erase(nearest);
  return root;
}

std::vector<Section> makeSections(const ZeroPoleGain& function) {
  Roots zeroPairs, realZeros, realPoles;
  std::vector<Section> sections;
  for (const Complex& z : function.zeros) (isPair(z) ? zeroPairs : realZeros).push_back(z);
  for (const Complex& p : function.poles) {
    if (isPair(p)) {
      sections.push_back({{p}});
    } else {
      realPoles.push_back(p);
    }
  }
  // Two real poles are one section where a pair of zeros needs both.
  while (zeroPairs.size() > sections.size()) {
    const Complex first = takeNearest(realPoles, zeroPairs.back());
    sections.push_back({{first, takeNearest(realPoles, first)}});
  }
  for (Section& section : sections) {
    if (!zeroPairs.empty()) section.zeros = {takeNearest(zeroPairs, section.poles.front())};
  }
  for (const Complex& p : realPoles) sections.push_back({{p}});
  while (!realZeros.empty()) {
    for (Section& section : sections) {
      if (realZeros.empty() || degreeOf(section.zeros) == degreeOf(section.poles)) continue;
      section.zeros.push_back(takeNearest(realZeros, section.poles.front()));
    }
  }
  return sections;
}

// The coefficients of s² + c₁ s + c₀ with these roots, two or a pair.
struct Quadratic {
  double c1, c0;
};

Quadratic makeQuadratic(const Roots& roots) {
  if (roots.size() == 1) return {-2.0 * roots[0].real(), std::norm(roots[0])};
  return {-(roots[0].real() + roots[1].real()), roots[0].real() * roots[1].real()};
}

// (14.6): the frequency r by which the section is scaled.
double frequencyOf(const Section& section) {
  double product = 1.0, largest = 0.0;
  for (const Roots* roots : {&section.poles, &section.zeros}) {
    for (const Complex& root : *roots) largest = std::max(largest, std::abs(root));
  }
  for (const Complex& pole : section.poles) product *= std::abs(pole);
  if (product == 0.0) return largest > 0.0 ? largest : 1.0;
  return section.poles.size() == 2 ? std::sqrt(product) : product;
}

StateMatrices makeFirstOrder(const Section& section, double r) {
  const double p = section.poles[0].real();
  const bool hasZero = !section.zeros.empty();
  const double toOutput = hasZero ? (p - section.zeros[0].real()) / r : 1.0;
  using Eigen::MatrixXd;
  return {MatrixXd::Constant(1, 1, p), MatrixXd::Constant(1, 1, r),
          MatrixXd::Constant(1, 1, toOutput), MatrixXd::Constant(1, 1, hasZero ? 1.0 : 0.0)};
}

// (14.7): x₂ = r (s − p₁)/a(s) u and x₁ = r²/a(s) u.
StateMatrices makeSecondOrder(const Section& section, double r) {
  const bool isComplex = section.poles.size() == 1;
  const double p1 = section.poles.front().real(), p2 = section.poles.back().real();
  const double omega = section.poles.front().imag();
  StateMatrices s{Eigen::MatrixXd(2, 2), Eigen::MatrixXd(2, 1), Eigen::MatrixXd(1, 2),
                  Eigen::MatrixXd::Zero(1, 1)};
  s.A << p1, r, isComplex ? -omega * (omega / r) : 0.0, p2;
  s.B << 0.0, r;
  const int zeros = degreeOf(section.zeros);
  if (zeros == 0) {
    s.C << 1.0, 0.0;
  } else if (zeros == 1) {
    s.C << (p1 - section.zeros[0].real()) / r, 1.0;
  } else {
    const Quadratic a = makeQuadratic(section.poles), b = makeQuadratic(section.zeros);
    const double c1 = b.c1 - a.c1, c0 = b.c0 - a.c0;
    s.C << (c0 / r + c1 * (p1 / r)) / r, c1 / r;
    s.D << 1.0;
  }
  return s;
}

// (14.9): `second` reads the output of `first`.
StateMatrices inSeries(const StateMatrices& first, const StateMatrices& second) {
  const int n = first.countStates(), m = second.countStates();
  StateMatrices s{Eigen::MatrixXd::Zero(n + m, n + m), Eigen::MatrixXd(n + m, 1),
                  Eigen::MatrixXd(1, n + m), second.D * first.D};
  s.A.topLeftCorner(n, n) = first.A;
  s.A.bottomLeftCorner(m, n) = second.B * first.C;
  s.A.bottomRightCorner(m, m) = second.A;
  s.B.topRows(n) = first.B;
  s.B.bottomRows(m) = second.B * first.D;
  s.C.leftCols(n) = second.D * first.C;
  s.C.rightCols(m) = second.C;
  return s;
}

}  // namespace

StateMatrices realizeZeroPoleGain(const ZeroPoleGain& function) {
  StateMatrices chain{Eigen::MatrixXd(0, 0), Eigen::MatrixXd(0, 1), Eigen::MatrixXd(1, 0),
                      Eigen::MatrixXd::Ones(1, 1)};
  double gain = function.gain;
  for (const Section& section : makeSections(function)) {
    const double r = frequencyOf(section);
    gain /= std::pow(r, degreeOf(section.poles) - degreeOf(section.zeros));
    chain = inSeries(chain, degreeOf(section.poles) == 1 ? makeFirstOrder(section, r)
                                                         : makeSecondOrder(section, r));
  }
  chain.C *= gain;
  chain.D *= gain;
  return chain;
}

}  // namespace flexloop::control
