#include "analysis/schemes/scheme_properties.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "linalg/roots/polynomial_roots.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Roots = std::vector<Complex>;  // in p

// The order of accuracy follows from parameters that may have been typed with few digits.
constexpr double kSameParameter = 1e-6;
// Of |p|: roots on the imaginary axis come out this far from it at most.
constexpr double kOnTheAxis = 1e-9;
constexpr double kRounding = 1e-15;
constexpr int kBisections = 60;

Complex amplificationOf(Complex p) {
  return (1.0 + p) / (1.0 - p);
}

bool isStable(const Roots& roots) {
  return std::all_of(roots.begin(), roots.end(), [](const Complex& p) {
    const double growth = 4.0 * p.real() / std::norm(1.0 - p);  // |z|² − 1
    return p.real() <= kOnTheAxis * std::abs(p) || growth <= kRounding;
  });
}

// A polynomial in p with the degree that it has in z.
class Spectrum {
 public:
  explicit Spectrum(SchemePolynomial polynomial) : polynomial_(std::move(polynomial)) {}

  Roots rootsAt(double frequency) const { return linalg::calcRoots(polynomial_.at(frequency)); }

  double radiusOf(const Roots& roots) const {
    double radius = roots.size() < degree() ? 1.0 : 0.0;  // z = −1
    for (const Complex& p : roots) radius = std::max(radius, std::abs(amplificationOf(p)));
    return radius;
  }

  std::optional<double> findUnstable(const std::vector<double>& frequencies) const {
    const auto first = std::find_if(frequencies.begin(), frequencies.end(),
                                    [&](double f) { return !isStable(rootsAt(f)); });
    if (first == frequencies.end()) return std::nullopt;
    if (first == frequencies.begin()) return *first;
    double stable = *(first - 1), unstable = *first;
    for (int i = 0; i < kBisections; ++i) {
      const double middle = std::sqrt(stable * unstable);
      (isStable(rootsAt(middle)) ? stable : unstable) = middle;
    }
    return unstable;
  }

 private:
  std::size_t degree() const { return polynomial_.terms.front().coefficients.size() - 1; }

  SchemePolynomial polynomial_;
};

// (11.12), with the logarithm ln z = 2 artanh p that keeps its digits near z = 1.
void compareOscillation(const Roots& roots, double zeta, SchemePoint& point) {
  if (zeta >= 1.0) return;
  const Complex exact = point.frequency * Complex(-zeta, std::sqrt(1.0 - zeta * zeta));
  if (exact.imag() >= std::numbers::pi) return;
  // Three roots have one conjugate pair at most.
  const auto above =
      std::find_if(roots.begin(), roots.end(), [](const Complex& p) { return p.imag() > 0.0; });
  if (above == roots.end()) return;
  const Complex pole = 2.0 * std::atanh(*above);
  point.periodError = exact.imag() / pole.imag() - 1.0;
  point.dampingError = -pole.real() / std::abs(pole) - zeta;
  const double stepsPerPeriod = 2.0 * std::numbers::pi / exact.imag();
  point.amplitudeError = std::expm1(stepsPerPeriod * (pole.real() - exact.real()));
}

// Of two real roots, the larger one starts at z = 1 for small steps. A decay has 0 < z < 1, which is
// |p| < 1; roots z = 0 are no decay, whatever rounding makes of them.
void compareDecay(const Roots& roots, SchemePoint& point) {
  const auto decay = std::find_if(roots.rbegin(), roots.rend(), [](const Complex& p) {
    return p.imag() == 0.0 && std::abs(p.real()) < 1.0 - kOnTheAxis;
  });
  if (decay == roots.rend()) return;
  point.rateError = -2.0 * std::atanh(decay->real()) / point.frequency - 1.0;
}

std::vector<double> makeFrequencies(const FrequencyRange& range) {
  std::vector<double> frequencies;
  const double ratio = range.to / range.from;
  for (int i = 0; i < range.count; ++i) {
    frequencies.push_back(range.from * std::pow(ratio, i / (range.count - 1.0)));
  }
  frequencies.back() = range.to;
  return frequencies;
}

PerKind<SchemePolynomial> makePolynomials(const solve::Scheme& scheme, const TestSystem& system,
                                          SchemeVariable variable) {
  return {makeMotionPolynomial(scheme.motion, system.zeta, variable),
          makeStatePolynomial(scheme.state, variable),
          makeCoupledPolynomial(scheme, system, variable)};
}

PerKind<int> calcOrder(const solve::Scheme& scheme) {
  const auto orderOf = [](double excess) { return std::abs(excess) < kSameParameter ? 2 : 1; };
  const int motion = orderOf(scheme.motion.gamma + scheme.motion.offset() - 0.5);
  const int state = orderOf(scheme.state.theta + scheme.state.deltaM - scheme.state.deltaF - 0.5);
  return {motion, state, std::min(motion, state)};
}

PerKind<double> calcRadiiAtInfinity(const solve::Scheme& scheme) {
  const double motion = calcRadiusAtInfinity(scheme.motion);
  const double state = calcRadiusAtInfinity(scheme.state);
  return {motion, state, std::max(motion, state)};  // (11.10)
}

}  // namespace

SchemeProperties calcSchemeProperties(const solve::Scheme& scheme, const TestSystem& system,
                                      const FrequencyRange& range) {
  auto inP = makePolynomials(scheme, system, SchemeVariable::kBilinear);
  const Spectrum motion(std::move(inP.motion)), state(std::move(inP.state)),
      coupled(std::move(inP.coupled));
  const std::vector<double> frequencies = makeFrequencies(range);
  SchemeProperties properties{
      .polynomials = makePolynomials(scheme, system, SchemeVariable::kAmplification),
      .order = calcOrder(scheme),
      .radiusAtInfinity = calcRadiiAtInfinity(scheme),
      .unstableFrom = {motion.findUnstable(frequencies), state.findUnstable(frequencies),
                       coupled.findUnstable(frequencies)},
      .points = {},
      .alternating = calcAlternatingRadii(scheme, system.zeta, frequencies)};
  for (const double frequency : frequencies) {
    SchemePoint point{.frequency = frequency};
    const Roots motionRoots = motion.rootsAt(frequency), stateRoots = state.rootsAt(frequency);
    point.motionRadius = motion.radiusOf(motionRoots);
    compareOscillation(motionRoots, system.zeta, point);
    point.stateRadius = state.radiusOf(stateRoots);
    compareDecay(stateRoots, point);
    point.coupledRadius = coupled.radiusOf(coupled.rootsAt(frequency));
    properties.points.push_back(point);
  }
  return properties;
}

}  // namespace flexloop::analysis
