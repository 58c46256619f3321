#include "analysis/linear/loop_margins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = std::numbers::pi;
constexpr int kPointsPerDecade = 60;
// Neighbours whose L differ by more than this angle, or this factor, get a point between them.
constexpr double kLargestTurn = 0.2;
constexpr double kLargestFactor = 1.3;
constexpr int kMostHalvings = 14;
constexpr int kMostSteps = 200;
// Of all intervals together: a sharp resonance takes some forty.
constexpr int kMostPoints = 20000;

// Of round-off: what is below may be any number.
constexpr double kSignificant = 10.0;
// Where Im L changes its sign through a pole instead of zero, L is larger than beside it by more than this.
constexpr double kPole = 1e6;

using Loci = std::vector<LoopValue>;

struct Point {
  double x = 0.0;  // log ω
  Loci loci{};     // in the order of the point before
};

// How far two values are apart, by their size.
double calcDistance(Complex a, Complex b) {
  const double size = std::abs(a) + std::abs(b);
  return size > 0.0 ? std::abs(a - b) / size : 0.0;
}

// Each value of `to` where its nearest neighbour in `from` is.
void match(const Loci& from, Loci& to) {
  for (std::size_t i = 0; i + 1 < to.size(); ++i) {
    std::size_t best = i;
    for (std::size_t k = i + 1; k < to.size(); ++k) {
      if (calcDistance(from[i].L, to[k].L) < calcDistance(from[i].L, to[best].L)) best = k;
    }
    std::swap(to[i], to[best]);
  }
}

// A zero of f between a and b, where it has different signs: bisection, sped up by the secant of
// Illinois.
template <class Function>
double findZero(const Function& f, double a, double fa, double b, double fb) {
  int side = 0;
  for (int i = 0; i < kMostSteps && fa != 0.0 && fb != 0.0; ++i) {
    const double width = std::abs(b - a);
    if (width <= 4.0 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(a))) break;
    double x = i % 4 == 3 ? 0.5 * (a + b) : (a * fb - b * fa) / (fb - fa);
    if (!(x > std::min(a, b) && x < std::max(a, b))) x = 0.5 * (a + b);
    const double fx = f(x);
    if (std::signbit(fx) == std::signbit(fa)) {
      a = x, fa = fx;
      if (side == 1) fb *= 0.5;
      side = 1;
    } else {
      b = x, fb = fx;
      if (side == 2) fa *= 0.5;
      side = 2;
    }
  }
  return fa == 0.0 ? a : fb == 0.0 ? b : 0.5 * (a + b);
}

class MarginSearch {
 public:
  MarginSearch(const LociFunction& loci, const std::vector<double>& omega,
               std::optional<double> end)
      : loci_(loci), end_(end) {
    for (const double w : omega) {
      std::optional<Loci> L = loci(w);
      if (!L) continue;  // on a pole
      Point next{std::log(w), std::move(*L)};
      if (!points_.empty()) {
        refine(Point(points_.back()), next, 0);
        match(points_.back().loci, next.loci);
      }
      points_.push_back(std::move(next));
    }
  }

  LoopMargins find() {
    LoopMargins margins;
    margins.isResolved = added_ < kMostPoints;
    addRealEnd(0.0, margins);
    const std::size_t loci = points_.empty() ? 0 : points_[0].loci.size();
    for (std::size_t k = 0; k < loci; ++k) {
      findGains(k, margins);
      findPhases(k, margins);
    }
    if (end_) addRealEnd(*end_, margins);
    const auto byFrequency = [](const auto& a, const auto& b) {
      return a.frequencyHz < b.frequencyHz;
    };
    std::stable_sort(margins.gains.begin(), margins.gains.end(), byFrequency);
    std::stable_sort(margins.phases.begin(), margins.phases.end(), byFrequency);
    margins.disk = findDisk();
    const auto sensitivity = [](Complex L) { return 1.0 / std::abs(1.0 + L); };
    margins.highestSensitivity = findPeak(sensitivity).second;
    return margins;
  }

 private:
  static double hz(double x) { return std::exp(x) / (2.0 * kPi); }

  // The one that lies between those of two points.
  Complex at(double x, const Point& a, const Point& b, std::size_t k) const {
    const std::optional<Loci> all = loci_(std::exp(x));
    if (!all) return Complex(std::numeric_limits<double>::infinity(), 0.0);
    const double share = b.x > a.x ? (x - a.x) / (b.x - a.x) : 0.0;
    const Complex expected = (1.0 - share) * a.loci[k].L + share * b.loci[k].L;
    Complex nearest = all->front().L;
    for (const LoopValue& value : *all) {
      if (calcDistance(value.L, expected) < calcDistance(nearest, expected)) nearest = value.L;
    }
    return nearest;
  }

  // At rest L is real, and at half the frequency of samples.
  void addRealEnd(double omega, LoopMargins& margins) const {
    const std::optional<Loci> all = loci_(omega);
    if (!all) return;
    for (const LoopValue& value : *all) {
      const double size = std::abs(value.L);
      const bool isReal = std::abs(value.L.imag()) <= 1e-6 * size;
      if (!isReal || !(value.L.real() < 0.0) || !(size > kSignificant * value.roundOff)) continue;
      if (std::isfinite(size)) margins.gains.push_back({omega / (2.0 * kPi), 1.0 / size});
    }
  }

  // Also where 1 + L turns: near −1 a small change of L matters.
  static bool isRough(const Point& a, Point b) {
    match(a.loci, b.loci);
    for (std::size_t k = 0; k < a.loci.size(); ++k) {
      const LoopValue &from = a.loci[k], &to = b.loci[k];
      if (std::abs(from.L) <= kSignificant * from.roundOff &&
          std::abs(to.L) <= kSignificant * to.roundOff) {
        continue;
      }
      const double factor = std::abs(from.L) / std::abs(to.L);
      if (std::abs(std::arg(to.L / from.L)) > kLargestTurn || factor > kLargestFactor ||
          factor < 1.0 / kLargestFactor ||
          std::abs(std::arg((1.0 + to.L) / (1.0 + from.L))) > kLargestTurn) {
        return true;
      }
    }
    return false;
  }

  void refine(const Point& a, const Point& b, int depth) {
    if (depth >= kMostHalvings || added_ >= kMostPoints || !isRough(a, b)) return;
    ++added_;
    const double x = 0.5 * (a.x + b.x);
    std::optional<Loci> L = loci_(std::exp(x));
    if (!L) return;
    Point middle{x, std::move(*L)};
    match(a.loci, middle.loci);
    refine(a, middle, depth + 1);
    match(points_.back().loci, middle.loci);
    points_.push_back(middle);
    refine(middle, b, depth + 1);
  }

  // Pairs of points, one after the other, at which f is more than round-off, with different signs.
  template <class Function, class Found>
  void findChanges(std::size_t k, const Function& f, const Found& found) const {
    const Point* last = nullptr;
    for (const Point& point : points_) {
      const double value = f(point.loci[k].L);
      if (!(std::abs(value) > kSignificant * point.loci[k].roundOff) || !std::isfinite(value)) {
        continue;
      }
      if (last != nullptr && std::signbit(value) != std::signbit(f(last->loci[k].L))) {
        found(*last, point);
      }
      last = &point;
    }
  }

  void findGains(std::size_t k, LoopMargins& margins) const {
    const auto imaginary = [](Complex L) { return L.imag(); };
    findChanges(k, imaginary, [&](const Point& a, const Point& b) {
      const Complex La = a.loci[k].L, Lb = b.loci[k].L;
      if (La.real() > 0.0 && Lb.real() > 0.0) return;
      const auto f = [&](double x) { return at(x, a, b, k).imag(); };
      const double x = findZero(f, a.x, La.imag(), b.x, Lb.imag());
      const Complex L = at(x, a, b, k);
      const double beside = std::max(std::abs(La), std::abs(Lb));
      if (!(L.real() < 0.0) || std::abs(L) > kPole * beside) return;
      if (isEnd(x)) return;
      margins.gains.push_back({hz(x), 1.0 / std::abs(L)});
    });
  }

  bool isEnd(double x) const { return end_ && std::abs(std::exp(x) - *end_) <= 1e-9 * *end_; }

  void findPhases(std::size_t k, LoopMargins& margins) const {
    // As good as log|L| for its sign, and with the round-off of L.
    const auto excess = [](Complex L) { return std::abs(L) - 1.0; };
    findChanges(k, excess, [&](const Point& a, const Point& b) {
      const auto f = [&](double x) { return std::log(std::abs(at(x, a, b, k))); };
      const double x =
          findZero(f, a.x, std::log(std::abs(a.loci[k].L)), b.x, std::log(std::abs(b.loci[k].L)));
      const double angle = std::arg(-at(x, a, b, k));  // 180° + arg L, between −180° and 180°
      const double lag = angle > 0.0 ? angle : angle + 2.0 * kPi;
      margins.phases.push_back({hz(x), angle * 180.0 / kPi, lag / std::exp(x)});
    });
  }

  // The largest of all loci.
  template <class Measure>
  double measureAll(double x, const Measure& measure) const {
    const std::optional<Loci> all = loci_(std::exp(x));
    if (!all) return measure(Complex(std::numeric_limits<double>::infinity(), 0.0));
    double largest = 0.0;
    for (const LoopValue& value : *all) largest = std::max(largest, measure(value.L));
    return largest;
  }

  // The largest value of a measure of L, and log ω there.
  template <class Measure>
  std::pair<double, double> findPeak(const Measure& measure) const {
    std::pair<double, double> peak{0.0, 0.0};
    std::size_t best = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (const LoopValue& locus : points_[i].loci) {
        const double value = measure(locus.L);
        if (value > peak.second) peak = {points_[i].x, value}, best = i;
      }
    }
    if (points_.empty()) return peak;
    double low = points_[best > 0 ? best - 1 : 0].x;
    double high = points_[std::min(best + 1, points_.size() - 1)].x;
    // The golden section; a peak is flat, so that half of the digits of ω give all of its height.
    const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
    while (high - low > 1e-9) {
      const double a = high - golden * (high - low), b = low + golden * (high - low);
      const double fa = measureAll(a, measure), fb = measureAll(b, measure);
      if (fa > peak.second) peak = {a, fa};
      if (fb > peak.second) peak = {b, fb};
      (fa > fb ? high : low) = fa > fb ? b : a;
    }
    return peak;
  }

  DiskMargin findDisk() const {
    const auto difference = [](Complex L) {
      return std::isfinite(std::abs(L)) ? std::abs((1.0 - L) / (1.0 + L)) : 1.0;
    };
    const auto [x, peak] = findPeak(difference);
    DiskMargin disk;
    disk.frequencyHz = hz(x);
    disk.alpha = 2.0 / peak;
    disk.lowestGain = std::max(0.0, (2.0 - disk.alpha) / (2.0 + disk.alpha));
    disk.highestGain = disk.alpha < 2.0 ? (2.0 + disk.alpha) / (2.0 - disk.alpha)
                                        : std::numeric_limits<double>::infinity();
    disk.degrees = 2.0 * std::atan(0.5 * disk.alpha) * 180.0 / kPi;
    return disk;
  }

  const LociFunction& loci_;
  std::optional<double> end_;
  std::vector<Point> points_;
  int added_ = 0;  // beside those that were given
};

}  // namespace

const GainMargin* LoopMargins::smallestGain() const {
  const auto found = std::min_element(gains.begin(), gains.end(), [](const auto& a, const auto& b) {
    return std::abs(std::log(a.factor)) < std::abs(std::log(b.factor));
  });
  return found == gains.end() ? nullptr : &*found;
}

const PhaseMargin* LoopMargins::smallestPhase() const {
  const auto found = std::min_element(
      phases.begin(), phases.end(),
      [](const auto& a, const auto& b) { return std::abs(a.degrees) < std::abs(b.degrees); });
  return found == phases.end() ? nullptr : &*found;
}

std::optional<double> LoopMargins::smallestDelay() const {
  std::optional<double> least;
  for (const PhaseMargin& margin : phases) {
    if (!least || margin.delay < *least) least = margin.delay;
  }
  return least;
}

LoopMargins findMargins(const LoopFunction& loop, const std::vector<double>& omega) {
  const LociFunction loci = [&](double w) -> std::optional<Loci> {
    const std::optional<LoopValue> value = loop(w);
    return value ? std::optional(Loci{*value}) : std::nullopt;
  };
  return findMargins(loci, omega, std::nullopt);
}

LoopMargins findMargins(const LociFunction& loci, const std::vector<double>& omega,
                        std::optional<double> end) {
  return MarginSearch(loci, omega, end).find();
}

std::vector<double> makeSearchGrid(double low, double high, const std::vector<Complex>& poles) {
  std::vector<double> grid;
  const int count =
      std::max(2, 1 + static_cast<int>(std::ceil(kPointsPerDecade * std::log10(high / low))));
  for (int i = 0; i < count; ++i) {
    grid.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  }
  for (const Complex& pole : poles) {
    const double center = std::abs(pole.imag());
    // An undamped one is passed at a distance that its round-off allows.
    const double width = std::max(std::abs(pole.real()), 1e-7 * std::abs(pole));
    for (double offset = 0.25 * width; offset < 0.2 * center; offset *= 2.0) {
      grid.push_back(center - offset);
      grid.push_back(center + offset);
    }
  }
  std::erase_if(grid, [&](double w) { return !(w >= low && w <= high); });
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

}  // namespace flexloop::analysis
