#include "linalg/state_space/hinf_synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/svd.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "linalg/state_space/riccati.hpp"
#include "linalg/state_space/system_norms.hpp"

namespace flexloop::linalg {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Of the largest eigenvalue: what rounding makes of a zero of X or Y, in units in which no entry of the diagonal is below its
// share of the largest one. Round-off is some 1e-15 of the largest, so that the first must be well above 1e-15 by the second. X and Y
// become negative through infinity and not through zero: a wrong sign is never small.
constexpr double kNegative = 1e-5;
constexpr double kRoundOff = 1e-9;
// Of the largest singular value: a smaller one means that a control or a measurement is free.
constexpr double kFree = 1e-10;
constexpr double kHighestFactor = 1e12;

MatrixXd zeros(Index rows, Index columns) {
  return MatrixXd::Zero(rows, columns);
}

MatrixXd identity(Index n) {
  return MatrixXd::Identity(n, n);
}

double largestValue(const MatrixXd& M) {
  return M.size() == 0 ? 0.0 : findSvd(M, SvdForm::kThin).values[0];
}

// X with X Xᵀ = M, symmetric and positive definite.
std::optional<MatrixXd> findSquareRoot(const MatrixXd& M) {
  if (M.rows() == 0) return M;
  const auto system = findSymmetricEigensystem(M);
  if (!system || !(system->values[0] > 0.0)) return std::nullopt;
  return MatrixXd(system->vectors * system->values.cwiseSqrt().asDiagonal() *
                  system->vectors.transpose());
}

// The plant with D12 = [0; 1] and D21 = [0 1], by turning z and w and by new units of u and y:
//     u = controlUnit · u',   y' = measurementUnit · y                                             (39.19)
struct NormalPlant {
  GeneralizedPlant plant;
  MatrixXd controlUnit, measurementUnit;
};

base::Result<NormalPlant> normalize(const GeneralizedPlant& p) {
  const Index m2 = p.D12.cols(), p2 = p.D21.rows();
  const auto isFree = [](const Svd<double>& svd, Index rank) {
    return svd.values.size() < rank || !(svd.values[rank - 1] > kFree * svd.values[0]);
  };
  const Svd<double> control = findSvd(p.D12), measurement = findSvd(p.D21);
  if (p.D12.rows() < m2 || isFree(control, m2)) {
    return base::Failure{"a control signal has no weight, so that it could be as large as it likes",
                         "give every control input a weight"};
  }
  if (p.D21.cols() < p2 || isFree(measurement, p2)) {
    return base::Failure{
        "a measurement is free of noise and reference, so that it could be known "
        "exactly",
        "give every measured output some noise"};
  }
  // D12 = U [Σ; 0] Vᵀ: z' = [U₂ U₁]ᵀ z and u' = Σ Vᵀ u; likewise y' = Σ⁻¹ Uᵀ y and w' = [V₂ V₁]ᵀ w.
  const Index p1 = p.D12.rows(), m1 = p.D21.cols();
  MatrixXd turnZ(p1, p1), turnW(m1, m1);
  turnZ << control.U.rightCols(p1 - m2), control.U.leftCols(m2);
  turnW << measurement.V.rightCols(m1 - p2), measurement.V.leftCols(p2);
  NormalPlant normal;
  normal.controlUnit = control.V.leftCols(m2) * control.values.head(m2).cwiseInverse().asDiagonal();
  normal.measurementUnit = measurement.values.head(p2).cwiseInverse().asDiagonal() *
                           measurement.U.leftCols(p2).transpose();
  GeneralizedPlant& n = normal.plant;
  n.A = p.A;
  n.B1 = p.B1 * turnW;
  n.B2 = p.B2 * normal.controlUnit;
  n.C1 = turnZ.transpose() * p.C1;
  n.C2 = normal.measurementUnit * p.C2;
  n.D11 = turnZ.transpose() * p.D11 * turnW;
  n.D12 = zeros(p1, m2);
  n.D12.bottomRows(m2).setIdentity();
  n.D21 = zeros(p2, m1);
  n.D21.rightCols(p2).setIdentity();
  n.D22 = zeros(p2, m2);
  return normal;
}

// The two Riccati equations at a level: A − B R⁻¹ D₁ᵀ C₁ and so on (39.20).
struct LevelSolution {
  MatrixXd X, Y, F, L;
};

std::optional<LevelSolution> solveAt(const GeneralizedPlant& p, double level) {
  const Index m1 = p.B1.cols(), m2 = p.B2.cols(), p1 = p.C1.rows(), p2 = p.C2.rows();
  const Index n = p.A.rows();
  MatrixXd B(n, m1 + m2), D1(p1, m1 + m2), C(p1 + p2, n), D2(p1 + p2, m1);
  B << p.B1, p.B2;
  D1 << p.D11, p.D12;
  C << p.C1, p.C2;
  D2 << p.D11, p.D21;
  MatrixXd R = D1.transpose() * D1, S = D2 * D2.transpose();
  R.topLeftCorner(m1, m1) -= level * level * identity(m1);
  S.topLeftCorner(p1, p1) -= level * level * identity(p1);
  const DenseLu<double> r(R), s(S);
  const auto symmetric = [](const MatrixXd& M) { return MatrixXd(0.5 * (M + M.transpose())); };
  const MatrixXd RD = r.solve(D1.transpose()), SD = s.solve(D2);
  const base::Result<RiccatiSolution> x =
      solveRiccati(p.A - B * RD * p.C1, symmetric(B * r.solve(B.transpose())),
                   symmetric(p.C1.transpose() * (identity(p1) - D1 * RD) * p.C1));
  if (!x) return std::nullopt;
  const base::Result<RiccatiSolution> y = solveRiccati(
      (p.A - p.B1 * SD.transpose() * C).transpose(), symmetric(C.transpose() * s.solve(C)),
      symmetric(p.B1 * (identity(m1) - D2.transpose() * SD) * p.B1.transpose()));
  if (!y) return std::nullopt;
  LevelSolution found{x.value().X, y.value().X, {}, {}};
  found.F = -(r.solve(D1.transpose() * p.C1 + B.transpose() * found.X));
  found.L = -(s.solve(D2 * p.B1.transpose() + C * found.Y)).transpose();
  return found;
}

bool isNotNegative(const MatrixXd& X) {
  if (X.rows() == 0) return true;
  // In units in which the diagonal is one, so that no small state hides behind a large one; but the diagonal of a state that
  // no disturbance reaches, or no error sees, is round-off.
  Eigen::VectorXd unit = X.diagonal().cwiseAbs();
  const double least = kRoundOff * unit.maxCoeff();
  for (double& u : unit) u = u > 0.0 ? 1.0 / std::sqrt(std::max(u, least)) : 1.0;
  const auto system = findSymmetricEigensystem(unit.asDiagonal() * X * unit.asDiagonal());
  return system && system->values[0] >= -kNegative * system->values.cwiseAbs().maxCoeff();
}

// The largest eigenvalue of X Y, which falls as the level rises; nothing where X or Y does not exist or is not ≥ 0.
std::optional<double> findProduct(const GeneralizedPlant& p, double level) {
  const std::optional<LevelSolution> found = solveAt(p, level);
  if (!found || !isNotNegative(found->X) || !isNotNegative(found->Y)) return std::nullopt;
  if (p.A.rows() == 0) return 0.0;
  return findEigenvaluesOfReal(found->X * found->Y).cwiseAbs().maxCoeff();
}

// No controller changes the parts of D11 that neither u nor y has to do with.
double findLowerBound(const GeneralizedPlant& p) {
  const Index m2 = p.B2.cols(), p2 = p.C2.rows();
  return std::max(largestValue(p.D11.topRows(p.D11.rows() - m2)),
                  largestValue(p.D11.leftCols(p.D11.cols() - p2)));
}

// log(ρ(XY)/γ²) over log γ, which is nearly a line: its zero by secants between a level with a controller and one without.
class LevelSearch {
 public:
  LevelSearch(const GeneralizedPlant& plant, double tolerance)
      : plant_(plant), tolerance_(std::log1p(tolerance)) {}

  std::optional<double> find() {
    const double bound = findLowerBound(plant_);
    const double first = bound > 0.0 ? 2.0 * bound : 1.0;
    low_ = bound > 0.0 ? std::log(bound) : std::log(first / kHighestFactor);
    const double highest = std::log(kHighestFactor * first);
    for (double x = std::log(first); !high_; x += std::log(4.0)) {
      if (x > highest) return std::nullopt;
      evaluate(x);
    }
    for (int round = 0; *high_ - low_ > tolerance_ && round < kMostRounds; ++round) {
      evaluate(choose());
    }
    return std::exp(*high_);
  }

 private:
  static constexpr int kMostRounds = 100;

  void evaluate(double x) {
    const std::optional<double> product = findProduct(plant_, std::exp(x));
    const double excess = product ? std::log(*product) - 2.0 * x : 0.0;
    if (product && excess < 0.0) {
      high_ = x;
      excessHigh_ = excess;
      // The product is larger at the least level, where it is the square of it.
      low_ = std::max(low_, 0.5 * std::log(*product) - 1e-3 * tolerance_);
      return;
    }
    low_ = x;
    excessLow_ = product ? std::optional(excess) : std::nullopt;
    atLow_ = x;
  }

  // Inside of the bracket by a part of the tolerance, so that a good guess closes it.
  double choose() {
    double x = 0.5 * (low_ + *high_);
    if (excessLow_ && std::isfinite(excessHigh_)) {
      x = (atLow_ * excessHigh_ - *high_ * *excessLow_) / (excessHigh_ - *excessLow_);
    } else if (isNear_) {
      x = low_;
    }
    isNear_ = !isNear_;
    const double margin = std::min(0.4 * tolerance_, 0.5 * (*high_ - low_));
    return std::clamp(x, low_ + margin, *high_ - margin);
  }

  const GeneralizedPlant& plant_;
  double tolerance_;
  double low_ = 0.0;            // no controller at this log γ or below
  std::optional<double> high_;  // a controller there
  double excessHigh_ = 0.0, atLow_ = 0.0;
  std::optional<double> excessLow_;
  bool isNear_ = true;  // whether the lower bound itself is tried next
};

std::optional<double> findLeastLevel(const GeneralizedPlant& plant, double tolerance) {
  return LevelSearch(plant, tolerance).find();
}

// The central controller (39.21).
std::optional<StateMatrices> makeCentral(const GeneralizedPlant& p, double level) {
  const std::optional<LevelSolution> found = solveAt(p, level);
  if (!found) return std::nullopt;
  const Index m1 = p.B1.cols(), m2 = p.B2.cols(), p1 = p.C1.rows(), p2 = p.C2.rows();
  const Index n = p.A.rows(), a = p1 - m2, b = m1 - p2;
  const MatrixXd D1111 = p.D11.topLeftCorner(a, b), D1112 = p.D11.topRightCorner(a, p2);
  const MatrixXd D1121 = p.D11.bottomLeftCorner(m2, b), D1122 = p.D11.bottomRightCorner(m2, p2);
  const double square = level * level;
  const DenseLu<double> outer(square * identity(a) - D1111 * D1111.transpose());
  const DenseLu<double> inner(square * identity(b) - D1111.transpose() * D1111);
  const MatrixXd direct = -D1121 * (D1111.transpose() * outer.solve(D1112)) - D1122;
  const auto D12 = findSquareRoot(identity(m2) - D1121 * inner.solve(D1121.transpose()));
  const auto D21 = findSquareRoot(identity(p2) - D1112.transpose() * outer.solve(D1112));
  if (!D12 || !D21) return std::nullopt;
  const MatrixXd Z = DenseLu<double>(identity(n) - found->Y * found->X / square).inverse();
  MatrixXd B(n, m1 + m2);
  B << p.B1, p.B2;
  const MatrixXd F12 = found->F.middleRows(b, p2), F2 = found->F.bottomRows(m2);
  const MatrixXd L12 = found->L.middleCols(a, m2), L2 = found->L.rightCols(p2);
  const MatrixXd B2 = Z * (p.B2 + L12) * *D12, C2 = -*D21 * (p.C2 + F12);
  const MatrixXd B1 = -Z * L2 + B2 * solveDense(*D12, direct);
  const MatrixXd seen = solveDense(*D21, C2);
  const MatrixXd C1 = F2 + direct * seen;
  return StateMatrices{p.A + B * found->F + B1 * seen, B1, C1, direct};
}

// Inputs and outputs as they were, and D22 (39.22).
base::Result<StateMatrices> restore(const NormalPlant& normal, const StateMatrices& K,
                                    const MatrixXd& D22) {
  StateMatrices k{K.A, K.B * normal.measurementUnit, normal.controlUnit * K.C,
                  normal.controlUnit * K.D * normal.measurementUnit};
  if (D22.size() == 0 || D22.isZero(0.0)) return k;
  const MatrixXd M = DenseLu<double>(identity(k.D.rows()) + k.D * D22).inverse();
  if (!M.allFinite()) return base::numericalFailure("the loop through D22 has no solution");
  const MatrixXd N = identity(D22.rows()) - D22 * M * k.D;
  return StateMatrices{k.A - k.B * D22 * M * k.C, k.B * N, M * k.C, M * k.D};
}

// In units of the states in which rows and columns of A are of equal size.
GeneralizedPlant balance(const GeneralizedPlant& p) {
  const Index m1 = p.B1.cols(), m2 = p.B2.cols(), p1 = p.C1.rows(), p2 = p.C2.rows();
  StateMatrices s{p.A, MatrixXd(p.A.rows(), m1 + m2), MatrixXd(p1 + p2, p.A.rows()),
                  zeros(p1 + p2, m1 + m2)};
  s.B << p.B1, p.B2;
  s.C << p.C1, p.C2;
  s = balanceStates(s);
  GeneralizedPlant balanced = p;
  balanced.A = s.A;
  balanced.B1 = s.B.leftCols(m1);
  balanced.B2 = s.B.rightCols(m2);
  balanced.C1 = s.C.topRows(p1);
  balanced.C2 = s.C.bottomRows(p2);
  return balanced;
}

base::Failure noController() {
  return base::numericalFailure(
      "no controller was found at any level",
      "the plant cannot be stabilised from its measured outputs with its control inputs, or it has "
      "undamped motions that the weights do not see: reach and see them, or use a weight that "
      "does");
}

}  // namespace

base::Result<StateMatrices> closeLoop(const GeneralizedPlant& p, const StateMatrices& K) {
  const Index n = p.A.rows(), k = K.A.rows(), ny = p.C2.rows();
  const MatrixXd D22 = p.D22.size() == 0 ? zeros(ny, p.B2.cols()) : p.D22;
  const MatrixXd M = DenseLu<double>(identity(ny) - D22 * K.D).inverse();
  if (!M.allFinite()) return base::numericalFailure("the closed loop has no solution");
  // y = M (C2 x + D21 w + D22 C_K x_K),   u = C_K x_K + D_K y
  MatrixXd yx(ny, n + k), ux(p.B2.cols(), n + k);
  yx << M * p.C2, M * D22 * K.C;
  ux << zeros(p.B2.cols(), n), K.C;
  ux += K.D * yx;
  const MatrixXd yw = M * p.D21, uw = K.D * yw;
  StateMatrices s;
  s.A = zeros(n + k, n + k);
  s.A.topLeftCorner(n, n) = p.A;
  s.A.bottomRightCorner(k, k) = K.A;
  s.A.topRows(n) += p.B2 * ux;
  s.A.bottomRows(k) += K.B * yx;
  s.B.resize(n + k, p.B1.cols());
  s.B << p.B1 + p.B2 * uw, K.B * yw;
  s.C = zeros(p.C1.rows(), n + k);
  s.C.leftCols(n) = p.C1;
  s.C += p.D12 * ux;
  s.D = p.D11 + p.D12 * uw;
  return s;
}

base::Result<HInfinityController> synthesizeHInfinity(const GeneralizedPlant& plant, double factor,
                                                      double tolerance) {
  const base::Result<NormalPlant> normal = normalize(balance(plant));
  if (!normal) return normal.failure();
  const GeneralizedPlant& p = normal.value().plant;
  const std::optional<double> least = findLeastLevel(p, tolerance);
  if (!least) return noController();
  HInfinityController result;
  result.optimum = *least;
  result.level = *least * factor;
  const std::optional<StateMatrices> K = makeCentral(p, result.level);
  if (!K || !K->A.allFinite()) return noController();
  const base::Result<StateMatrices> restored = restore(normal.value(), *K, plant.D22);
  if (!restored) return restored.failure();
  result.K = restored.value();
  const base::Result<StateMatrices> closed = closeLoop(plant, result.K);
  if (!closed) return closed.failure();
  const base::Result<PeakGain> norm = calcHInfinityNorm(closed.value(), 1e-7);
  if (!norm) {
    return base::numericalFailure(
        "the controller that was found does not stabilise the plant in double precision",
        "reduce the plant, or give a larger level");
  }
  result.norm = norm.value().gain;
  return result;
}

base::Result<H2Controller> synthesizeH2(const GeneralizedPlant& plant) {
  if (!plant.D11.isZero(0.0)) {
    return base::Failure{
        "a disturbance acts on an error directly, so that its mean square is "
        "infinite",
        "pass it through a lag"};
  }
  const base::Result<NormalPlant> normal = normalize(plant);
  if (!normal) return normal.failure();
  const GeneralizedPlant& p = normal.value().plant;
  const auto symmetric = [](const MatrixXd& M) { return MatrixXd(0.5 * (M + M.transpose())); };
  const MatrixXd N = p.D12.transpose() * p.C1, W = p.B1 * p.D21.transpose();
  const base::Result<RiccatiSolution> x =
      solveRiccati(p.A - p.B2 * N, symmetric(p.B2 * p.B2.transpose()),
                   symmetric(p.C1.transpose() * p.C1 - N.transpose() * N));
  if (!x) return x.failure();
  const base::Result<RiccatiSolution> y =
      solveRiccati((p.A - W * p.C2).transpose(), symmetric(p.C2.transpose() * p.C2),
                   symmetric(p.B1 * p.B1.transpose() - W * W.transpose()));
  if (!y) return y.failure();
  const MatrixXd K = p.B2.transpose() * x.value().X + N, L = y.value().X * p.C2.transpose() + W;
  const StateMatrices central{p.A - p.B2 * K - L * p.C2, L, -K, zeros(K.rows(), L.cols())};
  const base::Result<StateMatrices> restored = restore(normal.value(), central, plant.D22);
  if (!restored) return restored.failure();
  H2Controller result{restored.value()};
  const base::Result<StateMatrices> closed = closeLoop(plant, result.K);
  if (!closed) return closed.failure();
  StateMatrices loop = closed.value();
  loop.D.setZero();
  const base::Result<double> norm = calcH2Norm(loop);
  if (!norm) return norm.failure();
  result.norm = norm.value();
  return result;
}

}  // namespace flexloop::linalg
