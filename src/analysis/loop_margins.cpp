#include "analysis/loop_margins.hpp"

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
// Where Im L changes its sign through a pole instead of zero.
constexpr double kInfinite = 1e9;

struct Point {
  double x = 0.0;  // log ω
  Complex L;
};

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
  MarginSearch(const LoopFunction& loop, const std::vector<double>& omega) : loop_(loop) {
    for (const double w : omega) {
      const std::optional<Complex> L = loop(w);
      if (!L) continue;  // on a pole
      const Point next{std::log(w), *L};
      if (!points_.empty()) refine(Point(points_.back()), next, 0);
      points_.push_back(next);
    }
  }

  LoopMargins find() {
    LoopMargins margins;
    // At rest L is real.
    const std::optional<Complex> rest = loop_(0.0);
    if (rest && rest->real() < 0.0 && std::abs(*rest) < kInfinite) {
      margins.gains.push_back({0.0, 1.0 / std::abs(*rest)});
    }
    for (std::size_t i = 1; i < points_.size(); ++i) {
      findGain(points_[i - 1], points_[i], margins);
      findPhase(points_[i - 1], points_[i], margins);
    }
    margins.disk = findDisk();
    const auto sensitivity = [](Complex L) { return 1.0 / std::abs(1.0 + L); };
    margins.highestSensitivity = findPeak(sensitivity).second;
    return margins;
  }

 private:
  Complex at(double x) const {
    return loop_(std::exp(x)).value_or(Complex(std::numeric_limits<double>::infinity(), 0.0));
  }

  static double hz(double x) { return std::exp(x) / (2.0 * kPi); }

  // Also where 1 + L turns: near −1 a small change of L matters.
  static bool isRough(const Point& a, const Point& b) {
    const double factor = std::abs(a.L) / std::abs(b.L);
    return std::abs(std::arg(b.L / a.L)) > kLargestTurn || factor > kLargestFactor ||
           factor < 1.0 / kLargestFactor ||
           std::abs(std::arg((1.0 + b.L) / (1.0 + a.L))) > kLargestTurn;
  }

  void refine(const Point& a, const Point& b, int depth) {
    if (depth >= kMostHalvings || !isRough(a, b)) return;
    const double x = 0.5 * (a.x + b.x);
    const std::optional<Complex> L = loop_(std::exp(x));
    if (!L) return;
    const Point middle{x, *L};
    refine(a, middle, depth + 1);
    points_.push_back(middle);
    refine(middle, b, depth + 1);
  }

  void findGain(const Point& a, const Point& b, LoopMargins& margins) const {
    if (std::signbit(a.L.imag()) == std::signbit(b.L.imag())) return;
    if (a.L.real() > 0.0 && b.L.real() > 0.0) return;
    const auto f = [&](double x) { return at(x).imag(); };
    const double x = findZero(f, a.x, a.L.imag(), b.x, b.L.imag());
    const Complex L = at(x);
    if (!(L.real() < 0.0) || std::abs(L) > kInfinite) return;
    margins.gains.push_back({hz(x), 1.0 / std::abs(L)});
  }

  void findPhase(const Point& a, const Point& b, LoopMargins& margins) const {
    const auto f = [&](double x) { return std::log(std::abs(at(x))); };
    const double fa = std::log(std::abs(a.L)), fb = std::log(std::abs(b.L));
    if (std::signbit(fa) == std::signbit(fb)) return;
    const double x = findZero(f, a.x, fa, b.x, fb);
    const double angle = std::arg(-at(x));  // 180° + arg L, between −180° and 180°
    const double lag = angle > 0.0 ? angle : angle + 2.0 * kPi;
    margins.phases.push_back({hz(x), angle * 180.0 / kPi, lag / std::exp(x)});
  }

  // The largest value of a measure of L, and log ω there.
  template <class Measure>
  std::pair<double, double> findPeak(const Measure& measure) const {
    std::pair<double, double> peak{0.0, 0.0};
    std::size_t best = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double value = measure(points_[i].L);
      if (value > peak.second) peak = {points_[i].x, value}, best = i;
    }
    if (points_.empty()) return peak;
    double low = points_[best > 0 ? best - 1 : 0].x;
    double high = points_[std::min(best + 1, points_.size() - 1)].x;
    // The golden section; a peak is flat, so that half of the digits of ω give all of its height.
    const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
    while (high - low > 1e-9) {
      const double a = high - golden * (high - low), b = low + golden * (high - low);
      const double fa = measure(at(a)), fb = measure(at(b));
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

  const LoopFunction& loop_;
  std::vector<Point> points_;
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
  return MarginSearch(loop, omega).find();
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
