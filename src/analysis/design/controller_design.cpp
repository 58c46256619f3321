#include "analysis/design/controller_design.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/block_diagonal.hpp"
#include "linalg/state_space/minimal_form.hpp"
#include "linalg/state_space/riccati.hpp"
#include "linalg/state_space/system_norms.hpp"

namespace flexloop::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using linalg::GeneralizedPlant;
using linalg::StateMatrices;
using Complex = std::complex<double>;

MatrixXd zeros(Index rows, Index columns) {
  return MatrixXd::Zero(rows, columns);
}

MatrixXd rootOf(const Eigen::VectorXd& weights) {
  return weights.cwiseSqrt().asDiagonal();
}

base::Failure explain(const base::Failure& failure) {
  return base::withContext("no controller was found: ", failure);
}

// Controllable form of a weight; a failure where it is no proper function.
base::Result<StateMatrices> realize(const WeightFunction& weight) {
  std::vector<double> num = weight.numerator, den = weight.denominator;
  while (!den.empty() && den.front() == 0.0) den.erase(den.begin());
  while (num.size() > 1 && num.front() == 0.0) num.erase(num.begin());
  if (den.empty() || num.empty() || num.size() > den.size()) {
    return base::Failure{"a weight is no transfer function with at least as many poles as zeros",
                         "coefficients of the highest power first, as in '0.5,3/1,0.003'"};
  }
  const Index n = std::ssize(den) - 1;
  num.insert(num.begin(), den.size() - num.size(), 0.0);
  StateMatrices s{zeros(n, n), zeros(n, 1), zeros(1, n), MatrixXd::Constant(1, 1, num[0] / den[0])};
  for (Index i = 0; i < n; ++i) {
    if (i + 1 < n) s.A(i, i + 1) = 1.0;
    s.A(n - 1, n - 1 - i) = -den[i + 1] / den[0];
    s.C(0, n - 1 - i) = (num[i + 1] - num[0] / den[0] * den[i + 1]) / den[0];
  }
  if (n > 0) s.B(n - 1, 0) = 1.0;
  if (!(linalg::calcLargestRealPart(s.A) < 0.0) && n > 0) {
    return base::Failure{"a weight is not stable",
                         "move its pole slightly into the left half plane, as in '0.5,3/1,0.003'"};
  }
  return s;
}

// The same function for each of `count` signals.
StateMatrices repeat(const StateMatrices& one, Index count) {
  const Index n = one.A.rows();
  StateMatrices s{zeros(count * n, count * n), zeros(count * n, count), zeros(count, count * n),
                  one.D(0, 0) * MatrixXd::Identity(count, count)};
  for (Index i = 0; i < count; ++i) {
    s.A.block(i * n, i * n, n, n) = one.A;
    s.B.block(i * n, i, n, 1) = one.B;
    s.C.block(i, i * n, 1, n) = one.C;
  }
  return s;
}

// w = (d, n), z = (Q^½ e, R^½ u), u + W^½ d at the input and y + V^½ n measured.                   (39.11)
// With a function instead of R, its states come last.
GeneralizedPlant makeFourBlock(const RegulatorProblem& problem, const StateMatrices* inputWeight) {
  const StateMatrices& s = problem.plant;
  const DesignWeights& weights = problem.weights;
  const Index n = s.A.rows(), m = s.B.cols(), p = problem.measured;
  const Index k = inputWeight != nullptr ? inputWeight->A.rows() : 0;
  const Index errors = s.C.rows() > p ? s.C.rows() - p : p;
  const MatrixXd W = rootOf(weights.W), Q = rootOf(weights.Q);
  const MatrixXd Ce = Q * s.C.bottomRows(errors), De = Q * s.D.bottomRows(errors);
  GeneralizedPlant g;
  g.A = zeros(n + k, n + k);
  g.A.topLeftCorner(n, n) = s.A;
  g.B1 = zeros(n + k, m + p);
  g.B1.topLeftCorner(n, m) = s.B * W;
  g.B2 = zeros(n + k, m);
  g.B2.topRows(n) = s.B;
  g.C1 = zeros(errors + m, n + k);
  g.C1.topLeftCorner(errors, n) = Ce;
  g.C2 = zeros(p, n + k);
  g.C2.leftCols(n) = s.C.topRows(p);
  g.D11 = zeros(errors + m, m + p);
  g.D11.topLeftCorner(errors, m) = De * W;
  g.D12.resize(errors + m, m);
  g.D12 << De, rootOf(weights.R);
  g.D21.resize(p, m + p);
  g.D21 << s.D.topRows(p) * W, rootOf(weights.V);
  g.D22 = s.D.topRows(p);
  if (inputWeight == nullptr) return g;
  g.A.bottomRightCorner(k, k) = inputWeight->A;
  g.B2.bottomRows(k) = inputWeight->B;
  g.C1.bottomRightCorner(m, k) = inputWeight->C;
  g.D12.bottomRows(m) = inputWeight->D;
  return g;
}

base::Result<GeneralizedPlant> makeProblem(const RegulatorProblem& problem) {
  if (!problem.inputWeight) return makeFourBlock(problem, nullptr);
  const auto one = realize(*problem.inputWeight);
  if (!one) return base::withContext("W2: ", one.failure());
  if (one.value().D(0, 0) == 0.0) {
    return base::Failure{
        "W2 vanishes at high frequencies, where the controller could do what it likes",
        "use a numerator with as many coefficients as the denominator"};
  }
  const StateMatrices weight = repeat(one.value(), problem.plant.B.cols());
  return makeFourBlock(problem, &weight);
}

// The norm of z over w with another controller.
std::function<base::Result<double>(const StateMatrices&)> makeRating(GeneralizedPlant g, bool isH2,
                                                                     double sign) {
  return [g = std::move(g), isH2, sign](const StateMatrices& K) -> base::Result<double> {
    const auto closed = linalg::closeLoop(g, {K.A, sign * K.B, K.C, sign * K.D});
    if (!closed) return closed.failure();
    if (isH2) return linalg::calcH2Norm(closed.value());
    const auto peak = linalg::calcHInfinityNorm(closed.value(), 1e-7);
    if (!peak) return peak.failure();
    return peak.value().gain;
  };
}

// The pair of simple complex roots that is nearest to a rate.
base::Result<linalg::RootBlock> findOscillation(const MatrixXd& A, double rate) {
  std::vector<linalg::RootBlock> blocks;
  try {
    blocks = linalg::findRootBlocks(A, 0.0);
  } catch (const std::runtime_error& error) {
    return base::numericalFailure(error.what());
  }
  const linalg::RootBlock* nearest = nullptr;
  for (const linalg::RootBlock& block : blocks) {
    if (block.isReal || block.A.rows() != 1) continue;
    const auto distance = [&](const linalg::RootBlock& b) {
      return std::abs(std::abs(b.A(0, 0)) - rate);
    };
    if (nearest == nullptr || distance(block) < distance(*nearest)) nearest = &block;
  }
  if (nearest == nullptr) {
    return base::Failure{"the plant has no vibration that could be damped",
                         "this method needs a pair of complex roots"};
  }
  return *nearest;
}

// States of the plant and of weights on e = r − y, u and y; z are their outputs, and e is measured (39.23).
class MixedPlant {
 public:
  MixedPlant(const StateMatrices& plant, const StateMatrices& w1, const StateMatrices& w2,
             const StateMatrices* w3)
      : plant_(plant) {
    const Index n = plant.A.rows(), m = plant.B.cols(), p = plant.C.rows();
    Index states = n + w1.A.rows() + w2.A.rows(), outputs = p + m;
    if (w3 != nullptr) {
      states += w3->A.rows();
      outputs += p;
    }
    g_.A = zeros(states, states);
    g_.A.topLeftCorner(n, n) = plant.A;
    g_.B1 = zeros(states, p);
    g_.B2 = zeros(states, m);
    g_.B2.topRows(n) = plant.B;
    g_.C1 = zeros(outputs, states);
    g_.D11 = zeros(outputs, p);
    g_.D12 = zeros(outputs, m);
    state_ = n;
    const MatrixXd I = MatrixXd::Identity(p, p);
    add(w1, -plant.C, I, -plant.D);
    add(w2, zeros(m, n), zeros(m, p), MatrixXd::Identity(m, m));
    if (w3 != nullptr) add(*w3, plant.C, zeros(p, p), plant.D);
    g_.C2 = zeros(p, states);
    g_.C2.leftCols(n) = -plant.C;
    g_.D21 = I;
    g_.D22 = -plant.D;
  }
  const GeneralizedPlant& generalized() const { return g_; }

 private:
  // A weight on X x + R r + U u.
  void add(const StateMatrices& w, const MatrixXd& X, const MatrixXd& R, const MatrixXd& U) {
    const Index n = plant_.A.rows(), k = w.A.rows(), rows = w.C.rows();
    g_.A.block(state_, state_, k, k) = w.A;
    g_.A.block(state_, 0, k, n) = w.B * X;
    g_.B1.middleRows(state_, k) = w.B * R;
    g_.B2.middleRows(state_, k) = w.B * U;
    g_.C1.block(output_, state_, rows, k) = w.C;
    g_.C1.block(output_, 0, rows, n) += w.D * X;
    g_.D11.middleRows(output_, rows) = w.D * R;
    g_.D12.middleRows(output_, rows) = w.D * U;
    state_ += k;
    output_ += rows;
  }

  const StateMatrices& plant_;
  GeneralizedPlant g_;
  Index state_ = 0, output_ = 0;
};

}  // namespace

base::Result<StateFeedback> designStateFeedback(const StateMatrices& plant,
                                                const DesignWeights& weights) {
  // y = C x + D u: the cross term CᵀQD goes into u.
  const MatrixXd R =
      MatrixXd(weights.R.asDiagonal()) + plant.D.transpose() * weights.Q.asDiagonal() * plant.D;
  const MatrixXd N = plant.D.transpose() * weights.Q.asDiagonal() * plant.C;
  const linalg::DenseLu<double> lu(R);
  const MatrixXd Q =
      plant.C.transpose() * weights.Q.asDiagonal() * plant.C - N.transpose() * lu.solve(N);
  const MatrixXd G = plant.B * lu.solve(plant.B.transpose());
  const auto found = linalg::solveRiccati(plant.A - plant.B * lu.solve(N),
                                          0.5 * (G + G.transpose()), 0.5 * (Q + Q.transpose()));
  if (!found) return explain(found.failure());
  return StateFeedback{lu.solve(plant.B.transpose() * found.value().X + N), found.value().X,
                       found.value().roots};
}

base::Result<DynamicController> designLqg(const RegulatorProblem& problem) {
  base::Result<GeneralizedPlant> made = makeProblem(problem);
  if (!made) return made.failure();
  GeneralizedPlant g = made.value();
  // What noise does to an error directly is the same with every controller.
  g.D11.setZero();
  const auto found = linalg::synthesizeH2(g);
  if (!found) return explain(found.failure());
  return DynamicController{found.value().K, found.value().norm, std::nullopt,
                           makeRating(std::move(g), true, 1.0)};
}

base::Result<DynamicController> designFourBlock(const RegulatorProblem& problem, double factor) {
  const base::Result<GeneralizedPlant> g = makeProblem(problem);
  if (!g) return g.failure();
  const auto found = linalg::synthesizeHInfinity(g.value(), factor);
  if (!found) return explain(found.failure());
  return DynamicController{found.value().K, found.value().norm, found.value().optimum,
                           makeRating(g.value(), false, 1.0)};
}

base::Result<DynamicController> designMixedSensitivity(const StateMatrices& plant,
                                                       const SensitivityWeights& weights,
                                                       double factor) {
  for (const Complex& root : linalg::findEigenvaluesOfReal(plant.A)) {
    if (std::abs(root.real()) <= 1e-9 * std::abs(root)) {
      return base::Failure{
          "the plant has a root on the imaginary axis, which mixed sensitivity does not take",
          "use '--four-block', or give the motion a little stiffness and damping"};
    }
  }
  const auto w1 = realize(weights.W1), w2 = realize(weights.W2);
  if (!w1) return base::withContext("W1: ", w1.failure());
  if (!w2) return base::withContext("W2: ", w2.failure());
  std::optional<StateMatrices> w3;
  if (weights.W3) {
    const auto made = realize(*weights.W3);
    if (!made) return base::withContext("W3: ", made.failure());
    w3 = repeat(made.value(), plant.C.rows());
  }
  const MixedPlant mixed(plant, repeat(w1.value(), plant.C.rows()),
                         repeat(w2.value(), plant.B.cols()), w3 ? &*w3 : nullptr);
  const auto found = linalg::synthesizeHInfinity(mixed.generalized(), factor);
  if (!found) return explain(found.failure());
  // e = −y is measured where the reference is zero.
  StateMatrices K = found.value().K;
  K.B = -K.B;
  K.D = -K.D;
  return DynamicController{K, found.value().norm, found.value().optimum,
                           makeRating(mixed.generalized(), false, -1.0)};
}

base::Result<PidGains> designPid(const StateMatrices& plant, double crossover, double margin,
                                 double ratio) {
  const Complex G = linalg::calcResponse(plant, Complex(0.0, crossover))(0, 0);
  const double pi = std::numbers::pi;
  if (!(std::abs(G) > 0.0) || !std::isfinite(std::abs(G))) {
    return base::Failure{"the plant has no response at the crossover", "use another frequency"};
  }
  const double theta = std::remainder(-pi + margin - std::arg(G), 2.0 * pi);
  if (!(std::abs(theta) < 0.5 * pi)) {
    return base::Failure{
        "a PID cannot reach this phase margin: it would have to turn the phase by " +
            std::to_string(theta * 180.0 / pi) + " deg, but turns it by less than 90",
        "use another crossover or a smaller margin"};
  }
  const double tangent = std::tan(theta);
  const double Td = 0.5 * (tangent + std::sqrt(tangent * tangent + 4.0 / ratio)) / crossover;
  const double kp = std::cos(theta) / std::abs(G);
  return PidGains{kp, kp / (ratio * Td), kp * Td};
}

base::Result<PositionFeedback> designPositionFeedback(const StateMatrices& plant, double rate,
                                                      double g) {
  if (!(g > 0.0 && g < 1.0)) {
    return base::Failure{"positive position feedback is stable for gains between 0 and 1 only",
                         "0.1 is typical"};
  }
  const StateMatrices s = linalg::balanceStates(plant);
  const base::Result<linalg::RootBlock> nearest = findOscillation(s.A, rate);
  if (!nearest) return nearest.failure();
  // R/(s − λ) + conj = (2 Re R s − 2 Re(R λ̄))/(s² − 2 Re λ s + |λ|²)
  const Complex lambda = nearest.value().A(0, 0);
  const Complex R = (s.C * nearest.value().X * (nearest.value().Y * s.B))(0, 0);
  const double w = std::abs(lambda), gain = -2.0 * (R * std::conj(lambda)).real();
  if (std::abs(2.0 * R.real()) * w > std::abs(gain)) {
    return base::Failure{"the measured output is not a position of this motion",
                         "measure a displacement or a strain at the actuator"};
  }
  return PositionFeedback{lambda, w / std::sqrt(1.0 - g), std::sqrt(g), g * w * w / gain};
}

base::Result<Shaper> designShaper(ShaperKind kind, double rate, double damping, double share) {
  if (!(rate > 0.0) || !(damping >= 0.0 && damping < 1.0)) {
    return base::Failure{"a shaper needs a vibration with a damping ratio from 0 to below 1", ""};
  }
  const double root = std::sqrt(1.0 - damping * damping);
  const double K = std::exp(-damping * std::numbers::pi / root);
  const double half = std::numbers::pi / (rate * root);
  if (kind == ShaperKind::kEi) {
    if (damping > 0.0) {
      return base::Failure{"the EI shaper is exact for vibrations without damping only",
                           "use 'zvd', or give '--damping 0' where it is small"};
    }
    return Shaper{{0.0, half, 2.0 * half},
                  {0.25 * (1.0 + share), 0.5 * (1.0 - share), 0.25 * (1.0 + share)}};
  }
  const int order = kind == ShaperKind::kZv ? 1 : kind == ShaperKind::kZvd ? 2 : 3;
  Shaper shaper;
  double binomial = 1.0;
  for (int i = 0; i <= order; ++i) {
    shaper.times.push_back(i * half);
    shaper.amplitudes.push_back(binomial * std::pow(K, i) / std::pow(1.0 + K, order));
    binomial = binomial * (order - i) / (i + 1);
  }
  return shaper;
}

StateMatrices Notch::system() const {
  return {MatrixXd{{0.0, rate}, {-rate, -2.0 * poleDamping * rate}}, MatrixXd{{0.0}, {rate}},
          MatrixXd{{0.0, 2.0 * (zeroDamping - poleDamping)}}, MatrixXd::Ones(1, 1)};
}

base::Result<Notch> designNotch(const StateMatrices& plant, double rate, double width,
                                std::optional<double> depth) {
  if (!(width > 0.0)) {
    return base::Failure{"the width of a notch must be positive",
                         "it is the damping ratio of its poles: 0.5 is typical"};
  }
  if (depth && !(*depth >= 0.0 && *depth < 1.0)) {
    return base::Failure{"the depth of a notch must be at least 0 and less than 1",
                         "it is the gain that is left at its frequency"};
  }
  const auto found = findOscillation(linalg::balanceStates(plant).A, rate);
  if (!found) return found.failure();
  const Complex lambda = found.value().A(0, 0);
  const double w = std::abs(lambda), damping = -lambda.real() / w;
  if (!depth && damping < 0.0) {
    return base::Failure{"the motion grows, and a notch cannot cancel what grows",
                         "give '--depth', or damp the motion by feedback"};
  }
  if (!depth && damping >= width) {
    return base::Failure{"the motion has a damping ratio of " + std::to_string(damping) +
                             ", which a notch of width " + std::to_string(width) + " would lower",
                         "give a larger '--width', or '--depth'"};
  }
  return Notch{w, depth ? *depth * width : damping, width};
}

}  // namespace flexloop::analysis
