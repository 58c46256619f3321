#include "linalg/state_space/explicit_form.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/roots/pencil_scaling.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::MatrixXd;

constexpr int kScalingRounds = 8;
constexpr double kCancelled = 1e-13;  // share of a sum's terms that is round-off
// √kCancelled: the rate equivalent to the round-off of a stiffness.
constexpr double kRoundOffRate = 3e-7;
constexpr double kNoMass = 1e-12;  // beside damping and stiffness

double power2(double x) {
  return x > 0.0 ? std::exp2(std::round(std::log2(x))) : 1.0;
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

bool isEmpty(const MatrixXd& a, const MatrixXd& b) {
  return a.isZero(0.0) && b.isZero(0.0);
}

// Orthonormal columns V with `rows` · V = 0.
MatrixXd findNullSpace(const MatrixXd& rows) {
  const Eigen::Index n = rows.cols();
  if (rows.rows() == 0) return MatrixXd::Identity(n, n);
  const PivotedQr<double> qr(rows.transpose());
  return qr.Q().rightCols(n - qr.rank());
}

// √(|K|/|M|) of the motions that constraints leave, with unknowns for which the masses are one; 0 without stiffness.
// Controllers are left out: the units of their signals are not known yet.
double findRateOfMotions(const QuadraticPencil& pencil) {
  const MatrixXd K(pencil.K), C(pencil.C), M(pencil.M);
  std::vector<int> moving, constraints;
  for (int i = 0; i < pencil.size(); ++i) {
    if (M(i, i) != 0.0) moving.push_back(i);
  }
  if (moving.empty()) return 0.0;
  for (int i = 0; i < pencil.size(); ++i) {
    const bool isMultiplier = K(i, i) == 0.0 && isEmpty(C.row(i), M.row(i));
    if (isMultiplier && !K.row(i)(moving).isZero(0.0)) constraints.push_back(i);
  }
  const Eigen::VectorXd units = M.diagonal()(moving).cwiseAbs().cwiseSqrt().cwiseInverse();
  MatrixXd G = K(constraints, moving) * units.asDiagonal();
  for (int i = 0; i < G.rows(); ++i) G.row(i).normalize();
  const MatrixXd V = findNullSpace(G);
  if (V.cols() == 0) return 0.0;
  const auto scale = [&](const MatrixXd& matrix) -> MatrixXd {
    return units.asDiagonal() * matrix(moving, moving) * units.asDiagonal();
  };
  const MatrixXd stiffness = scale(K);
  const double k = (V.transpose() * stiffness * V).cwiseAbs().maxCoeff();
  const double m = (V.transpose() * scale(M) * V).cwiseAbs().maxCoeff();
  const bool isStiff = k > kCancelled * stiffness.cwiseAbs().maxCoeff();
  return isStiff && m > 0.0 ? std::sqrt(k / m) : 0.0;
}

// √(|K|/|M|), or |K|/|C|, of all that equations without derivatives leave, controllers included; 0 without stiffness.
double findRateOfAll(const QuadraticPencil& pencil, const PencilScaling& scaling) {
  const QuadraticPencil scaled = applyScaling(pencil, scaling);
  const MatrixXd K(scaled.K), C(scaled.C), M(scaled.M);
  std::vector<int> rows, columns;
  for (int i = 0; i < pencil.size(); ++i) {
    if (isEmpty(C.row(i), M.row(i))) rows.push_back(i);
    if (isEmpty(C.col(i), M.col(i))) columns.push_back(i);
  }
  const MatrixXd V = findNullSpace(K(rows, Eigen::all));
  const MatrixXd W = findNullSpace(K(Eigen::all, columns).transpose());
  const auto sizeOf = [&](const MatrixXd& matrix) {
    if (V.cols() == 0 || W.cols() == 0 || matrix.size() == 0) return 0.0;
    const double size = (W.transpose() * matrix * V).cwiseAbs().maxCoeff();
    return size > kCancelled * matrix.cwiseAbs().maxCoeff() ? size : 0.0;
  };
  const double k = sizeOf(K), c = sizeOf(C), m = sizeOf(M);
  if (k > 0.0 && m > kNoMass * c * c / k) return scaling.rate * std::sqrt(k / m);
  return k > 0.0 && c > 0.0 ? scaling.rate * k / c : 0.0;
}

// The units of time for ranks. Stiffnesses of freedoms that joints hold may be round-off, and their masses next to
// nothing; what counts is what equations without derivatives leave. √(|K|/|M|) of that is the fastest motion, beside
// which no mass is lost. The stiffness of a machine that controllers alone hold may be no more than the round-off of
// its reactions.
PencilScaling findScalingOfMotions(const QuadraticPencil& pencil, double leastRate) {
  const PencilScaling first = findScaling(pencil);
  const double ofMotions = findRateOfMotions(pencil), ofAll = findRateOfAll(pencil, first);
  const double rate = ofMotions > kRoundOffRate * ofAll ? ofMotions : ofAll;
  if (rate > 0.0 || first.rate < leastRate)
    return findScalingForPivots(pencil, std::max(rate, leastRate));
  return findScalingForPivots(pencil, first.rate);
}

// E z' = A z + F w with z = (u, v) before it is tracked.
struct Equations {
  MatrixXd E, A, V;
  MatrixPolynomial F;
};

// Of the scaled pencil: z are unknowns by their scales, and time is measured in units of 1/ρ; v = u' where accelerations
// count. Rates of such unknowns are v, so that equations which measure them have no derivative.
Equations makeEquations(const QuadraticPencil& unscaled, const MatrixPolynomial& F,
                        const PencilScaling& scaling) {
  const QuadraticPencil pencil = applyScaling(unscaled, scaling);
  const std::vector<int> moving = findMovingColumns(pencil.M);
  const int n = pencil.size(), m = static_cast<int>(moving.size());
  Equations d;
  d.E.setZero(n + m, n + m);
  d.A.setZero(n + m, n + m);
  d.E.topLeftCorner(n, n) = MatrixXd(pencil.C);
  d.A.topLeftCorner(n, n) = -MatrixXd(pencil.K);
  const MatrixXd M(pencil.M);
  for (int i = 0; i < m; ++i) {
    d.E.block(0, n + i, n, 1) = M.col(moving[i]);
    d.A.block(0, n + i, n, 1) = -d.E.block(0, moving[i], n, 1);
    d.E.block(0, moving[i], n, 1).setZero();
    d.E(n + i, moving[i]) = 1.0;
    d.A(n + i, n + i) = 1.0;
  }
  double power = 1.0;
  for (const MatrixXd& part : F) {
    MatrixXd& all = d.F.emplace_back(MatrixXd::Zero(n + m, part.cols()));
    all.topRows(n) = power * (scaling.rows.asDiagonal() * part);
    power *= scaling.rate;
  }
  d.V.setZero(n, n + m);
  d.V.leftCols(n).diagonal() = scaling.columns;
  return d;
}

// Rows and columns of E and A together get entries of about one; powers of two change no digit.
void equilibrate(Equations& d) {
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

Descriptor track(const Equations& equations) {
  Descriptor d{
      TrackedMatrix(equations.E), TrackedMatrix(equations.A), TrackedMatrix(equations.V), {}, {}};
  for (const MatrixXd& F : equations.F) d.F.emplace_back(F);
  d.W.emplace_back(MatrixXd::Zero(equations.V.rows(), equations.F[0].cols()));
  return d;
}

MatrixPolynomial valuesOf(const TrackedPolynomial& polynomial) {
  MatrixPolynomial values;
  for (const TrackedMatrix& part : polynomial) values.push_back(part.values());
  while (values.size() > 1 && values.back().isZero(0.0)) values.pop_back();
  return values;
}

// sum += factor · p, where what cancels is zero: a derivative of round-off would be multiplied by squares of the fastest
// frequencies.
void addTo(MatrixPolynomial& sum, const MatrixXd& factor, const MatrixXd& p, std::size_t power) {
  const MatrixXd term = factor * p;
  while (sum.size() <= power) sum.push_back(MatrixXd::Zero(sum[0].rows(), sum[0].cols()));
  const MatrixXd terms = factor.cwiseAbs() * p.cwiseAbs() + sum[power].cwiseAbs();
  sum[power] += term;
  sum[power] =
      (sum[power].array().abs() <= kUsualShare * terms.array()).select(0.0, sum[power]).eval();
}

// x' = A x + (B0 + B1 s + …) w keeps one derivative less of w if x moves by B1 w.
void absorbDerivatives(ExplicitForm& form) {
  while (form.B.size() > 1) {
    const MatrixXd moved = form.B.back();
    form.B.pop_back();
    const std::size_t power = form.B.size() - 1;
    addTo(form.B, form.A, moved, power);
    addTo(form.W, form.V, moved, power);
  }
}

}  // namespace

ReducedPencil removeInfiniteRoots(const QuadraticPencil& pencil) {
  return removeInfiniteRoots(pencil, {MatrixXd(pencil.size(), 0)});
}

ReducedPencil removeInfiniteRoots(const QuadraticPencil& pencil, const MatrixPolynomial& F,
                                  double share, double leastRate) {
  ReducedPencil reduced;
  if (pencil.size() == 0) {
    const MatrixXd none(0, 0);
    const MatrixPolynomial noInputs(1, MatrixXd(0, F[0].cols()));
    return {true, -1, 1.0, none, none, none, noInputs, noInputs};
  }
  const PencilScaling scaling = findScalingOfMotions(pencil, leastRate);
  reduced.timeScale = scaling.rate;
  Equations equations = makeEquations(pencil, F, scaling);
  equilibrate(equations);
  Descriptor d = track(equations);
  reduced.ok = removeAlgebraic(d, share, reduced.singularEquation);
  reduced.E = d.E.values();
  reduced.A = d.A.values();
  reduced.V = d.V.values();
  reduced.F = valuesOf(d.F);
  reduced.W = valuesOf(d.W);
  return reduced;
}

ExplicitForm makeExplicitForm(const ReducedPencil& reduced) {
  ExplicitForm form;
  form.ok = reduced.ok;
  form.singularEquation = reduced.singularEquation;
  if (!form.ok) return form;
  const double scale = reduced.timeScale;
  form.V = reduced.V;
  form.W = reduced.W;
  // Derivatives are by scaled time: s^k of the true time is (s/scale)^k.
  double power = 1.0;
  for (MatrixXd& part : form.W) {
    part *= power;
    power /= scale;
  }
  if (reduced.E.rows() == 0) {
    form.A.resize(0, 0);
    form.B.assign(1, MatrixXd::Zero(0, reduced.F[0].cols()));
    return form;
  }
  const DenseLu<double> lu(reduced.E);
  form.A = scale * lu.solve(reduced.A);
  power = scale;
  for (const MatrixXd& part : reduced.F) {
    form.B.push_back(power * lu.solve(part));
    power /= scale;
  }
  absorbDerivatives(form);
  return form;
}

ExplicitForm makeExplicitForm(const QuadraticPencil& pencil, const MatrixPolynomial& F,
                              double share) {
  return makeExplicitForm(removeInfiniteRoots(pencil, F, share));
}

}  // namespace flexloop::linalg
