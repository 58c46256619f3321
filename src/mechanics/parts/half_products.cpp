#include "mechanics/parts/half_products.hpp"

#include <array>

namespace flexloop::mechanics {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

using Lanes = Eigen::Array<double, 4, 1>;
using In = Eigen::Map<const Lanes>;

// A square matrix by columns, and its sign under transposition.
struct Half {
  const double* first;
  Index stride, size;
  double sign;
};

// Adds what W columns from j on contribute to the products with V vectors: their block on the diagonal as it is, and what is
// below it as columns and as rows.
template <int W, int V>
void addColumns(const Half& A, Index j, const std::array<const double*, V>& x,
                const std::array<double*, V>& y) {
  const double* const column = A.first + j * A.stride;
  for (int v = 0; v < V; ++v) {
    for (int c = 0; c < W; ++c) {
      for (int r = 0; r < W; ++r) y[v][j + r] += column[c * A.stride + j + r] * x[v][j + c];
    }
  }
  Lanes sums[V][W], factors[V][W];
  for (int v = 0; v < V; ++v) {
    for (int c = 0; c < W; ++c) {
      sums[v][c].setZero();
      factors[v][c].setConstant(x[v][j + c]);
    }
  }
  Index i = j + W;
  for (; i + 4 <= A.size; i += 4) {
    Lanes rows[W];
#pragma GCC unroll 4
    for (int c = 0; c < W; ++c) rows[c] = In(column + c * A.stride + i);
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
      const Lanes xi = In(x[v] + i);
      Eigen::Map<Lanes> to(y[v] + i);
      Lanes total = to;
#pragma GCC unroll 4
      for (int c = 0; c < W; ++c) {
        sums[v][c] += rows[c] * xi;
        total += rows[c] * factors[v][c];
      }
      to = total;
    }
  }
  for (int v = 0; v < V; ++v) {
    for (int c = 0; c < W; ++c) {
      const Lanes& s = sums[v][c];
      double sum = (s[0] + s[1]) + (s[2] + s[3]);
      for (Index r = i; r < A.size; ++r) {
        const double entry = column[c * A.stride + r];
        sum += entry * x[v][r];
        y[v][r] += entry * x[v][j + c];
      }
      y[v][j + c] += A.sign * sum;
    }
  }
}

template <int V>
void multiply(const Half& A, const std::array<const double*, V>& x,
              const std::array<double*, V>& y) {
  for (int v = 0; v < V; ++v) VectorXd::Map(y[v], A.size).setZero();
  Index j = 0;
  for (; j + 4 <= A.size; j += 4) addColumns<4, V>(A, j, x, y);
  for (; j < A.size; ++j) addColumns<1, V>(A, j, x, y);
}

}  // namespace

void multiplySymmetric(const MatrixXd& A, const VectorXd& x, Eigen::Ref<VectorXd> y) {
  multiply<1>({A.data(), A.rows(), A.cols(), 1.0}, {x.data()}, {y.data()});
}

void multiplySkew(const MatrixXd& A, const VectorXd& x, const VectorXd& u, Eigen::Ref<VectorXd> y,
                  Eigen::Ref<VectorXd> w) {
  const double* const first = A.data() + (A.rows() - A.cols());
  multiply<2>({first, A.rows(), A.cols(), -1.0}, {x.data(), u.data()}, {y.data(), w.data()});
}

}  // namespace flexloop::mechanics
