#include "study/tuning/minimize.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace flexloop::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Corner {
  VectorXd x;
  double value;
};

class Simplex {
 public:
  Simplex(const Function& f, const Box& box, int most) : f_(f), box_(box), left_(most) {}

  void start(const VectorXd& x, double step) {
    corners_ = {make(x)};
    for (Index i = 0; i < x.size(); ++i) {
      VectorXd next = x;
      // Into the box.
      next[i] += x[i] + step <= box_.high[i] ? step : -step;
      corners_.push_back(make(next));
    }
    sort();
  }

  // One reflection, expansion or contraction, or else the simplex shrinks.
  void improve() {
    const Corner& worst = corners_.back();
    const std::size_t n = corners_.size() - 1;
    VectorXd centre = VectorXd::Zero(worst.x.size());
    for (std::size_t i = 0; i < n; ++i) centre += corners_[i].x / static_cast<double>(n);
    const auto along = [&](double factor) { return make(centre + factor * (centre - worst.x)); };
    const Corner reflected = along(1.0);
    if (reflected.value < corners_.front().value) {
      const Corner expanded = along(2.0);
      return replace(expanded.value < reflected.value ? expanded : reflected);
    }
    if (reflected.value < corners_[n - 1].value) return replace(reflected);
    const Corner contracted = along(reflected.value < worst.value ? 0.5 : -0.5);
    if (contracted.value < std::min(reflected.value, worst.value)) return replace(contracted);
    for (std::size_t i = 1; i <= n; ++i) {
      corners_[i] = make(0.5 * (corners_[i].x + corners_[0].x));
    }
    sort();
  }

  double size() const {
    double size = 0.0;
    for (const Corner& corner : corners_) {
      size = std::max(size, (corner.x - corners_.front().x).cwiseAbs().maxCoeff());
    }
    return size;
  }
  const Corner& best() const { return corners_.front(); }
  int left() const { return left_; }

 private:
  Corner make(const VectorXd& x) {
    --left_;
    const VectorXd inside = box_.clamp(x);
    const double value = f_(inside);
    return {inside, std::isnan(value) ? INFINITY : value};
  }
  void replace(const Corner& corner) {
    corners_.back() = corner;
    sort();
  }
  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Corner& a, const Corner& b) { return a.value < b.value; });
  }

  const Function& f_;
  const Box& box_;
  int left_;
  std::vector<Corner> corners_;
};

}  // namespace

Minimum minimizeBySimplex(const Function& f, const VectorXd& start, double step, const Box& box,
                          int mostEvaluations, double tolerance) {
  Simplex simplex(f, box, mostEvaluations);
  simplex.start(box.clamp(start), step);
  while (simplex.left() > 0 && simplex.size() > tolerance) simplex.improve();
  return {simplex.best().x, simplex.best().value, simplex.size() <= tolerance};
}

// Variables at a bound that the gradient pushes against stay there.
Minimum minimizeByGradient(const Function& f, const Gradient& gradient, const VectorXd& start,
                           double step, const Box& box, int mostSteps, double tolerance) {
  constexpr double kArmijo = 1e-4;
  constexpr int kMostHalvings = 12;
  VectorXd x = box.clamp(start);
  const Index n = x.size();
  double value = f(x);
  VectorXd g = gradient(x);
  MatrixXd H = MatrixXd::Identity(n, n);
  bool isFirst = true;
  for (int k = 0; k < mostSteps && std::isfinite(value) && g.allFinite(); ++k) {
    VectorXd free = g;
    for (Index i = 0; i < n; ++i) {
      if ((x[i] <= box.low[i] && g[i] > 0.0) || (x[i] >= box.high[i] && g[i] < 0.0)) free[i] = 0.0;
    }
    if (free.isZero(0.0)) return {x, value, true};
    VectorXd d = -H * free;
    for (Index i = 0; i < n; ++i) {
      if (free[i] == 0.0) d[i] = 0.0;
    }
    if (!(d.dot(g) < 0.0)) d = -free;
    const double longest = d.cwiseAbs().maxCoeff();
    if (isFirst || longest > 4.0 * step) d *= step / longest;
    double factor = 1.0;
    VectorXd next = x;
    double nextValue = INFINITY;
    for (int halving = 0; halving < kMostHalvings; ++halving, factor *= 0.5) {
      next = box.clamp(x + factor * d);
      nextValue = f(next);
      if (nextValue <= value + kArmijo * g.dot(next - x)) break;
    }
    if (!(nextValue < value)) return {x, value, true};
    const VectorXd s = next - x, nextGradient = gradient(next), y = nextGradient - g;
    const double sy = s.dot(y);
    if (isFirst && sy > 0.0) H *= sy / y.squaredNorm();
    if (sy > 1e-12 * s.norm() * y.norm()) {
      const MatrixXd E = MatrixXd::Identity(n, n) - s * y.transpose() / sy;
      H = (E * H * E.transpose() + s * s.transpose() / sy).eval();
    }
    x = next;
    value = nextValue;
    g = nextGradient;
    isFirst = false;
    if (s.cwiseAbs().maxCoeff() <= tolerance) return {x, value, true};
  }
  return {x, value, false};
}

}  // namespace flexloop::study
