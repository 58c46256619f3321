// Polynomials with real coefficients,
//     p(x) = c₀ + c₁x + c₂x² + …
#pragma once

#include <cstddef>
#include <vector>

namespace flexloop::math {

struct Polynomial {
  std::vector<double> coefficients;  // ascending powers; empty: zero

  // At a real or complex x.
  template <class T>
  T at(const T& x) const {
    T sum{};
    for (std::size_t i = coefficients.size(); i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
  }
};

inline Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  const bool longer = a.coefficients.size() >= b.coefficients.size();
  Polynomial sum = longer ? a : b;
  const Polynomial& other = longer ? b : a;
  for (std::size_t i = 0; i < other.coefficients.size(); ++i) {
    sum.coefficients[i] += other.coefficients[i];
  }
  return sum;
}

inline Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.coefficients.empty() || b.coefficients.empty()) return {};
  Polynomial product{std::vector<double>(a.coefficients.size() + b.coefficients.size() - 1)};
  for (std::size_t i = 0; i < a.coefficients.size(); ++i) {
    for (std::size_t j = 0; j < b.coefficients.size(); ++j) {
      product.coefficients[i + j] += a.coefficients[i] * b.coefficients[j];
    }
  }
  return product;
}

inline Polynomial operator*(double factor, Polynomial p) {
  for (double& c : p.coefficients) c *= factor;
  return p;
}

}  // namespace flexloop::math
