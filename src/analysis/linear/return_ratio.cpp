#include "analysis/linear/return_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/modes/growing_roots.hpp"
#include "analysis/modes/zero_roots.hpp"
#include "linalg/roots/all_roots.hpp"
#include "linalg/roots/shift_invert.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using linalg::Eigenpair;
using linalg::QuadraticPencil;

constexpr int kPolesOfLarge = 40;
constexpr double kBeyondPoles = 30.0;

struct LoopPoles {
  std::vector<Complex> values;  // conjugates once; those at zero are exactly zero
  std::optional<int> growing;
  bool isComplete = false;
  double searched = 0.0;  // [rad/s], if it is not
};

LoopPoles findPoles(const system::System& system, const LinearModel& linear) {
  const QuadraticPencil& pencil = linear.pencil;
  LoopPoles poles;
  poles.isComplete = pencil.size() <= kMostForAllRoots;
  std::vector<Eigenpair> pairs;
  if (poles.isComplete) {
    pairs = linalg::findAllRoots(pencil).pairs;
  } else {
    linalg::NearestOptions nearest;
    nearest.count = kPolesOfLarge;
    nearest.groups = linear.groups;
    pairs = linalg::findNearest(pencil, nearest).pairs;
  }
  // As `modes` has them: chains at zero come out as numbers that rounding has moved.
  setZeroRoots(linear, pairs);
  for (const Eigenpair& pair : pairs) poles.values.push_back(pair.value);
  if (!linear.delays.empty()) {
    poles.growing =
        countGrowing(pencil, linear.delays, linear.groups, {poles.values, poles.isComplete});
    return poles;
  }
  const GrowingRoots growing =
      poles.isComplete ? pickGrowingRoots(pairs) : findGrowingRoots(system, linear, pairs);
  poles.growing = 0;
  for (const Eigenpair& pair : growing.pairs) {
    *poles.growing += pair.value.imag() != 0.0 ? 2 : 1;
  }
  poles.isComplete = growing.isCertain;
  poles.searched = growing.searched;
  return poles;
}

}  // namespace

void ReturnRatio::tellIfUnresolved() {
  if (margins.isResolved) return;
  note += (note.empty() ? "" : "; ");
  note +=
      "L varies too rapidly with frequency to be resolved everywhere: some crossings, and with "
      "them margins, may be missing";
}

ReturnRatio analyzeLoop(const system::System& system, const LinearModel& closed,
                        const LinearPorts& ports, double lowHz, double highHz) {
  ReturnRatio ratio;
  LinearModel cut = closed;
  cut.pencil = ports.pencil;
  cut.delays = ports.delays;
  const LoopPoles closedPoles = findPoles(system, closed), open = findPoles(system, cut);
  ratio.isComplete = closedPoles.isComplete && open.isComplete;
  ratio.searchedHz = std::min(closedPoles.searched, open.searched) / (2.0 * std::numbers::pi);
  if (open.growing && closedPoles.growing) {
    ratio.openUnstable = open.growing;
    ratio.closedUnstable = closedPoles.growing;
  }
  std::vector<Complex> poles = open.values;
  poles.insert(poles.end(), closedPoles.values.begin(), closedPoles.values.end());
  std::erase(poles, Complex(0.0));
  double low = 2.0 * std::numbers::pi * lowHz, high = 2.0 * std::numbers::pi * highHz;
  for (const Complex& pole : poles) {
    low = std::min(low, std::abs(pole) / kBeyondPoles);
    high = std::max(high, std::abs(pole) * kBeyondPoles);
  }
  ResponseSolver solver(ports);
  Eigen::MatrixXcd H;
  Eigen::MatrixXd roundOff;
  const LoopFunction loop = [&](double omega) -> std::optional<LoopValue> {
    if (!solver.calc(Complex(0.0, omega), H, roundOff)) return std::nullopt;
    return LoopValue(-H(0, 0), roundOff(0, 0));
  };
  ratio.margins = findMargins(loop, makeSearchGrid(low, high, poles));
  ratio.tellIfUnresolved();
  ratio.lowHz = low / (2.0 * std::numbers::pi);
  ratio.highHz = high / (2.0 * std::numbers::pi);
  return ratio;
}

}  // namespace flexloop::analysis
