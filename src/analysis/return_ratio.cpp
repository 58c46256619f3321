#include "analysis/return_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/growing_roots.hpp"
#include "linalg/all_roots.hpp"
#include "linalg/shift_invert.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;
using linalg::QuadraticPencil;

// Up to this size all poles are found; above, the nearest to zero.
constexpr int kSmall = 240;
constexpr int kPolesOfLarge = 40;
// Poles at zero come out as small numbers: share of the largest, and of K z that does not cancel.
constexpr double kZeroPole = 1e-6;
constexpr double kZeroResidual = 1e-12;
constexpr double kStable = 1e-10;  // as in Mode::isStable
constexpr double kBeyondPoles = 30.0;

std::vector<Eigenpair> findPoles(const QuadraticPencil& pencil, const std::vector<int>& groups) {
  if (pencil.size() <= kSmall) return linalg::findAllRoots(pencil).pairs;
  linalg::NearestOptions nearest;
  nearest.count = kPolesOfLarge;
  nearest.groups = groups;
  return linalg::findNearest(pencil, nearest).pairs;
}

// Those at zero are exactly zero.
std::vector<Complex> findPoleValues(const QuadraticPencil& pencil, const std::vector<int>& groups) {
  const std::vector<Eigenpair> pairs = findPoles(pencil, groups);
  double largest = 0.0;
  for (const Eigenpair& pair : pairs) largest = std::max(largest, std::abs(pair.value));
  std::vector<Complex> poles;
  for (const Eigenpair& pair : pairs) {
    const bool isZero = std::abs(pair.value) <= kZeroPole * largest &&
                        !(linalg::calcResidual(pencil, 0.0, pair.vector) > kZeroResidual);
    poles.push_back(isZero ? Complex(0.0) : pair.value);
    // One small number and its conjugate stand for a double root.
    if (isZero && pair.value.imag() != 0.0) poles.emplace_back(0.0);
  }
  return poles;
}

// A pair is given once and counts twice.
int countUnstable(const std::vector<Complex>& poles) {
  int count = 0;
  for (const Complex& pole : poles) {
    if (pole.real() > kStable * std::abs(pole)) count += pole.imag() != 0.0 ? 2 : 1;
  }
  return count;
}

}  // namespace

ReturnRatio analyzeLoop(const LinearModel& closed, const LinearPorts& ports, double lowHz,
                        double highHz) {
  ReturnRatio ratio;
  ratio.isComplete = ports.pencil.size() <= kSmall;
  std::vector<Complex> closedPoles = findPoleValues(closed.pencil, ports.groups);
  std::vector<Complex> poles = findPoleValues(ports.pencil, ports.groups);
  const auto count = [&](const QuadraticPencil& pencil, const linalg::DelayTerms& delays,
                         const std::vector<Complex>& found) -> std::optional<int> {
    if (delays.empty()) return countUnstable(found);
    return countGrowing(pencil, delays, ports.groups, {found, ratio.isComplete});
  };
  const std::optional<int> openCount = count(ports.pencil, ports.delays, poles);
  const std::optional<int> closedCount = count(closed.pencil, closed.delays, closedPoles);
  if (openCount && closedCount) {
    ratio.openUnstable = openCount;
    ratio.closedUnstable = closedCount;
  }
  poles.insert(poles.end(), closedPoles.begin(), closedPoles.end());
  std::erase(poles, Complex(0.0));
  double low = 2.0 * std::numbers::pi * lowHz, high = 2.0 * std::numbers::pi * highHz;
  for (const Complex& pole : poles) {
    low = std::min(low, std::abs(pole) / kBeyondPoles);
    high = std::max(high, std::abs(pole) * kBeyondPoles);
  }
  ResponseSolver solver(ports);
  Eigen::MatrixXcd H;
  const LoopFunction loop = [&](double omega) -> std::optional<Complex> {
    if (!solver.calc(Complex(0.0, omega), H)) return std::nullopt;
    return -H(0, 0);
  };
  ratio.margins = findMargins(loop, makeSearchGrid(low, high, poles));
  ratio.lowHz = low / (2.0 * std::numbers::pi);
  ratio.highHz = high / (2.0 * std::numbers::pi);
  return ratio;
}

}  // namespace flexloop::analysis
