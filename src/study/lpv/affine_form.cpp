#include "study/lpv/affine_form.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/discretization.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "study/mode_tracking.hpp"

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using linalg::StateMatrices;

// Of the largest pole: what rounding makes of one at zero.
constexpr double kAtZero = 1e-6;
// Of the slowest other pole: zeros beside poles at zero.
constexpr double kZeroAtZero = 1e-3;
// By their size: a pole and a zero that are one root that the output does not see.
constexpr double kCancels = 1e-7;
// By its size: what rounding makes of the imaginary part of a real root.
constexpr double kReal = 1e-7;
// Values at which the quadratics of f are kept, at least, and by point.
constexpr int kLeastPoints = 9, kPointsPerPoint = 4;

std::vector<Complex> upperHalf(const std::vector<Complex>& roots, double atZero) {
  std::vector<Complex> upper;
  for (const Complex& root : roots) {
    if (std::abs(root) <= atZero) {
      upper.emplace_back(0.0);
    } else if (std::abs(root.imag()) <= kReal * std::abs(root)) {
      upper.emplace_back(root.real());
    } else if (root.imag() > 0.0) {
      upper.push_back(root);
    }
  }
  std::sort(upper.begin(), upper.end(), [](const Complex& a, const Complex& b) {
    return std::abs(a) < std::abs(b);
  });
  return upper;
}

void cancel(std::vector<Complex>& poles, std::vector<Complex>& zeros) {
  for (std::size_t i = 0; i < poles.size();) {
    const auto same = std::find_if(zeros.begin(), zeros.end(), [&](const Complex& zero) {
      return std::abs(zero - poles[i]) <= kCancels * std::abs(poles[i]);
    });
    if (same == zeros.end()) {
      ++i;
      continue;
    }
    zeros.erase(same);
    poles.erase(poles.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

int countReal(const std::vector<Complex>& roots) {
  return static_cast<int>(std::count_if(roots.begin(), roots.end(),
                                        [](const Complex& root) { return root.imag() == 0.0; }));
}

// The roots of one point in the order of another; nothing where real and complex ones are not as many.
std::optional<std::vector<Complex>> follow(const std::vector<Complex>& before,
                                           const std::vector<Complex>& roots) {
  if (before.size() != roots.size() || countReal(before) != countReal(roots)) return std::nullopt;
  if (before.empty()) return roots;
  constexpr double kNever = 1e6;
  const Index n = std::ssize(roots);
  MatrixXd cost(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < n; ++k) {
      const Complex a = before[i], b = roots[k];
      const bool areAlike = (a.imag() == 0.0) == (b.imag() == 0.0);
      const double size = std::max(std::abs(a), std::abs(b));
      cost(i, k) = areAlike ? (size > 0.0 ? std::abs(a - b) / size : 0.0) : kNever;
    }
  }
  std::vector<Complex> ordered;
  for (const int k : assignLeastCost(cost)) ordered.push_back(roots[k]);
  return ordered;
}

struct Line {
  Complex c0, c1;
};

// Least squares of y = c0 + c1 f.
Line fitLine(const std::vector<double>& f, const std::vector<Complex>& y) {
  const double n = static_cast<double>(f.size());
  double mean = 0.0, spread = 0.0;
  Complex middle = 0.0, along = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    mean += f[i] / n;
    middle += y[i] / n;
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    spread += (f[i] - mean) * (f[i] - mean);
    along += (f[i] - mean) * (y[i] - middle);
  }
  const Complex slope = along / spread;
  return {middle - mean * slope, slope};
}

std::vector<AffineRoot> fitRoots(const std::vector<double>& f,
                                 const std::vector<std::vector<Complex>>& points) {
  std::vector<AffineRoot> fitted;
  for (std::size_t i = 0; i < points.front().size(); ++i) {
    std::vector<Complex> values;
    for (const auto& roots : points) values.push_back(roots[i]);
    const Line line = fitLine(f, values);
    fitted.push_back({line.c0, line.c1, values.front().imag() == 0.0});
  }
  return fitted;
}

// s² + a₁ s + a₀, or of one root s + a₀ with `degree` 1, or 1.
struct Polynomial {
  int degree = 0;
  double a1 = 0.0, a0 = 0.0;
};

// Complex pairs and pairs of real roots, the slowest first; a real root that is left over comes last.
std::vector<Polynomial> makeFactors(const std::vector<AffineRoot>& roots, double f) {
  std::vector<Polynomial> factors;
  std::optional<double> real;
  for (const AffineRoot& root : roots) {
    const Complex value = root.at(f);
    if (!root.isReal) {
      factors.push_back({2, -2.0 * value.real(), std::norm(value)});
    } else if (real) {
      factors.push_back({2, -(*real + value.real()), *real * value.real()});
      real.reset();
    } else {
      real = value.real();
    }
  }
  if (real) factors.push_back({1, 0.0, -*real});
  return factors;
}

// One section: y = (s^m + b₁ s + b₀)/(s² + a₁ s + a₀) u.
struct Section {
  MatrixXd A, B, C;
  double D = 0.0;
};

Section makeSection(const Polynomial& pole, const Polynomial& zero) {
  Section section;
  const int n = pole.degree;
  section.A = MatrixXd::Zero(n, n);
  section.B = MatrixXd::Zero(n, 1);
  section.C = MatrixXd::Zero(1, n);
  if (n == 0) {
    section.D = 1.0;
    return section;
  }
  section.B(0, 0) = 1.0;
  section.D = zero.degree == n ? 1.0 : 0.0;
  if (n == 1) {
    section.A(0, 0) = -pole.a0;
    section.C(0, 0) = zero.degree == 1 ? zero.a0 - pole.a0 : 1.0;
    return section;
  }
  section.A << -pole.a1, -pole.a0, 1.0, 0.0;
  if (zero.degree == 2) section.C << zero.a1 - pole.a1, zero.a0 - pole.a0;
  if (zero.degree == 1) section.C << 1.0, zero.a0;
  if (zero.degree == 0) section.C << 0.0, 1.0;
  return section;
}

}  // namespace

PoleZeroGain findPolesAndZeros(const StateMatrices& system, Index output) {
  const StateMatrices s{system.A, system.B.col(0), system.C.row(output),
                        system.D.block(output, 0, 1, 1)};
  const Eigen::VectorXcd found = linalg::findEigenvaluesOfReal(s.A);
  const std::vector<Complex> poles(found.begin(), found.end());
  const double fastest = found.size() > 0 ? found.cwiseAbs().maxCoeff() : 0.0;
  PoleZeroGain result{upperHalf(poles, kAtZero * fastest), {}, 0.0};
  // Beside poles at zero, double zeros there are known to half of the digits.
  double slowest = fastest;
  bool isFree = false;
  for (const Complex& pole : result.poles) {
    isFree = isFree || pole == 0.0;
    if (pole != 0.0) slowest = std::min(slowest, std::abs(pole));
  }
  result.zeros = upperHalf(linalg::findZeros(s), isFree ? kZeroAtZero * slowest : 0.0);
  cancel(result.poles, result.zeros);
  // The gain at a rate that is at none of them.
  const double rate = fastest > 0.0 ? 0.7 * fastest : 1.0;
  Complex product = linalg::calcResponse(s, rate)(0, 0);
  const auto multiply = [&](const std::vector<Complex>& roots, bool isPole) {
    for (const Complex& root : roots) {
      Complex factor = rate - root;
      if (root.imag() != 0.0) factor *= rate - std::conj(root);
      product = isPole ? product * factor : product / factor;
    }
  };
  multiply(result.poles, true);
  multiply(result.zeros, false);
  result.gain = product.real();
  return result;
}

base::Result<AffineResponse> fitAffine(const std::vector<PoleZeroGain>& points,
                                       const std::vector<double>& f,
                                       const std::vector<std::string>& names,
                                       const std::string& output) {
  std::vector<std::vector<Complex>> poles{points.front().poles}, zeros{points.front().zeros};
  std::vector<Complex> gains{points.front().gain};
  const auto refuse = [&](const char* what, std::size_t i) {
    return base::Failure{
        "the " + std::string(what) + " of the output '" + output + "' cannot be paired between " +
            names[i - 1] + " and " + names[i],
        "leave out '--form affine': states that are aligned pass through this; or choose a range "
        "without it, or another output"};
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto nextPoles = follow(poles.back(), points[i].poles);
    if (!nextPoles) return refuse("poles, which meet on the real axis,", i);
    const auto nextZeros = follow(zeros.back(), points[i].zeros);
    if (!nextZeros) {
      const bool areAsMany = zeros.back().size() == points[i].zeros.size();
      return refuse(areAsMany ? "zeros, which meet on the real axis,"
                              : "zeros, which pass through infinity or meet on the real axis,",
                    i);
    }
    if (points[i].gain * points[i - 1].gain <= 0.0) {
      return refuse("zeros, which pass through infinity,", i);
    }
    poles.push_back(*nextPoles);
    zeros.push_back(*nextZeros);
    gains.emplace_back(points[i].gain);
  }
  const Line gain = fitLine(f, gains);
  return AffineResponse{output, fitRoots(f, poles), fitRoots(f, zeros), gain.c0.real(),
                        gain.c1.real()};
}

StateMatrices makeSections(const AffineResponse& response, double f) {
  const std::vector<Polynomial> poles = makeFactors(response.poles, f);
  std::vector<Polynomial> zeros = makeFactors(response.zeros, f);
  zeros.resize(poles.size());
  // A real zero that is left over goes to a section that has room for it.
  Index n = 0;
  for (const Polynomial& pole : poles) n += pole.degree;
  StateMatrices s{MatrixXd::Zero(n, n), MatrixXd::Zero(n, 1), MatrixXd::Zero(1, n),
                  MatrixXd::Constant(1, 1, response.k0 + f * response.k1)};
  Index first = 0;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    const Section section = makeSection(poles[i], zeros[i]);
    const Index k = section.A.rows();
    s.A.block(first, 0, k, first) = section.B * s.C.leftCols(first);
    s.A.block(first, first, k, k) = section.A;
    s.B.middleRows(first, k) = section.B * s.D;
    s.C.leftCols(first) *= section.D;
    s.C.middleCols(first, k) = section.C;
    s.D *= section.D;
    first += k;
  }
  return s;
}

control::LpvModel makeAffineModel(const control::LpvModel& fitted,
                                  const std::vector<AffineResponse>& responses,
                                  const std::function<double(double)>& f) {
  control::LpvModel model;
  model.inputs = fitted.inputs;
  model.outputs = fitted.outputs;
  model.isCompanion = true;
  const std::vector<double>& points = fitted.axes[0].points;
  const int count = std::max(kLeastPoints, kPointsPerPoint * static_cast<int>(points.size()) + 1);
  control::LpvAxis axis{fitted.axes[0].name, {}};
  for (int i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / (count - 1);
    axis.points.push_back((1.0 - share) * points.front() + share * points.back());
  }
  model.axes = {axis};
  control::LpvRows values;
  for (int i = 0; i < count; ++i) {
    std::vector<StateMatrices> all;
    Index n = 0;
    for (const AffineResponse& response : responses) {
      all.push_back(makeSections(response, f(axis.points[i])));
      n += all.back().A.rows();
    }
    model.layout = {0, static_cast<int>(n), 1, static_cast<int>(responses.size())};
    const control::LpvLayout& at = model.layout;
    if (i == 0) values = control::LpvRows::Zero(count, at.size());
    auto row = values.row(i);
    int first = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const StateMatrices& s = all[r];
      const int k = static_cast<int>(s.A.rows());
      for (int a = 0; a < k; ++a) {
        for (int b = 0; b < k; ++b) row[at.other(first + a, first + b)] = s.A(a, b);
        row[at.input(first + a, 0)] = s.B(a, 0);
        row[at.output(static_cast<int>(r), first + a)] = s.C(0, a);
      }
      row[at.direct(static_cast<int>(r), 0)] = s.D(0, 0);
      first += k;
    }
  }
  model.sets = control::makeSets(model.axes, values, true);
  return model;
}

}  // namespace flexloop::study
