// Truth for the tests of src/math, in 113-bit arithmetic and by other formulas than the code's:
// matrix exponential by scaling and squaring, tangent by its power series in the bracket matrix,
// inverse by elimination, derivatives by central differences (with h = 2^-36 the error is near
// 1e-21).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Core>

namespace flexloop::test {

__extension__ using Quad = __float128;

}  // namespace flexloop::test

template <>
struct Eigen::NumTraits<flexloop::test::Quad> : Eigen::GenericNumTraits<flexloop::test::Quad> {};

namespace flexloop::test {

template <int Rows, int Cols = 1>
using QuadMatrix = Eigen::Matrix<Quad, Rows, Cols>;

inline double magnitude(Quad x) {
  return std::abs(static_cast<double>(x));
}

/// The largest |A_ij|. (Eigen's maxCoeff with AVX-512 gives a false warning in GCC 12.)
template <class Matrix>
double largestEntry(const Matrix& A) {
  double largest = 0.0;
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) largest = std::max(largest, magnitude(A(i, j)));
  }
  return largest;
}

template <class Matrix>
QuadMatrix<Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime> toQuad(const Matrix& A) {
  QuadMatrix<Matrix::RowsAtCompileTime, Matrix::ColsAtCompileTime> result;
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < A.cols(); ++j) result(i, j) = A(i, j);
  }
  return result;
}

template <int Rows, int Cols>
Eigen::Matrix<double, Rows, Cols> toDouble(const QuadMatrix<Rows, Cols>& A) {
  Eigen::Matrix<double, Rows, Cols> result;
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Cols; ++j) result(i, j) = static_cast<double>(A(i, j));
  }
  return result;
}

/// Σ a_k A^k with a_0 = 1 and a_{k+1} = a_k · ratio(k), until nothing changes; ratio(k) → 0.
template <int N, class Ratio>
QuadMatrix<N, N> quadPowerSeries(const QuadMatrix<N, N>& A, Ratio ratio) {
  QuadMatrix<N, N> sum = QuadMatrix<N, N>::Identity(), term = sum;
  for (int k = 0; largestEntry(term) > 1e-40; ++k) {
    term = (term * A * Quad(ratio(k))).eval();
    sum += term;
  }
  return sum;
}

template <int N>
QuadMatrix<N, N> quadExponential(const QuadMatrix<N, N>& A) {
  constexpr int kSquarings = 6;
  QuadMatrix<N, N> result = quadPowerSeries<N>(A * (Quad(1) / (1 << kSquarings)),
                                               [](int k) { return Quad(1) / (k + 1); });
  for (int i = 0; i < kSquarings; ++i) result = (result * result).eval();
  return result;
}

/// Σ (−1)^k/(k+1)! A^k, with the bracket matrix A.
template <int N>
QuadMatrix<N, N> quadTangent(const QuadMatrix<N, N>& A) {
  return quadPowerSeries<N>(A, [](int k) { return Quad(-1) / (k + 2); });
}

/// Gauss-Jordan elimination with row exchange.
template <int N>
QuadMatrix<N, N> quadInverse(QuadMatrix<N, N> A) {
  QuadMatrix<N, N> B = QuadMatrix<N, N>::Identity();
  for (int c = 0; c < N; ++c) {
    int pivot = c;
    for (int r = c + 1; r < N; ++r) {
      if (magnitude(A(r, c)) > magnitude(A(pivot, c))) pivot = r;
    }
    for (int j = 0; j < N; ++j) {
      std::swap(A(c, j), A(pivot, j));
      std::swap(B(c, j), B(pivot, j));
    }
    const Quad inverse = Quad(1) / A(c, c);
    A.row(c) *= inverse;
    B.row(c) *= inverse;
    for (int r = 0; r < N; ++r) {
      if (r == c) continue;
      const Quad factor = A(r, c);
      A.row(r) -= factor * A.row(c);
      B.row(r) -= factor * B.row(c);
    }
  }
  return B;
}

inline QuadMatrix<3, 3> quadSkew(const QuadMatrix<3>& w) {
  QuadMatrix<3, 3> A;
  A << Quad(0), -w[2], w[1], w[2], Quad(0), -w[0], -w[1], w[0], Quad(0);
  return A;
}

/// The bracket matrix of d = (u; w), as a 3 × 3 block of skew matrices.
inline QuadMatrix<6, 6> quadBracket(const QuadMatrix<6>& d) {
  QuadMatrix<6, 6> A = QuadMatrix<6, 6>::Zero();
  A.topLeftCorner<3, 3>() = A.bottomRightCorner<3, 3>() = quadSkew(d.tail<3>());
  A.topRightCorner<3, 3>() = quadSkew(d.head<3>());
  return A;
}

/// The 4 × 4 matrix [ŵ, u; 0, 0], whose exponential is [R, x; 0, 1].
inline QuadMatrix<4, 4> quadHomogeneous(const QuadMatrix<6>& d) {
  QuadMatrix<4, 4> A = QuadMatrix<4, 4>::Zero();
  A.topLeftCorner<3, 3>() = quadSkew(d.tail<3>());
  A.topRightCorner<3, 1>() = d.head<3>();
  return A;
}

/// d/ds f(x + s e) at s = 0.
template <class F, int N>
auto quadDirectional(F f, const QuadMatrix<N>& x, const QuadMatrix<N>& e) {
  const Quad h = Quad(1) / (1LL << 36);
  auto difference = f(QuadMatrix<N>(x + h * e));
  difference -= f(QuadMatrix<N>(x - h * e));
  difference *= Quad(1) / (2 * h);
  return difference;
}

/// Σ_k a_k q^k differentiated D times, for a_k = coefficient(k).
template <class Coefficient>
Quad quadSeriesDerivative(Coefficient coefficient, int D, Quad q) {
  Quad sum = 0, power = 1;
  for (int k = 0; k < 100; ++k, power *= q) {
    Quad factor = 1;
    for (int i = 1; i <= D; ++i) factor *= k + i;
    sum += factor * coefficient(k + D) * power;
  }
  return sum;
}

inline Quad quadInverseFactorial(int n) {
  static const auto table = [] {
    std::array<Quad, 256> values;
    values[0] = 1;
    for (int i = 1; i < 256; ++i) values[i] = values[i - 1] / i;
    return values;
  }();
  return table[n];
}

/// D-th derivative of c_n(q).
inline Quad quadStumpff(int n, int D, Quad q) {
  return quadSeriesDerivative(
      [n](int k) { return Quad(k % 2 == 0 ? 1 : -1) * quadInverseFactorial(2 * k + n); }, D, q);
}

/// D-th derivative of g(q) = (2 c_2 − c_1) / (2 q c_2), with the division by q carried out in the
/// series of the numerator; the derivatives follow from those of the product g c_2.
inline Quad quadInverseTangent(int D, Quad q) {
  Quad result = quadSeriesDerivative(
      [](int k) { return Quad(k % 2 == 0 ? k + 1 : -k - 1) * quadInverseFactorial(2 * k + 4); }, D,
      q);
  Quad binomial = 1;
  for (int i = 0; i < D; ++i) {
    result -= binomial * quadInverseTangent(i, q) * quadStumpff(2, D - i, q);
    binomial = binomial * (D - i) / (i + 1);
  }
  return result / quadStumpff(2, 0, q);
}

}  // namespace flexloop::test
