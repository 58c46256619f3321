#include "linalg/explicit_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <Eigen/QR>

namespace flexloop::linalg {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// What is below this share of the largest entry, after scaling, is round-off of zero.
constexpr double kZero = 1e-12;
constexpr int kScalingRounds = 8;
constexpr int kMostRounds = 20;

// E z' = A z + F w with z = (u, v), v = u' where accelerations count.
struct Descriptor {
  MatrixXd E, A;
  MatrixPolynomial F;
  MatrixXd V;          // u = V z + W w
  MatrixPolynomial W;  // of the eliminated part
};

double power2(double x) {
  return x > 0.0 ? std::exp2(std::round(std::log2(x))) : 1.0;
}

// By unknown, the largest entry of its row and column.
VectorXd findSizes(const SparseMatrix& matrix) {
  VectorXd sizes = VectorXd::Zero(matrix.cols());
  for (int column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator it(matrix, column); it; ++it) {
      const double size = std::abs(it.value());
      sizes[it.row()] = std::max(sizes[it.row()], size);
      sizes[column] = std::max(sizes[column], size);
    }
  }
  return sizes;
}

// A frequency between the slow and the fast motions, so that s E and A are of one size. Forces that cancel leave
// stiffnesses of round-off, which may be 1e-90 and are not slow motions.
double findTimeScale(const QuadraticPencil& pencil) {
  const VectorXd largestK = findSizes(pencil.K), largestM = findSizes(pencil.M);
  double sum = 0.0;
  int count = 0;
  for (int u = 0; u < pencil.size(); ++u) {
    const double k = std::abs(pencil.K.coeff(u, u)), m = std::abs(pencil.M.coeff(u, u));
    if (k <= kZero * largestK[u] || m <= kZero * largestM[u]) continue;
    sum += 0.5 * std::log(k / m);
    ++count;
  }
  return count > 0 ? power2(std::exp(sum / count)) : 1.0;
}

std::vector<int> findMovingColumns(const SparseMatrix& M) {
  std::vector<int> moving;
  for (int u = 0; u < M.cols(); ++u) {
    bool any = false;
    for (SparseMatrix::InnerIterator it(M, u); it; ++it) any = any || it.value() != 0.0;
    if (any) moving.push_back(u);
  }
  return moving;
}

// Time is measured in units of 1/scale: v = u'/scale.
Descriptor makeDescriptor(const QuadraticPencil& pencil, const MatrixXd& F, double scale) {
  const std::vector<int> moving = findMovingColumns(pencil.M);
  const int n = pencil.size(), m = static_cast<int>(moving.size());
  Descriptor d;
  d.E.setZero(n + m, n + m);
  d.A.setZero(n + m, n + m);
  d.E.topLeftCorner(n, n) = scale * MatrixXd(pencil.C);
  d.A.topLeftCorner(n, n) = -MatrixXd(pencil.K);
  const MatrixXd M = scale * scale * MatrixXd(pencil.M);
  for (int i = 0; i < m; ++i) {
    d.E.block(0, n + i, n, 1) = M.col(moving[i]);
    d.E(n + i, moving[i]) = 1.0;
    d.A(n + i, n + i) = 1.0;
  }
  d.F.assign(1, MatrixXd::Zero(n + m, F.cols()));
  d.F[0].topRows(n) = F;
  d.V.setZero(n, n + m);
  d.V.leftCols(n).setIdentity();
  d.W.assign(1, MatrixXd::Zero(n, F.cols()));
  return d;
}

// Rows and columns of E and A together get entries of about one; powers of two change no digit.
void equilibrate(Descriptor& d) {
  for (int round = 0; round < kScalingRounds; ++round) {
    for (int i = 0; i < d.E.rows(); ++i) {
      const double size =
          std::max(d.E.row(i).cwiseAbs().maxCoeff(), d.A.row(i).cwiseAbs().maxCoeff());
      const double scale = 1.0 / power2(std::sqrt(size));
      d.E.row(i) *= scale;
      d.A.row(i) *= scale;
      for (MatrixXd& F : d.F) F.row(i) *= scale;
    }
    for (int j = 0; j < d.E.cols(); ++j) {
      const double size =
          std::max(d.E.col(j).cwiseAbs().maxCoeff(), d.A.col(j).cwiseAbs().maxCoeff());
      const double scale = 1.0 / power2(std::sqrt(size));
      d.E.col(j) *= scale;
      d.A.col(j) *= scale;
      d.V.col(j) *= scale;
    }
  }
}

int countPivots(const Eigen::ColPivHouseholderQR<MatrixXd>& qr, double largest) {
  const auto& R = qr.matrixQR();
  int rank = 0;
  const int most = static_cast<int>(std::min(R.rows(), R.cols()));
  while (rank < most && std::abs(R(rank, rank)) > kZero * largest) ++rank;
  return rank;
}

void addTo(MatrixPolynomial& sum, const MatrixXd& factor, const MatrixPolynomial& p, int shift) {
  for (std::size_t k = 0; k < p.size(); ++k) {
    const std::size_t power = k + shift;
    const MatrixXd term = factor * p[k];
    if (term.isZero(0.0)) continue;
    while (sum.size() <= power) sum.push_back(MatrixXd::Zero(sum[0].rows(), sum[0].cols()));
    sum[power] += term;
  }
}

// Derivatives of inputs are multiplied by squares of the fastest frequencies when they are absorbed, so round-off
// must not make any: entries that are small beside `size` are zero.
MatrixXd withoutRoundOff(const MatrixXd& matrix, double size) {
  return (matrix.array().abs() > kZero * size).select(matrix, 0.0);
}

// One round: the equations without derivatives, 0 = A2 z + F2 w, restrict z to V1 z1 plus what w gives.
// False if they depend on each other.
bool restrict(Descriptor& d, int rank, const MatrixXd& Qt, const MatrixXd& transformedE) {
  const int n = static_cast<int>(d.E.cols()), m = static_cast<int>(d.E.rows()) - rank;
  const MatrixXd A = Qt * d.A;
  MatrixPolynomial F1, F2;
  for (const MatrixXd& F : d.F) {
    MatrixXd rotated = Qt * F;
    for (int k = 0; k < F.cols(); ++k) {
      rotated.col(k) = withoutRoundOff(rotated.col(k), F.col(k).lpNorm<Eigen::Infinity>());
    }
    F1.push_back(rotated.topRows(rank));
    F2.push_back(rotated.bottomRows(m));
  }
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(A.bottomRows(m).transpose());
  if (countPivots(qr, std::max(d.A.cwiseAbs().maxCoeff(), 1e-300)) < m) return false;
  const MatrixXd Q = qr.householderQ();
  const MatrixXd V1 = Q.rightCols(n - m), V2 = Q.leftCols(m);
  const MatrixXd E1 = transformedE.topRows(rank), A1 = A.topRows(rank);
  if (d.F[0].cols() > 0) {
    // z2 = −(A2 V2)⁻¹ F2 w
    const Eigen::PartialPivLU<MatrixXd> lu(A.bottomRows(m) * V2);
    MatrixPolynomial z2;
    for (const MatrixXd& F : F2) z2.push_back(-lu.solve(F));
    addTo(F1, A1 * V2, z2, 0);
    addTo(F1, -withoutRoundOff(E1 * V2, d.E.cwiseAbs().maxCoeff()), z2, 1);
    addTo(d.W, d.V * V2, z2, 0);
  }
  d.F = std::move(F1);
  d.E = E1 * V1;
  d.A = A1 * V1;
  d.V = d.V * V1;
  return true;
}

// x' = A x + (B0 + B1 s + …) w keeps one derivative less of w if x moves by B1 w.
void absorbDerivatives(ExplicitForm& form) {
  while (form.B.size() > 1) {
    const std::size_t last = form.B.size() - 1;
    const MatrixPolynomial moved(1, form.B[last]);
    form.B.pop_back();
    addTo(form.B, form.A, moved, static_cast<int>(last) - 1);
    addTo(form.W, form.V, moved, static_cast<int>(last) - 1);
  }
}

int findDependentEquation(const Descriptor& d, const MatrixXd& Qt, int rank) {
  const int m = static_cast<int>(d.E.rows()) - rank;
  const MatrixXd A2 = (Qt * d.A).bottomRows(m);
  const Eigen::FullPivLU<MatrixXd> lu(A2.transpose());
  const MatrixXd kernel = lu.kernel();
  int row = 0;
  (kernel.col(0).transpose() * Qt.bottomRows(m)).cwiseAbs().maxCoeff(&row);
  return row;
}

// Round after round until every equation has a derivative of its own; `singular` is one that determines
// nothing if that fails.
bool removeAlgebraic(Descriptor& d, int& singular) {
  // By the size at first: where no derivative is left, the rest is round-off.
  const double largest = std::max(d.E.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  for (int round = 0; round < kMostRounds && d.E.rows() > 0; ++round) {
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(d.E);
    const int rank = countPivots(qr, largest);
    if (rank == d.E.rows()) return true;
    const MatrixXd Qt = MatrixXd(qr.householderQ()).transpose();
    MatrixXd transformedE = Qt * d.E;
    transformedE.bottomRows(d.E.rows() - rank).setZero();
    if (restrict(d, rank, Qt, transformedE)) continue;
    if (round == 0) singular = findDependentEquation(d, Qt, rank);
    return false;
  }
  return true;
}

}  // namespace

ReducedPencil removeInfiniteRoots(const QuadraticPencil& pencil) {
  return removeInfiniteRoots(pencil, MatrixXd(pencil.size(), 0));
}

ReducedPencil removeInfiniteRoots(const QuadraticPencil& pencil, const MatrixXd& F) {
  ReducedPencil reduced;
  if (pencil.size() == 0) {
    const MatrixXd none(0, 0);
    const MatrixPolynomial noInputs(1, MatrixXd(0, F.cols()));
    return {true, -1, 1.0, none, none, none, noInputs, noInputs};
  }
  reduced.timeScale = findTimeScale(pencil);
  Descriptor d = makeDescriptor(pencil, F, reduced.timeScale);
  equilibrate(d);
  reduced.ok = removeAlgebraic(d, reduced.singularEquation);
  reduced.E = std::move(d.E);
  reduced.A = std::move(d.A);
  reduced.V = std::move(d.V);
  reduced.F = std::move(d.F);
  reduced.W = std::move(d.W);
  return reduced;
}

ExplicitForm makeExplicitForm(const QuadraticPencil& pencil, const MatrixXd& F) {
  if (pencil.size() == 0) {
    const MatrixPolynomial none(1, MatrixXd(0, F.cols()));
    return {true, -1, MatrixXd(0, 0), MatrixXd(0, 0), none, none};
  }
  const double scale = findTimeScale(pencil);
  Descriptor d = makeDescriptor(pencil, F, scale);
  equilibrate(d);
  ExplicitForm form;
  form.ok = removeAlgebraic(d, form.singularEquation);
  if (!form.ok) return form;
  form.V = d.V;
  form.W = d.W;
  // Derivatives are by scaled time: s^k of the true time is (s/scale)^k.
  double power = 1.0;
  for (MatrixXd& part : form.W) {
    part *= power;
    power /= scale;
  }
  if (d.E.rows() == 0) {
    form.A.resize(0, 0);
    form.B.assign(1, MatrixXd::Zero(0, F.cols()));
    return form;
  }
  const Eigen::PartialPivLU<MatrixXd> lu(d.E);
  form.A = scale * lu.solve(d.A);
  power = scale;
  for (const MatrixXd& part : d.F) {
    form.B.push_back(power * lu.solve(part));
    power /= scale;
  }
  absorbDerivatives(form);
  return form;
}

}  // namespace flexloop::linalg
