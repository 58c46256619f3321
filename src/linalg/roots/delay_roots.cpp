#include "linalg/roots/delay_roots.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/roots/pencil_scaling.hpp"
#include "linalg/roots/root_refinement.hpp"
#include "linalg/state_space/dependence.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// Orders of the first round: a few for slow roots, and more where |s|τ is large.
constexpr double kFewest = 8.0, kPerRadian = 0.8;
constexpr double kGrowth = 1.5;
constexpr int kMostRounds = 10;
// Where there are fewer roots than asked for, this many rounds look for more.
constexpr int kRoundsForMore = 6;
// What is left of P(s) z at a root, and the share of z in the unknowns of the pencil itself.
constexpr double kRootResidual = 1e-10, kSmallestShare = 1e-12;
// Roots that were farther apart than the first before Newton's method and are nearer than the second
// behind it are one.
constexpr double kApart = 1e-4, kSame = 1e-8;
constexpr double kSameAtZero = 1e-6;      // by the unit of time
constexpr double kRoundOffOfZero = 1e-6;  // as in all_roots.cpp
constexpr int kSpare = 4;  // refined beyond the wanted ones, in case the order changes

// Of a root of the scaled pencil.
double sizeOf(Complex s) {
  return std::max(std::abs(s), kSameAtZero / kSame);
}

struct Candidate {
  Complex start;
  Eigenpair pair;
};

bool isSame(const Candidate& a, const Candidate& b) {
  const double size = sizeOf(b.pair.value);
  return std::abs(a.pair.value - b.pair.value) <= kSame * size &&
         std::abs(a.start - b.start) > kApart * size &&
         std::abs(a.pair.vector.dot(b.pair.vector)) > 1.0 - kSame;
}

class DelaySearch {
 public:
  DelaySearch(const QuadraticPencil& pencil, const DelayTerms& delays, Complex point, int count)
      : scaling_(findScalingForPivots(pencil, delays)),
        pencil_(applyScaling(pencil, scaling_)),
        delays_(applyScaling(delays, scaling_)),
        point_(point / scaling_.rate),
        count_(count),
        refinement_(pencil_, delays_) {}

  // The exact roots that those of an approximation, nearest first, lead to.
  std::vector<Eigenpair> refine(const std::vector<Eigenpair>& approximate) {
    std::vector<Candidate> found;
    for (const Eigenpair& start : approximate) {
      if (static_cast<int>(found.size()) >= count_ + kSpare) break;
      if (start.vector.head(pencil_.size()).norm() < kSmallestShare * start.vector.norm()) continue;
      Candidate candidate{start.value / scaling_.rate, scaled(start)};
      Eigenpair& pair = candidate.pair;
      pair.residual = calcResidual(pencil_, delays_, pair.value, pair.vector);
      refinement_.improve(pair, kRoundOffOfZero);
      if (!(pair.residual <= kRootResidual)) continue;
      const auto isKnown = [&](const Candidate& other) { return isSame(other, candidate); };
      if (std::none_of(found.begin(), found.end(), isKnown)) found.push_back(std::move(candidate));
    }
    std::vector<Eigenpair> pairs;
    for (Candidate& candidate : found) pairs.push_back(std::move(candidate.pair));
    sort(pairs);
    if (static_cast<int>(pairs.size()) > count_) pairs.resize(count_);
    return pairs;
  }

  // Pairs of the scaled pencil, nearest first.
  void sort(std::vector<Eigenpair>& pairs) const {
    std::stable_sort(pairs.begin(), pairs.end(), [&](const Eigenpair& a, const Eigenpair& b) {
      return std::abs(a.value - point_) < std::abs(b.value - point_);
    });
  }

  // Roots that are exact already get the shapes of the pencil with its delays.
  std::vector<Eigenpair> reshape(std::vector<Eigenpair> pairs) {
    for (Eigenpair& pair : pairs) {
      pair = scaled(pair);
      pair.residual = calcResidual(pencil_, delays_, pair.value, pair.vector);
      refinement_.improve(pair, kRoundOffOfZero);
    }
    sort(pairs);
    return pairs;
  }

  // In the units of the machine.
  std::vector<Eigenpair> unscale(std::vector<Eigenpair> pairs) const {
    for (Eigenpair& pair : pairs) {
      pair.value *= scaling_.rate;
      pair.uncertainty *= scaling_.rate;
      pair.vector = (scaling_.columns.asDiagonal() * pair.vector).normalized();
    }
    return pairs;
  }
  double rate() const { return scaling_.rate; }

 private:
  Eigenpair scaled(const Eigenpair& pair) const {
    const Eigen::VectorXcd vector =
        scaling_.columns.cwiseInverse().asDiagonal() * pair.vector.head(pencil_.size()).eval();
    return {pair.value / scaling_.rate, vector.normalized(), pair.residual};
  }

  PencilScaling scaling_;
  QuadraticPencil pencil_;
  DelayTerms delays_;
  Complex point_;
  int count_;
  RootRefinement refinement_;
};

// det P(s) contains e^{−sτ} of delays in loops only: what a delay passes on without ever coming back moves no root.
DelayTerms findLoops(const QuadraticPencil& pencil, const DelayTerms& delays) {
  const Dependence dependence(pencil, delays);
  DelayTerms loops;
  for (const DelayTerm& term : delays) {
    if (dependence.isInLoop(term.row, term.column)) loops.push_back(term);
  }
  return loops;
}

// More than before, and enough for roots of this size.
void raiseOrders(const DelayTerms& delays, double radius, std::vector<int>& orders) {
  for (std::size_t j = 0; j < delays.size(); ++j) {
    const double needed = kFewest + kPerRadian * radius * delays[j].delay;
    orders[j] = static_cast<int>(std::ceil(std::max(kGrowth * orders[j], needed)));
  }
}

// Whether every root has its own partner.
bool areSame(const std::vector<Eigenpair>& a, std::vector<Eigenpair> b) {
  if (a.size() != b.size()) return false;
  for (const Eigenpair& pair : a) {
    const auto nearest = std::min_element(b.begin(), b.end(), [&](const auto& x, const auto& y) {
      return std::abs(x.value - pair.value) < std::abs(y.value - pair.value);
    });
    if (std::abs(nearest->value - pair.value) > kSame * sizeOf(pair.value)) return false;
    b.erase(nearest);
  }
  return true;
}

}  // namespace

DelayRoots findDelayRoots(const QuadraticPencil& pencil, const DelayTerms& delays, Complex point,
                          int count, const RootFinder& finder) {
  DelaySearch search(pencil, delays, point, count);
  DelayRoots roots;
  const DelayTerms loops = findLoops(pencil, delays);
  if (loops.empty()) {
    auto exact = finder(pencil);
    roots.ok = roots.isSettled = roots.isFinite = exact.has_value();
    if (roots.ok) roots.pairs = search.unscale(search.reshape(std::move(*exact)));
    return roots;
  }
  std::vector<int> orders(loops.size(), 0);
  double radius = std::abs(point);
  for (int round = 1; round <= kMostRounds && !roots.isSettled; ++round) {
    raiseOrders(loops, radius, orders);
    auto approximate = finder(approximateDelays(pencil, loops, orders));
    roots.ok = approximate.has_value();
    if (!roots.ok) return roots;
    std::stable_sort(approximate->begin(), approximate->end(),
                     [&](const Eigenpair& a, const Eigenpair& b) {
                       return std::abs(a.value - point) < std::abs(b.value - point);
                     });
    std::vector<Eigenpair> pairs = search.refine(*approximate);
    const bool areAll = static_cast<int>(pairs.size()) == count || round >= kRoundsForMore;
    roots.isSettled = round > 1 && areAll && areSame(pairs, roots.pairs);
    for (const Eigenpair& pair : pairs)
      radius = std::max(radius, search.rate() * std::abs(pair.value));
    roots.pairs = std::move(pairs);
    roots.mostStates = *std::max_element(orders.begin(), orders.end());
  }
  roots.pairs = search.unscale(std::move(roots.pairs));
  return roots;
}

}  // namespace flexloop::linalg
