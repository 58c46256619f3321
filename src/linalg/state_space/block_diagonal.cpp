#include "linalg/state_space/block_diagonal.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/least_squares.hpp"
#include "linalg/solvers/lapack.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

// Parts whose bases are this much inclined are one part: three digits are lost by taking them apart.
constexpr double kMostInclined = 1e3;
// Of the size of A and n units in the last place: what rounding leaves in the Schur form at most.
constexpr double kRounding = 4.0;

// A = Q T Qᵀ, from which parts are taken off at the top.
class SchurForm {
 public:
  explicit SchurForm(const MatrixXd& A) : n_(static_cast<int>(A.rows())), T_(A), Q_(n_, n_) {
    Eigen::VectorXd re(n_), im(n_);
    int sorted = 0;
    const int status = LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', nullptr, n_, T_.data(), n_,
                                     &sorted, re.data(), im.data(), Q_.data(), n_);
    if (status != 0)
      throw std::runtime_error("the roots of the state equations could not be found");
  }

  int size() const { return n_; }
  const MatrixXd& T() const { return T_; }
  const MatrixXd& Q() const { return Q_; }

  int width(int row) const { return row + 1 < n_ && T_(row + 1, row) != 0.0 ? 2 : 1; }

  // With a positive imaginary part, if any.
  Complex root(int row) const {
    if (width(row) == 1) return T_(row, row);
    const double product = T_(row, row + 1) * T_(row + 1, row);
    return {T_(row, row), std::sqrt(std::abs(product))};
  }

  // LAPACK leaves blocks that are too alike where they are; then the caller sees no change.
  bool move(int from, int to) {
    int first = from + 1, last = to + 1;
    return LAPACKE_dtrexc(LAPACK_COL_MAJOR, 'V', n_, T_.data(), n_, Q_.data(), n_, &first, &last) ==
           0;
  }

  // Z with T11 Z − Z T22 = −T12 of the rows [first, end) and all below.
  MatrixXd findDecoupling(int first, int end) const {
    const int k = end - first, rest = n_ - end;
    MatrixXd Z = -T_.block(first, end, k, rest);
    if (Z.size() == 0) return Z;
    double scale = 1.0;
    LAPACKE_dtrsyl(LAPACK_COL_MAJOR, 'N', 'N', -1, k, rest, &T_(first, first), n_, &T_(end, end),
                   n_, Z.data(), k, &scale);
    return Z / scale;
  }

 private:
  int n_;
  MatrixXd T_, Q_;
};

struct Neighbour {
  int row = -1;
  double distance = std::numeric_limits<double>::infinity();
};

Neighbour findNearest(const SchurForm& schur, int first, int end) {
  Neighbour nearest;
  for (int i = first; i < end; i += schur.width(i)) {
    for (int j = end; j < schur.size(); j += schur.width(j)) {
      const double distance = std::abs(schur.root(i) - schur.root(j));
      if (distance < nearest.distance) nearest = {j, distance};
    }
  }
  return nearest;
}

// The end of the part that starts at `first`: it grows until it can be taken off.
int growPart(SchurForm& schur, int first, double closest) {
  int end = first + schur.width(first);
  while (end < schur.size()) {
    const Neighbour nearest = findNearest(schur, first, end);
    if (nearest.distance > closest) {
      // Rounding mixes the more, the more the bases are inclined.
      const double inclination = schur.findDecoupling(first, end).norm();
      if (inclination <= kMostInclined && nearest.distance > closest * (1.0 + inclination)) {
        return end;
      }
    }
    // What cannot be moved here takes all in between along.
    const int width = schur.width(nearest.row);
    end = schur.move(nearest.row, end) ? end + schur.width(end) : nearest.row + width;
  }
  return end;
}

RootBlock makeOrthonormal(const MatrixXd& A, const MatrixXd& X, const MatrixXd& Y) {
  const MatrixXd R = findTriangle(X), Q = orthonormalize(X);
  const MatrixXd turned = R * A * DenseLu<double>(R).inverse(), rows = R * Y;
  return {true, turned.cast<Complex>(), Q.cast<Complex>(), rows.cast<Complex>()};
}

lapack_logical isAboveAxis(const Complex* root) {
  return root->imag() > 0.0 ? 1 : 0;
}

// Of a block with k pairs of roots the half above the real axis, with the basis Q1 and the rows Q1ᴴ − Z Q2ᴴ;
// unless rounding mixes the halves. How much the halves of a single pair are inclined is a matter of units: those
// of [0 1; −w² 0] by 1/(2w). They are apart unless the smaller entry could be `rounding` alone.
void takeUpperHalf(RootBlock& block, double closest, double rounding) {
  const int n = static_cast<int>(block.A.rows());
  MatrixXcd T = block.A, Q(n, n);
  Eigen::VectorXcd roots(n);
  int k = 0;
  if (LAPACKE_zgees(LAPACK_COL_MAJOR, 'V', 'S', isAboveAxis, n, T.data(), n, &k, roots.data(),
                    Q.data(), n) != 0 ||
      2 * k != n) {
    return;
  }
  MatrixXcd Z = -T.topRightCorner(k, k);
  double scale = 1.0;
  LAPACKE_ztrsyl(LAPACK_COL_MAJOR, 'N', 'N', -1, k, k, T.data(), n, &T(k, k), n, Z.data(), k,
                 &scale);
  Z /= scale;
  const double apart = 2.0 * roots.head(k).imag().minCoeff();
  const double inclination = Z.norm();
  const bool isPair = k == 1 && apart > 4.0 * rounding * (1.0 + inclination);
  if (!(inclination <= kMostInclined) && !isPair) return;
  if (apart <= closest * (1.0 + inclination)) return;
  const MatrixXcd rows = Q.leftCols(k).adjoint() - Z * Q.rightCols(k).adjoint();
  block = {false, T.topLeftCorner(k, k), block.X * Q.leftCols(k), rows * block.Y};
}

}  // namespace

// Each part that is taken off leaves the basis of the rest changed: with T11 Z − Z T22 = −T12,
// [T11 T12; 0 T22] [1 Z; 0 1] = [1 Z; 0 1] diag(T11, T22).
std::vector<RootBlock> findRootBlocks(const MatrixXd& A, double closest) {
  std::vector<RootBlock> blocks;
  if (A.rows() == 0) return blocks;
  SchurForm schur(A);
  const int n = schur.size();
  std::vector<int> ends;
  for (int first = 0; first < n; first = ends.back()) {
    ends.push_back(growPart(schur, first, closest));
  }
  const double rounding = kRounding * n * std::numeric_limits<double>::epsilon() * A.norm();
  MatrixXd X = schur.Q(), Y = schur.Q().transpose();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const int first = i == 0 ? 0 : ends[i - 1], k = ends[i] - first, rest = n - ends[i];
    const MatrixXd Z = schur.findDecoupling(first, ends[i]);
    X.rightCols(rest) += X.middleCols(first, k) * Z;
    Y.middleRows(first, k) -= Z * Y.bottomRows(rest);
    blocks.push_back(makeOrthonormal(schur.T().block(first, first, k, k), X.middleCols(first, k),
                                     Y.middleRows(first, k)));
    takeUpperHalf(blocks.back(), closest, rounding);
  }
  return blocks;
}

}  // namespace flexloop::linalg
