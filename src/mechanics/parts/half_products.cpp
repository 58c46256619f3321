#include "mechanics/parts/half_products.hpp"

#include <algorithm>
#include <cstring>

namespace flexloop::mechanics {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

using Lanes [[gnu::vector_size(4 * sizeof(double))]] = double;

Lanes load(const double* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

void add(Lanes lanes, double* to) {
  lanes += load(to);
  std::memcpy(to, &lanes, sizeof lanes);
}

Lanes fill(double x) {
  return Lanes{x, x, x, x};
}

double sum(Lanes lanes) {
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

HalfMatrix::HalfMatrix(const Eigen::Ref<const Eigen::MatrixXd>& A, Symmetry symmetry)
    : size_(roundUp(A.rows())), sign_(symmetry == Symmetry::kSkew ? -1.0 : 1.0) {
  const Index n = A.rows();
  const auto entry = [&](Index i, Index j) {
    if (i >= n || j >= n) return 0.0;
    return i >= j ? A(i, j) : sign_ * A(j, i);
  };
  for (Index column = 0; column < size_; column += kLanes) {
    for (Index row = column; row < size_; row += kLanes) {
      for (int c = 0; c < kLanes; ++c) {
        for (int r = 0; r < kLanes; ++r) blocks_.push_back(entry(row + r, column + c));
      }
    }
  }
}

// Blocks on the diagonal count as columns alone.
template <int V>
void HalfMatrix::multiplyAll(const double* const* x, double* const* y) const {
  for (int v = 0; v < V; ++v) std::fill_n(y[v], size_, 0.0);
  const double* block = blocks_.data();
  for (Index j = 0; j < size_; j += kLanes) {
    Lanes factors[V][kLanes], sums[V][kLanes];
    for (int v = 0; v < V; ++v) {
      Lanes own = {};
      for (int c = 0; c < kLanes; ++c) {
        factors[v][c] = fill(x[v][j + c]);
        sums[v][c] = Lanes{};
        own += load(block + c * kLanes) * factors[v][c];
      }
      add(own, y[v] + j);
    }
    block += kLanes * kLanes;
    for (Index i = j + kLanes; i < size_; i += kLanes, block += kLanes * kLanes) {
      const Lanes a0 = load(block), a1 = load(block + kLanes);
      const Lanes a2 = load(block + 2 * kLanes), a3 = load(block + 3 * kLanes);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) {
        const Lanes xi = load(x[v] + i);
        sums[v][0] += a0 * xi;
        sums[v][1] += a1 * xi;
        sums[v][2] += a2 * xi;
        sums[v][3] += a3 * xi;
        add((a0 * factors[v][0] + a1 * factors[v][1]) + (a2 * factors[v][2] + a3 * factors[v][3]),
            y[v] + i);
      }
    }
    for (int v = 0; v < V; ++v) {
      for (int c = 0; c < kLanes; ++c) y[v][j + c] += sign_ * sum(sums[v][c]);
    }
  }
}

void HalfMatrix::multiply(const VectorXd& x, Eigen::Ref<VectorXd> y, Workspace& work) const {
  work.x.head(x.size()) = x;
  const double* const from[] = {work.x.data()};
  double* const to[] = {work.y.data()};
  multiplyAll<1>(from, to);
  y = work.y.head(y.size());
}

void HalfMatrix::multiply(const VectorXd& x, const VectorXd& u, Eigen::Ref<VectorXd> y,
                          Eigen::Ref<VectorXd> w, Workspace& work) const {
  work.x.head(x.size()) = x;
  work.u.head(u.size()) = u;
  const double* const from[] = {work.x.data(), work.u.data()};
  double* const to[] = {work.y.data(), work.w.data()};
  multiplyAll<2>(from, to);
  y = work.y.head(y.size());
  w = work.w.head(w.size());
}

}  // namespace flexloop::mechanics
