#include "analysis/free_response.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include <Eigen/QR>

#include "analysis/window_function.hpp"
#include "linalg/matrix_pencil.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr std::size_t kMostValues = 8192;
constexpr std::size_t kFilterReach = 8;  // zeros of the low pass to each side

constexpr double kRounding = 1e-11;  // of the largest singular value, and of the motion
constexpr double kAboveNoise = 3.0;
constexpr double kStandsStill = 2e-2;  // |s| times the duration of what cannot be told from a line
constexpr double kDiesAtOnce = 1e-3;   // |z|: nothing is left in the second sample
constexpr double kSmallest = 1e-6;     // of the record, root mean square
// Of the variance of noise; the largest of many thousand sums of squares that noise may give.
constexpr double kSignificant = 25.0;
constexpr int kMostStanding = 3;

struct Thinned {
  std::vector<double> values;
  std::size_t every = 1;
};

// A long record without what its remaining samples cannot show. A filter changes the amplitudes of
// exponentials, but not their roots, where it overlaps the record fully (20.5).
Thinned thin(const std::vector<double>& values) {
  const std::size_t every = (values.size() + kMostValues - 1) / kMostValues;
  if (every <= 1) return {values, 1};
  const std::size_t reach = kFilterReach * every, length = 2 * reach + 1;
  std::vector<double> filter = WindowFunction("blackman").calcWeights(length);
  double sum = 0.0;
  for (std::size_t i = 0; i < length; ++i) {
    const double x = pi * (static_cast<double>(i) - static_cast<double>(reach)) / every;
    if (x != 0.0) filter[i] *= std::sin(x) / x;
    sum += filter[i];
  }
  Thinned thinned{{}, every};
  for (std::size_t start = 0; start + length <= values.size(); start += every) {
    double value = 0.0;
    for (std::size_t i = 0; i < length; ++i) value += filter[i] * values[start + i];
    thinned.values.push_back(value / sum);
  }
  return thinned;
}

// The last quarter of the singular values is noise, if there is any.
int chooseOrder(const linalg::MatrixPencil& pencil) {
  const std::vector<double>& sigma = pencil.singularValues();
  const std::size_t most = sigma.size() - (sigma.size() + 3) / 4;
  const double noise = sigma[(most + sigma.size()) / 2];
  const double least = std::max(kAboveNoise * noise, kRounding * sigma.front());
  std::size_t order = 0;
  while (order < most && sigma[order] > least) ++order;
  return std::min(static_cast<int>(order), pencil.mostRoots());
}

double rootMeanSquare(const Eigen::VectorXd& values) {
  return values.norm() / std::sqrt(static_cast<double>(values.size()));
}

// Least squares for the amplitudes of given roots z; (20.15). One decomposition of all columns makes
// every choice among them a small problem: A = Q R, and |A w − y|² = |R w − Qᵀy|² + rest.
class AmplitudeFit {
 public:
  AmplitudeFit(const Eigen::VectorXd& y, const std::vector<Complex>& roots, int standing)
      : standing_(standing), size_(y.size()) {
    Eigen::Index columns = standing_;
    for (const Complex& z : roots) {
      parts_.push_back({z, columns});
      columns += widthOf(z);
    }
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(makeBasis(columns));
    const Eigen::VectorXd turned = qr.householderQ().transpose() * y;
    R_ = qr.matrixQR().topRows(columns).triangularView<Eigen::Upper>();
    right_ = turned.head(columns);
    rest_ = turned.tail(size_ - columns).squaredNorm();
    solve();
  }

  // Leaves out roots without which the sum of squares grows by less than `least`, or by no more than
  // noise explains, those that matter least first.
  void dropIdle(double least) {
    while (!parts_.empty()) {
      std::size_t idle = 0;
      double lowest = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        std::vector<Part> others = parts_;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const double squares = calcSquares(others);
        if (squares < lowest) {
          lowest = squares;
          idle = i;
        }
      }
      const double noise = kSignificant * squares_ / static_cast<double>(size_);
      if (lowest - squares_ > std::max(least, noise)) return;
      parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(idle));
      solve();
    }
  }

  double residual() const { return std::sqrt(squares_ / static_cast<double>(size_)); }
  double offset() const { return weights_[0]; }
  double driftPerSample() const { return standing_ > 1 ? weights_[1] / duration() : 0.0; }

  std::vector<DampedMode> makeModes(double interval) const {
    std::vector<DampedMode> modes;
    Eigen::Index column = standing_;
    for (const Part& part : parts_) {
      const double scale = std::pow(std::abs(part.z), -growthOf(part.z));
      const double real = weights_[column] * scale;
      const double imag = isPair(part.z) ? -weights_[column + 1] * scale : 0.0;
      modes.push_back(
          {std::log(part.z) / interval, std::hypot(real, imag), std::atan2(imag, real)});
      column += widthOf(part.z);
    }
    return modes;
  }

 private:
  struct Part {
    Complex z;  // Im z ≥ 0
    Eigen::Index column = 0;
  };

  static bool isPair(const Complex& z) { return z.imag() > 0.0; }
  static Eigen::Index widthOf(const Complex& z) { return isPair(z) ? 2 : 1; }
  double duration() const { return static_cast<double>(size_ - 1); }
  // What grows is measured at its end, so that no column overflows.
  double growthOf(const Complex& z) const { return std::abs(z) > 1.0 ? duration() : 0.0; }

  Eigen::MatrixXd makeBasis(Eigen::Index columns) const {
    Eigen::MatrixXd basis(size_, columns);
    for (Eigen::Index n = 0; n < size_; ++n) {
      const auto time = static_cast<double>(n);
      for (int j = 0; j < standing_; ++j) basis(n, j) = std::pow(time / duration(), j);
      for (const Part& part : parts_) {
        const double rate = std::log(std::abs(part.z)), angle = std::arg(part.z) * time;
        const double size = std::exp(rate * (time - growthOf(part.z)));
        basis(n, part.column) = size * std::cos(angle);
        if (isPair(part.z)) basis(n, part.column + 1) = size * std::sin(angle);
      }
    }
    return basis;
  }

  Eigen::VectorXd calcWeights(const std::vector<Part>& parts, double& squares) const {
    std::vector<Eigen::Index> columns;
    for (int j = 0; j < standing_; ++j) columns.push_back(j);
    for (const Part& part : parts) {
      for (Eigen::Index j = 0; j < widthOf(part.z); ++j) columns.push_back(part.column + j);
    }
    const Eigen::MatrixXd chosen = R_(Eigen::all, columns);
    Eigen::VectorXd weights = Eigen::HouseholderQR<Eigen::MatrixXd>(chosen).solve(right_);
    squares = rest_ + (chosen * weights - right_).squaredNorm();
    return weights;
  }

  double calcSquares(const std::vector<Part>& parts) const {
    double squares = 0.0;
    calcWeights(parts, squares);
    return squares;
  }

  void solve() { weights_ = calcWeights(parts_, squares_); }

  std::vector<Part> parts_;
  int standing_;  // 1, t, t² …
  Eigen::Index size_;
  Eigen::MatrixXd R_;
  Eigen::VectorXd right_;  // Qᵀy
  double rest_ = 0.0;
  Eigen::VectorXd weights_;
  double squares_ = 0.0;
};

struct Roots {
  std::vector<Complex> moving;
  int standing = 0;
};

Roots sortOut(const std::vector<Complex>& all, double duration) {
  Roots roots;
  for (const Complex& z : all) {
    if (std::abs(z) < kDiesAtOnce) continue;
    if (std::abs(std::log(z)) * duration < kStandsStill) {
      ++roots.standing;
    } else if (z.imag() >= 0.0) {
      roots.moving.push_back(z);
    }
  }
  roots.standing = std::clamp(roots.standing, 1, kMostStanding);
  return roots;
}

}  // namespace

double DampedMode::frequency() const {
  return std::abs(eigenvalue.imag()) / (2.0 * pi);
}

double DampedMode::dampingRatio() const {
  return -eigenvalue.real() / std::abs(eigenvalue);
}

FreeResponse fitFreeResponse(const std::vector<double>& values, double interval) {
  assert(values.size() >= 8);
  Eigen::VectorXd y =
      Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  const double mean = y.mean();
  y.array() -= mean;
  const double size = rootMeanSquare(y);
  FreeResponse response{.modes = {}, .offset = mean};
  // What is left of a constant is rounding.
  if (size <= kRounding * std::abs(mean)) return response;

  const Thinned thinned = thin({y.begin(), y.end()});
  const Eigen::Index every = static_cast<Eigen::Index>(thinned.every);
  const Eigen::VectorXd samples = y(Eigen::seq(0, Eigen::last, every));
  const linalg::MatrixPencil pencil(thinned.values);
  const Roots roots =
      sortOut(pencil.calcRoots(chooseOrder(pencil)), static_cast<double>(thinned.values.size()));
  AmplitudeFit fit(samples, roots.moving, roots.standing);
  fit.dropIdle(std::pow(kSmallest * size, 2) * static_cast<double>(samples.size()));
  const double step = interval * static_cast<double>(every);
  response.modes = fit.makeModes(step);
  std::sort(response.modes.begin(), response.modes.end(), [](const auto& a, const auto& b) {
    const auto key = [](const DampedMode& mode) {
      return std::tuple(mode.eigenvalue.imag(), std::abs(mode.eigenvalue.real()));
    };
    return key(a) < key(b);
  });
  response.offset += fit.offset();
  if (std::abs(response.offset) < kRounding * (size + std::abs(mean))) response.offset = 0.0;
  response.drift = fit.driftPerSample() / step;
  response.residual = fit.residual() / size;
  return response;
}

std::vector<Complex> calcEigenvalues(const std::vector<double>& values, double interval,
                                     int count) {
  std::vector<Complex> eigenvalues = linalg::MatrixPencil(values).calcRoots(count);
  for (Complex& eigenvalue : eigenvalues) eigenvalue = std::log(eigenvalue) / interval;
  std::sort(eigenvalues.begin(), eigenvalues.end(),
            [](const auto& a, const auto& b) { return a.imag() < b.imag(); });
  return eigenvalues;
}

}  // namespace flexloop::analysis
