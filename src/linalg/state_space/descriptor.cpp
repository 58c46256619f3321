#include "linalg/state_space/descriptor.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/dense/dense_lu.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr int kMostRounds = 40;

struct Pivot {
  int row = -1, column = -1;
};

// Rows and columns of E that are independent come first. Scales by which entries are about one.
struct Independence {
  std::vector<int> rows, columns;
  std::vector<double> rowScales, columnScales;
  int rank = 0;
};

// Gaussian elimination with the largest pivot of a matrix with rows and columns of equal size.
class RankSearch {
 public:
  RankSearch(const TrackedMatrix& E, std::vector<int> rows, std::vector<int> columns, double share)
      : found_{std::move(rows), std::move(columns), {}, {}}, share_(share) {
    found_.rowScales.assign(found_.rows.size(), 1.0);
    found_.columnScales.assign(found_.columns.size(), 1.0);
    X_ = E.values()(found_.rows, found_.columns);
    terms_ = X_.cwiseAbs();
    for (std::size_t i = 0; i < found_.rows.size(); ++i) {
      for (std::size_t j = 0; j < found_.columns.size(); ++j) {
        terms_(static_cast<Index>(i), static_cast<Index>(j)) =
            E.terms(found_.rows[i], found_.columns[j]);
      }
    }
    equilibrate();
  }

  Independence find() {
    const Index most = std::min(X_.rows(), X_.cols());
    takeSingles();
    while (found_.rank < most) {
      const Index k = found_.rank, m = X_.rows() - k, n = X_.cols() - k;
      Index row = 0, column = 0;
      if (!(X_.bottomRightCorner(m, n).cwiseAbs().maxCoeff(&row, &column) > 0.0)) break;
      exchange(k, k + row, k + column);
      eliminate(k, m - 1, n - 1);
      ++found_.rank;
    }
    return found_;
  }

 private:
  void equilibrate() {
    constexpr int kRounds = 4;
    const auto factorOf = [](double size) {
      return size > 0.0 ? std::exp2(-std::round(0.5 * std::log2(size))) : 1.0;
    };
    for (int round = 0; round < kRounds && X_.size() > 0; ++round) {
      for (Index i = 0; i < X_.rows(); ++i) {
        const double factor = factorOf(X_.row(i).cwiseAbs().maxCoeff());
        X_.row(i) *= factor;
        terms_.row(i) *= factor;
        found_.rowScales[i] *= factor;
      }
      for (Index j = 0; j < X_.cols(); ++j) {
        const double factor = factorOf(X_.col(j).cwiseAbs().maxCoeff());
        X_.col(j) *= factor;
        terms_.col(j) *= factor;
        found_.columnScales[j] *= factor;
      }
    }
  }

  // Entries that are alone in their row and in their column, those of u' = v, are pivots that change nothing.
  void takeSingles() {
    for (Index row = 0; row < X_.rows(); ++row) {
      Index column = 0;
      if ((X_.row(row).array() != 0.0).count() != 1) continue;
      X_.row(row).cwiseAbs().maxCoeff(&column);
      if ((X_.col(column).array() != 0.0).count() != 1) continue;
      exchange(found_.rank, row, column);
      ++found_.rank;
    }
  }

  void exchange(Index k, Index row, Index column) {
    X_.row(k).swap(X_.row(row));
    terms_.row(k).swap(terms_.row(row));
    std::swap(found_.rows[k], found_.rows[row]);
    std::swap(found_.rowScales[k], found_.rowScales[row]);
    X_.col(k).swap(X_.col(column));
    terms_.col(k).swap(terms_.col(column));
    std::swap(found_.columns[k], found_.columns[column]);
    std::swap(found_.columnScales[k], found_.columnScales[column]);
  }

  void eliminate(Index k, Index m, Index n) {
    const double pivot = X_(k, k);
    for (Index j = k + 1; j <= k + n; ++j) {
      const double value = X_(k, j) / pivot, size = terms_(k, j) / std::abs(pivot);
      if (value == 0.0) continue;
      for (Index i = k + 1; i <= k + m; ++i) {
        const double factor = X_(i, k);
        if (factor == 0.0) continue;
        double& entry = X_(i, j);
        entry -= factor * value;
        terms_(i, j) += std::max(std::abs(factor) * size, terms_(i, k) * std::abs(value));
        if (std::abs(entry) <= share_ * terms_(i, j)) entry = 0.0;
      }
    }
  }

  Independence found_;
  MatrixXd X_, terms_;
  double share_;
};

class Elimination {
 public:
  Elimination(Descriptor& d, double share)
      : d_(d), share_(share), isStaticRow_(d.E.rows()), isStaticColumn_(d.E.cols()) {
    rows_.resize(d.E.rows());
    columns_.resize(d.E.cols());
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
    for (const int i : rows_) isStaticRow_[i] = d.E.values().row(i).isZero(0.0);
    for (const int j : columns_) isStaticColumn_[j] = d.E.values().col(j).isZero(0.0);
  }

  bool run(int& singular) {
    for (int round = 0; round < kMostRounds; ++round) {
      eliminateAll(true);
      eliminateAll(false);
      for (const int i : rows_) {
        if (!isStaticRow_[i]) continue;
        singular = i;
        return false;
      }
      if (isRegular()) return true;
    }
    return false;
  }

  void finish() {
    d_.E = d_.E.take(rows_, columns_);
    d_.A = d_.A.take(rows_, columns_);
    std::vector<int> all(d_.V.rows());
    std::iota(all.begin(), all.end(), 0);
    d_.V = d_.V.take(all, columns_);
    std::vector<int> inputs(d_.F[0].cols());
    std::iota(inputs.begin(), inputs.end(), 0);
    for (TrackedMatrix& F : d_.F) F = F.take(rows_, inputs);
  }

 private:
  // Equations without derivatives give unknowns without derivatives, then others.
  void eliminateAll(bool ofStaticColumns) {
    while (true) {
      const Pivot pivot = findPivot(ofStaticColumns);
      if (pivot.row < 0) return;
      eliminate(pivot);
    }
  }

  // The largest entry by the largest of its row: units of equations do not matter.
  Pivot findPivot(bool ofStaticColumns) const {
    Pivot best;
    double largest = 0.0;
    for (const int i : rows_) {
      if (!isStaticRow_[i]) continue;
      double rowSize = 0.0, size = 0.0;
      int column = -1;
      for (const int j : columns_) {
        const double value = std::abs(d_.A(i, j));
        rowSize = std::max(rowSize, value);
        if (isStaticColumn_[j] == ofStaticColumns && value > size) size = value, column = j;
      }
      if (column >= 0 && size > largest * rowSize) {
        best = {i, column};
        largest = size / rowSize;
      }
      if (largest == 1.0) break;
    }
    return best;
  }

  // z_c = −(Σ A_pj z_j + F_p w)/A_pc
  void eliminate(const Pivot& pivot) {
    const int p = pivot.row, c = pivot.column;
    std::erase(rows_, p);
    std::erase(columns_, c);
    const double a = d_.A(p, c), shareOfA = d_.A.terms(p, c) / std::abs(a);
    for (const int j : columns_) {
      const double value = d_.A(p, j) / a;
      if (value == 0.0) continue;
      const double size = std::max(d_.A.terms(p, j) / std::abs(a), shareOfA * std::abs(value));
      substitute(d_.A, rows_, c, j, value, size);
      if (!isStaticColumn_[c]) substitute(d_.E, rows_, c, j, value, size);
      substituteInV(c, j, value, size);
    }
    for (std::size_t k = 0; k < d_.F.size(); ++k) {
      for (Index input = 0; input < d_.F[k].cols(); ++input) {
        const double value = d_.F[k](p, input) / a;
        if (value != 0.0)
          substituteInput(c, k, input, value, d_.F[k].terms(p, input) / std::abs(a));
      }
    }
  }

  void substitute(TrackedMatrix& matrix, const std::vector<int>& rows, int c, int j, double value,
                  double size) const {
    for (const int i : rows) {
      const double factor = matrix(i, c);
      if (factor == 0.0) continue;
      const double terms = std::max(std::abs(factor) * size, matrix.terms(i, c) * std::abs(value));
      matrix.add(i, j, -factor * value, terms, share_);
    }
  }

  void substituteInV(int c, int j, double value, double size) const {
    for (Index i = 0; i < d_.V.rows(); ++i) {
      const double factor = d_.V(i, c);
      if (factor == 0.0) continue;
      const double terms = std::max(std::abs(factor) * size, d_.V.terms(i, c) * std::abs(value));
      d_.V.add(i, j, -factor * value, terms, share_);
    }
  }

  // What the input gives to z_c goes where z_c and its derivative are: A z_c and −E z_c'.
  void substituteInput(int c, std::size_t power, Index input, double value, double size) {
    const auto add = [&](TrackedPolynomial& sum, std::size_t to, Index i, double factor,
                         double terms) {
      if (factor == 0.0) return;
      while (sum.size() <= to) {
        sum.emplace_back(MatrixXd::Zero(sum[0].rows(), sum[0].cols()));
      }
      sum[to].add(i, input, -factor * value,
                  std::max(std::abs(factor) * size, terms * std::abs(value)), share_);
    };
    for (const int i : rows_) {
      add(d_.F, power, i, d_.A(i, c), d_.A.terms(i, c));
      if (!isStaticColumn_[c]) add(d_.F, power + 1, i, -d_.E(i, c), d_.E.terms(i, c));
    }
    for (Index i = 0; i < d_.V.rows(); ++i) add(d_.W, power, i, d_.V(i, c), d_.V.terms(i, c));
  }

  // Where it is not, dependent rows become equations without derivatives, and of dependent columns combinations
  // z_p + X z_q have derivatives and z_q has none.
  bool isRegular() {
    std::vector<int> moving;
    for (const int j : columns_) {
      if (!isStaticColumn_[j]) moving.push_back(j);
    }
    const Independence found = RankSearch(d_.E, rows_, moving, share_).find();
    const int r = found.rank, rows = static_cast<int>(rows_.size());
    if (r == rows && rows == static_cast<int>(columns_.size())) return true;
    const std::vector<int> I(found.rows.begin(), found.rows.begin() + r);
    const std::vector<int> J(found.rows.begin() + r, found.rows.end());
    const std::vector<int> P(found.columns.begin(), found.columns.begin() + r);
    const std::vector<int> Q(found.columns.begin() + r, found.columns.end());
    const Eigen::Map<const Eigen::VectorXd> rowScales(found.rowScales.data(), rows);
    const Eigen::Map<const Eigen::VectorXd> scales(found.columnScales.data(), std::ssize(moving));
    const MatrixXd X =
        rowScales.asDiagonal() * d_.E.values()(found.rows, found.columns) * scales.asDiagonal();
    const MatrixXd regular = X.topLeftCorner(r, r);
    if (!J.empty()) {
      MatrixXd L = MatrixXd::Zero(rows - r, r);
      const MatrixXd dependent = X.bottomLeftCorner(rows - r, r).transpose();
      if (r > 0) L = solveDense(regular.transpose(), dependent).transpose();
      dropRoundOff(L);
      L = rowScales.tail(rows - r).cwiseInverse().asDiagonal() * L * rowScales.head(r).asDiagonal();
      subtractRows(I, J, L);
    }
    if (!Q.empty()) {
      const Index q = std::ssize(Q);
      MatrixXd right = MatrixXd::Zero(q, r);
      if (r > 0) right = solveDense(regular, X.topRightCorner(r, q)).transpose();
      dropRoundOff(right);
      right = scales.tail(q).cwiseInverse().asDiagonal() * right * scales.head(r).asDiagonal();
      subtractColumns(P, Q, right.transpose());
    }
    return false;
  }

  // What rounding leaves of nothing would be taken for a coupling.
  void dropRoundOff(MatrixXd& L) const {
    for (Index i = 0; i < L.rows() && L.cols() > 0; ++i) {
      const double least = share_ * L.row(i).cwiseAbs().maxCoeff();
      L.row(i) = (L.row(i).array().abs() <= least).select(0.0, L.row(i)).eval();
    }
  }

  void subtractRows(const std::vector<int>& I, const std::vector<int>& J, const MatrixXd& L) {
    for (std::size_t j = 0; j < J.size(); ++j) {
      const int to = J[j];
      isStaticRow_[to] = true;
      for (Index k = 0; k < d_.E.cols(); ++k) d_.E.clear(to, k);
      for (std::size_t i = 0; i < I.size(); ++i) {
        const double factor = L(static_cast<Index>(j), static_cast<Index>(i));
        if (factor == 0.0) continue;
        for (const int k : columns_) addShare(d_.A, to, k, I[i], k, factor);
        for (TrackedMatrix& F : d_.F) {
          for (Index k = 0; k < F.cols(); ++k) addShare(F, to, k, I[i], k, factor);
        }
      }
    }
  }

  void subtractColumns(const std::vector<int>& P, const std::vector<int>& Q, const MatrixXd& X) {
    for (std::size_t q = 0; q < Q.size(); ++q) {
      const int to = Q[q];
      isStaticColumn_[to] = true;
      for (Index i = 0; i < d_.E.rows(); ++i) d_.E.clear(i, to);
      for (std::size_t p = 0; p < P.size(); ++p) {
        const double factor = X(static_cast<Index>(p), static_cast<Index>(q));
        if (factor == 0.0) continue;
        for (const int i : rows_) addShare(d_.A, i, to, i, P[p], factor);
        for (Index i = 0; i < d_.V.rows(); ++i) addShare(d_.V, i, to, i, P[p], factor);
      }
    }
  }

  void addShare(TrackedMatrix& matrix, Index i, Index j, Index fromRow, Index fromColumn,
                double factor) const {
    const double value = matrix(fromRow, fromColumn);
    if (value == 0.0) return;
    matrix.add(i, j, -factor * value, std::abs(factor) * matrix.terms(fromRow, fromColumn), share_);
  }

  Descriptor& d_;
  double share_;
  std::vector<bool> isStaticRow_, isStaticColumn_;
  std::vector<int> rows_, columns_;
};

}  // namespace

TrackedMatrix TrackedMatrix::take(const std::vector<int>& rows,
                                  const std::vector<int>& columns) const {
  TrackedMatrix part;
  part.values_ = values_(rows, columns);
  part.terms_ = terms_(rows, columns);
  return part;
}

bool removeAlgebraic(Descriptor& d, double share, int& singular) {
  Elimination elimination(d, share);
  if (!elimination.run(singular)) return false;
  elimination.finish();
  return true;
}

}  // namespace flexloop::linalg
