#include "analysis/modes/growing_roots.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/linear/frequency_response.hpp"
#include "analysis/linear/loop_margins.hpp"
#include "analysis/modes/energy_bound.hpp"
#include "analysis/modes/growth_seeds.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/roots/shift_invert.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
constexpr double kStable = 1e-10;  // as in Mode::isStable
// A sum may be off by this many roundings of its terms, as in zero_structure.cpp; and a root of a chain moves by several of
// the uncertainties that one rounding makes.
constexpr double kRoundings = 16.0, kOneRounding = 4.0;
// The smallest and the largest size of a root that is counted, by those of the poles and of 1/τ.
constexpr double kInner = 1e-6, kOuter = 30.0, kFarthest = 1e6;
constexpr double kBelowLargest = 0.97;  // where not all poles are known
constexpr int kPointsPerDecade = 60, kPointsOfArc = 12;
// Delays feed back less than this: nothing can go round zero.
constexpr double kSmallGain = 0.9;
// A step may turn the determinant, all poles together, and the delays by so much [rad].
constexpr double kTurn = 0.5, kPoleTurn = 2.0, kDelayTurn = 0.5;
constexpr double kShortest = 4e-10;  // step by |s|
constexpr int kMostSolutions = 200000;
constexpr double kWhole = 0.05;

// Of a large machine: roots about zero, and about points on the imaginary axis beyond them and one on the real axis.
constexpr int kRootsPerShift = 8, kShifts = 4, kMostForShifts = 30000;
constexpr int kMostUpToBound = 160;
constexpr double kShiftRatio = 2.0;
// A search that ends before it has as many roots as it was asked for has seen all up to so many times the nearest.
constexpr double kSurelySeen = 1e4;
constexpr double kSameRoot = 1e-6;
// A fine mesh has as many roots about the rates of its elements as it has elements, all about equally far from a point there: a
// search that does not end soon would take a time that grows with their square and more.
constexpr int kRestartsPerShift = 16, kRestartsUpToBound = 60;

bool isListed(const std::vector<linalg::Eigenpair>& pairs, const linalg::Eigenpair& pair) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const linalg::Eigenpair& other) {
    const bool isSame = std::abs(other.value - pair.value) <= kSameRoot * std::abs(pair.value);
    return isSame && std::abs(other.vector.dot(pair.vector)) > 1.0 - kSameRoot;
  });
}

double wrap(double angle) {
  return std::remainder(angle, 2.0 * kPi);
}

// Along a path of straight steps. det P(s) is, up to a constant, that of Q(s) = 1 − G(s) Δ(s) times (s − p) for all
// poles p of G (19.7); Δ = diag(e^{−sτ}).
class TurnCount {
 public:
  TurnCount(const LinearPorts& ports, const linalg::DelayTerms& delays, std::vector<Complex> poles)
      : solver_(ports), delays_(delays), poles_(std::move(poles)) {
    for (const linalg::DelayTerm& term : delays) longest_ = std::max(longest_, term.delay);
  }

  void moveTo(Complex s) {
    const Point next = evaluate(s);
    if (isStarted_) follow(last_, next);
    last_ = next;
    isStarted_ = true;
  }

  bool ok() const { return !failed_; }
  bool isSmall() const { return last_.isSmall; }
  double turn() const { return turn_; }

 private:
  struct Point {
    Complex s;
    double angle = 0.0;  // of det Q; with a small gain it is continuous
    bool isSmall = false;
  };

  Point evaluate(Complex s) {
    Point point{s};
    Eigen::MatrixXcd G;
    // Exactly on a pole: a little farther.
    if (++solutions_ > kMostSolutions ||
        (!solver_.calc(s, G) && !solver_.calc(s * (1.0 + kStable), G))) {
      failed_ = true;
      return point;
    }
    for (std::size_t j = 0; j < delays_.size(); ++j) {
      G.col(static_cast<Eigen::Index>(j)) *= std::exp(-s * delays_[j].delay);
    }
    point.isSmall = G.norm() < kSmallGain;
    const Eigen::MatrixXcd Q = Eigen::MatrixXcd::Identity(G.rows(), G.cols()) - G;
    for (const Complex& value : linalg::findEigenvalues(Q)) point.angle += std::arg(value);
    return point;
  }

  void follow(const Point& a, const Point& b) {
    if (failed_) return;
    double poleTurn = 0.0, poleTurns = 0.0;
    for (const Complex& pole : poles_) {
      const double angle = std::arg((b.s - pole) / (a.s - pole));
      poleTurn += angle;
      poleTurns += std::abs(angle);
    }
    if (a.isSmall && b.isSmall) {
      turn_ += poleTurn + b.angle - a.angle;
      return;
    }
    const double length = std::abs(b.s - a.s), turn = wrap(poleTurn + b.angle - a.angle);
    const bool isFine =
        std::abs(turn) < kTurn && poleTurns < kPoleTurn && length * longest_ < kDelayTurn;
    if (isFine || length < kShortest * std::abs(b.s)) {
      turn_ += turn;
      return;
    }
    const Point middle = evaluate(0.5 * (a.s + b.s));
    follow(a, middle);
    follow(middle, b);
  }

  ResponseSolver solver_;
  const linalg::DelayTerms& delays_;
  std::vector<Complex> poles_;
  double longest_ = 0.0;
  int solutions_ = 0;
  bool isStarted_ = false, failed_ = false;
  Point last_;
  double turn_ = 0.0;
};

// From what delays give to what they read, all of them cut.
LinearPorts makeDelayPorts(const linalg::QuadraticPencil& pencil, const linalg::DelayTerms& delays,
                           const std::vector<int>& groups) {
  LinearPorts ports;
  ports.pencil = pencil;
  ports.groups = groups;
  ports.F.setZero(pencil.size(), std::ssize(delays));
  for (std::size_t j = 0; j < delays.size(); ++j) {
    ports.F(delays[j].row, static_cast<Eigen::Index>(j)) = -delays[j].factor;
    ports.outputs.push_back(delays[j].column);
  }
  return ports;
}

struct Radii {
  double inner = INFINITY, outer = 0.0;
};

Radii findRadii(const linalg::DelayTerms& delays, const UndelayedRoots& undelayed) {
  Radii radii;
  double largest = 0.0;
  for (const Complex& pole : undelayed.values) {
    if (pole != 0.0) radii.inner = std::min(radii.inner, std::abs(pole));
    largest = std::max(largest, std::abs(pole));
  }
  radii.outer = undelayed.isComplete ? kOuter * largest : kBelowLargest * largest;
  for (const linalg::DelayTerm& term : delays) {
    radii.inner = std::min(radii.inner, 1.0 / term.delay);
    if (undelayed.isComplete) radii.outer = std::max(radii.outer, kOuter / term.delay);
  }
  radii.inner *= kInner;
  return radii;
}

// About each pole as dense as it is sharp, so that no resonance hides between two points.
std::vector<double> makeRay(const Radii& radii, const std::vector<Complex>& poles) {
  std::vector<double> ray = makeSearchGrid(radii.inner, radii.outer, poles);
  ray.front() = radii.inner;
  return ray;
}

GrowingRoots pick(const std::vector<linalg::Eigenpair>& known) {
  GrowingRoots growing;
  for (const linalg::Eigenpair& pair : known) {
    growing.searched = std::max(growing.searched, std::abs(pair.value));
    if (isGrowing(pair)) growing.pairs.push_back(pair);
    if (isDoubtful(pair)) ++growing.doubtful;
  }
  return growing;
}

// A root that was found with small residuals in the units of the search may still be off: what grows is improved from exact
// residuals, which also gives the bound of its rounding, and is doubtful where that fails.
void confirm(const LinearModel& linear, GrowingRoots& growing) {
  const auto isKnown = [](const linalg::Eigenpair& pair) { return pair.uncertainty >= 0.0; };
  if (std::all_of(growing.pairs.begin(), growing.pairs.end(), isKnown)) return;
  const linalg::PencilScaling scaling = linalg::findScalingForPivots(linear.pencil);
  const linalg::QuadraticPencil pencil = linalg::applyScaling(linear.pencil, scaling);
  linalg::RootRefinement refinement(pencil, {}, linear.groups);
  std::erase_if(growing.pairs, [&](const linalg::Eigenpair& pair) {
    if (isKnown(pair)) return false;
    linalg::Eigenpair better{pair.value / scaling.rate,
                             scaling.columns.cwiseInverse().asDiagonal() * pair.vector};
    better.vector.normalize();
    const bool isImproved = refinement.improve(better);
    better.value *= scaling.rate;
    better.uncertainty *= scaling.rate;
    const bool isGone = isImproved && !isGrowing(better) && !isDoubtful(better);
    const bool isSure = isImproved && isGrowing(better);
    if (!isSure && !isGone) ++growing.doubtful;
    return !isSure;
  });
}

// All roots up to the bound, if they are not too many.
bool searchUpTo(double bound, const LinearModel& linear,
                const std::vector<linalg::Eigenpair>& known, GrowingRoots& growing) {
  if (!std::isfinite(bound) || linear.pencil.size() > kMostForShifts) return false;
  linalg::NearestOptions nearest;
  nearest.groups = linear.groups;
  nearest.maxRestarts = kRestartsUpToBound;
  nearest.count = 2 * static_cast<int>(known.size());
  for (; nearest.count <= kMostUpToBound; nearest.count *= 2) {
    const linalg::NearestResult found = linalg::findNearest(linear.pencil, nearest);
    growing.solves += found.solves;
    if (!found.converged() || found.pairs.empty()) return false;
    double farthest = std::abs(found.pairs.back().value);
    const bool areAll = static_cast<int>(found.pairs.size()) < nearest.count &&
                        bound < kSurelySeen * std::abs(found.pairs.front().value);
    if (areAll) farthest = std::max(farthest, bound);
    if (farthest < bound) continue;
    for (const linalg::Eigenpair& pair : found.pairs) {
      const bool isKnown = std::abs(pair.value) <= growing.searched;
      if (isGrowing(pair) && !isKnown) growing.pairs.push_back(pair);
    }
    growing.searched = farthest;
    return true;
  }
  return false;
}

// Where something may be expected to grow; nothing is certain by that, and what a search finds before it has to end counts.
void searchAbout(const system::System& system, const LinearModel& linear, GrowingRoots& growing) {
  if (growing.searched == 0.0) return;
  // Of a very large machine only what its controllers do by themselves is worth a factorisation for each.
  const bool isHuge = linear.pencil.size() > kMostForShifts;
  linalg::NearestOptions nearest;
  nearest.groups = linear.groups;
  nearest.maxRestarts = kRestartsPerShift;
  const auto searchAt = [&](Complex shift, int count) {
    nearest.shift = shift;
    nearest.count = count;
    const linalg::NearestResult found = linalg::findNearest(linear.pencil, nearest);
    growing.solves += found.solves;
    for (const linalg::Eigenpair& pair : found.pairs) {
      const bool isKnown = std::abs(pair.value) <= growing.searched;
      if (isGrowing(pair) && !isKnown && !isListed(growing.pairs, pair)) {
        growing.pairs.push_back(pair);
      }
    }
  };
  double frequency = growing.searched;
  for (int k = 0; k < kShifts && !isHuge; ++k) {
    frequency *= kShiftRatio;
    searchAt(Complex(0.0, frequency), kRootsPerShift);
  }
  for (const GrowthSeed& seed : findGrowthSeeds(system, linear, growing.searched)) {
    // What is local there is nearest to it.
    if (!isHuge || seed.point.real() > kStable * std::abs(seed.point)) {
      searchAt(seed.point, seed.count);
    }
  }
  if (!isHuge) searchAt(kShiftRatio * growing.searched, kRootsPerShift);
}

}  // namespace

bool isGrowing(const linalg::Eigenpair& pair) {
  return pair.value.real() >
         std::max(kRoundings * pair.uncertainty, kStable * std::abs(pair.value));
}

bool isDoubtful(const linalg::Eigenpair& pair) {
  const double least = std::max(kOneRounding * pair.uncertainty, kStable * std::abs(pair.value));
  return pair.value.real() > least && !isGrowing(pair);
}

GrowingRoots pickGrowingRoots(const std::vector<linalg::Eigenpair>& all) {
  GrowingRoots growing = pick(all);
  growing.isCertain = growing.doubtful == 0;
  return growing;
}

GrowingRoots findGrowingRoots(const system::System& system, const LinearModel& linear,
                              const std::vector<linalg::Eigenpair>& known) {
  GrowingRoots growing = pick(known);
  if (known.empty()) return growing;
  const double bound = findGrowthBound(system, linear, growing.searched);
  growing.isCertain = bound <= growing.searched || searchUpTo(bound, linear, known, growing);
  if (!growing.isCertain) searchAbout(system, linear, growing);
  confirm(linear, growing);
  growing.isCertain = growing.isCertain && growing.doubtful == 0;
  return growing;
}

std::optional<int> countGrowing(const linalg::QuadraticPencil& pencil,
                                const linalg::DelayTerms& delays, const std::vector<int>& groups,
                                const UndelayedRoots& undelayed) {
  std::vector<Complex> poles;
  for (const Complex& pole : undelayed.values) {
    poles.push_back(pole);
    if (pole.imag() != 0.0) poles.push_back(std::conj(pole));
  }
  const LinearPorts ports = makeDelayPorts(pencil, delays, groups);
  TurnCount count(ports, delays, std::move(poles));
  Radii radii = findRadii(delays, undelayed);
  const double angle = 0.5 * kPi - kStable;
  // Half of a circle round zero, just beside the axis, and half of a large circle back.
  for (int i = 0; i <= kPointsOfArc; ++i) {
    count.moveTo(std::polar(radii.inner, angle * i / kPointsOfArc));
  }
  for (const double r : makeRay(radii, undelayed.values)) count.moveTo(std::polar(r, angle));
  const double step = std::pow(10.0, 1.0 / kPointsPerDecade), end = kFarthest * radii.outer;
  while (undelayed.isComplete && count.ok() && !count.isSmall()) {
    radii.outer *= step;
    if (radii.outer > end) return std::nullopt;
    count.moveTo(std::polar(radii.outer, angle));
  }
  for (int i = kPointsOfArc; i >= 0; --i) {
    count.moveTo(std::polar(radii.outer, angle * i / kPointsOfArc));
  }
  const double roots = -count.turn() / kPi, whole = std::round(roots);
  if (!count.ok() || std::abs(roots - whole) > kWhole || whole < 0.0) return std::nullopt;
  return static_cast<int>(whole);
}

}  // namespace flexloop::analysis
