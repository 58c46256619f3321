#include "linalg/roots/polynomial_roots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;
using math::Polynomial;

constexpr int kMostPolishing = 4;

std::vector<Complex> solveQuadratic(double a, double b, double c) {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  const double discriminant = b * b - 4.0 * a * c;
  if (std::abs(discriminant) <= kRounding * b * b) return {-0.5 * b / a, -0.5 * b / a};
  if (discriminant < 0.0) {
    const Complex root(-0.5 * b / a, 0.5 * std::sqrt(-discriminant) / std::abs(a));
    return {root, std::conj(root)};
  }
  // The sum without cancellation first; the other root follows from their product.
  const double sum = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  return {sum / a, c / sum};
}

// Eigenvalues of the companion matrix; LAPACK balances it, so that small roots keep their digits.
std::vector<Complex> calcCompanionEigenvalues(const std::vector<double>& c) {
  const int n = static_cast<int>(c.size()) - 1;
  std::vector<double> matrix(static_cast<std::size_t>(n) * n), re(n), im(n);
  for (int i = 0; i < n; ++i) {
    matrix[static_cast<std::size_t>(i) * n] = -c[n - 1 - i] / c[n];
    if (i + 1 < n) matrix[static_cast<std::size_t>(i) * n + i + 1] = 1.0;
  }
  const int status = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, matrix.data(), n, re.data(),
                                   im.data(), nullptr, n, nullptr, n);
  if (status != 0) throw std::runtime_error("the roots of a polynomial could not be found");
  std::vector<Complex> roots;
  for (int i = 0; i < n; ++i) roots.emplace_back(re[i], im[i]);
  return roots;
}

// Newton's method as long as it brings the polynomial closer to zero.
Complex polish(const Polynomial& p, const Polynomial& derivative, Complex root) {
  double size = std::abs(p.at(root));
  for (int i = 0; i < kMostPolishing && size > 0.0; ++i) {
    const Complex next = root - p.at(root) / derivative.at(root);
    const double nextSize = std::abs(p.at(next));
    if (!(nextSize < size)) break;
    root = next;
    size = nextSize;
  }
  return root;
}

Polynomial differentiate(const Polynomial& p) {
  Polynomial derivative;
  for (std::size_t i = 1; i < p.coefficients.size(); ++i) {
    derivative.coefficients.push_back(static_cast<double>(i) * p.coefficients[i]);
  }
  return derivative;
}

std::vector<Complex> solve(const Polynomial& p) {
  const std::vector<double>& c = p.coefficients;
  if (c.size() < 2) return {};
  if (c.size() == 2) return {-c[0] / c[1]};
  if (c.size() == 3) return solveQuadratic(c[2], c[1], c[0]);
  const Polynomial derivative = differentiate(p);
  std::vector<Complex> roots = calcCompanionEigenvalues(c);
  for (Complex& root : roots) root = polish(p, derivative, root);
  return roots;
}

}  // namespace

std::vector<Complex> calcRoots(const Polynomial& polynomial) {
  Polynomial p = polynomial;
  while (!p.coefficients.empty() && p.coefficients.back() == 0.0) p.coefficients.pop_back();
  // Roots at zero are exact.
  const auto first =
      std::find_if(p.coefficients.begin(), p.coefficients.end(), [](double c) { return c != 0.0; });
  std::vector<Complex> roots(static_cast<std::size_t>(first - p.coefficients.begin()));
  p.coefficients.erase(p.coefficients.begin(), first);
  for (const Complex& root : solve(p)) roots.push_back(root);
  std::sort(roots.begin(), roots.end(), [](const Complex& a, const Complex& b) {
    return std::tuple(a.real(), a.imag()) < std::tuple(b.real(), b.imag());
  });
  return roots;
}

}  // namespace flexloop::linalg
