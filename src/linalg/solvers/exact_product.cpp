#include "linalg/solvers/exact_product.hpp"

#include <cmath>
#include <vector>

namespace flexloop::linalg {
namespace {

using Complex = std::complex<double>;

// The sum of two doubles that do not overlap (Dekker 1971).
struct Double2 {
  double high = 0.0, low = 0.0;

  double value() const { return high + low; }

  void add(double x) {
    const double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  void addProduct(double a, double b) {
    const double product = a * b;
    low += std::fma(a, b, -product);
    add(product);
  }
  void addProduct(double a, const Double2& b) {
    addProduct(a, b.high);
    low += a * b.low;
  }
  void normalize() {
    const double sum = high + low;
    low -= sum - high;
    high = sum;
  }
};

struct Complex2 {
  Double2 re, im;

  void addProduct(double a, Complex b) {
    re.addProduct(a, b.real());
    im.addProduct(a, b.imag());
  }
  void addProduct(Complex a, const Complex2& b) {
    re.addProduct(a.real(), b.re);
    re.addProduct(-a.imag(), b.im);
    im.addProduct(a.real(), b.im);
    im.addProduct(a.imag(), b.re);
  }
  void addProduct(Complex a, Complex b) {
    addProduct(a.real(), b);
    re.addProduct(-a.imag(), b.imag());
    im.addProduct(a.imag(), b.real());
  }
  void normalize() {
    re.normalize();
    im.normalize();
  }
  Complex value() const { return {re.value(), im.value()}; }
};

using Sums = std::vector<Complex2>;

void addProduct(const SparseMatrix& matrix, const Eigen::VectorXcd& z, bool transposed,
                Sums& sums) {
  for (int j = 0; j < matrix.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
      const auto i = it.row();
      if (transposed) {
        sums[j].addProduct(it.value(), z[i]);
      } else {
        sums[i].addProduct(it.value(), z[j]);
      }
    }
  }
}

// K z + s (C z + s M z), by Horner's rule.
Eigen::VectorXcd multiply(const QuadraticPencil& pencil, const DelayTerms& delays, Complex s,
                          const Eigen::VectorXcd& z, bool transposed) {
  Sums sums(pencil.size());
  const auto multiplyByS = [&] {
    for (Complex2& sum : sums) {
      sum.normalize();
      Complex2 product;
      product.addProduct(s, sum);
      sum = product;
    }
  };
  if (s != 0.0) {
    addProduct(pencil.M, z, transposed, sums);
    multiplyByS();
    addProduct(pencil.C, z, transposed, sums);
    multiplyByS();
  }
  addProduct(pencil.K, z, transposed, sums);
  for (const DelayTerm& term : delays) {
    const Complex factor = term.factor * std::exp(-s * term.delay);
    const auto [to, from] =
        transposed ? std::pair(term.column, term.row) : std::pair(term.row, term.column);
    sums[to].addProduct(factor, z[from]);
  }
  Eigen::VectorXcd result(pencil.size());
  for (int i = 0; i < pencil.size(); ++i) result[i] = sums[i].value();
  return result;
}

}  // namespace

Eigen::VectorXcd applyExactly(const QuadraticPencil& pencil, const DelayTerms& delays, Complex s,
                              const Eigen::VectorXcd& z) {
  return multiply(pencil, delays, s, z, false);
}

Eigen::VectorXcd applyTransposedExactly(const QuadraticPencil& pencil, const DelayTerms& delays,
                                        Complex s, const Eigen::VectorXcd& w) {
  return multiply(pencil, delays, s, w, true);
}

Eigen::VectorXd applyExactly(std::initializer_list<const SparseMatrix*> coefficients, double s,
                             const Eigen::VectorXd& x) {
  std::vector<Double2> sums(x.size());
  for (std::size_t k = coefficients.size(); k-- > 0;) {
    if (s == 0.0 && k > 0) continue;
    for (Double2& sum : sums) {
      sum.normalize();
      Double2 product;
      product.addProduct(s, sum);
      sum = product;
    }
    const SparseMatrix& matrix = *coefficients.begin()[k];
    for (int j = 0; j < matrix.outerSize(); ++j) {
      for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
        sums[it.row()].addProduct(it.value(), x[j]);
      }
    }
  }
  Eigen::VectorXd result(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) result[i] = sums[i].value();
  return result;
}

Complex multiplyExactly(const Eigen::VectorXcd& w, const Eigen::VectorXcd& z) {
  Complex2 sum;
  for (Eigen::Index i = 0; i < w.size(); ++i) sum.addProduct(w[i], z[i]);
  return sum.value();
}

}  // namespace flexloop::linalg
