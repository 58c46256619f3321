#include "control/box_realization.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "control/block_probe.hpp"

namespace flexloop::control {
namespace {

constexpr int kHalf = 60;  // blocks of the Hankel matrix in each direction
constexpr int kRecord = 2 * kHalf + 1;
constexpr double kAmplitude = 0x1p-10;  // share of the input
constexpr int kRest = 3;                // calls before the step
constexpr int kMostStates = 12;
constexpr double kSmallestShare = 1e-9;  // of the largest singular value

using Record = std::vector<Eigen::MatrixXd>;  // outputs × inputs, by call

// Responses to a step of each input, from call 1 on.
Record recordSteps(BlockProbe& probe, double h) {
  const std::vector<double>& u0 = probe.inputs();
  const auto inputs = static_cast<Eigen::Index>(u0.size());
  Record steps(kRecord, Eigen::MatrixXd::Zero(probe.outputs(), inputs));
  for (Eigen::Index i = 0; i < inputs; ++i) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> u = u0;
      const double amplitude = kAmplitude * std::max(1.0, std::abs(u0[i]));
      probe.restart();
      for (int k = 1; k <= kRest; ++k) probe.call(probe.time() + k * h, u);
      u[i] += sign * amplitude;
      for (int k = 0; k < kRecord; ++k) {
        const std::vector<double>& y = probe.call(probe.time() + (kRest + 1 + k) * h, u);
        for (int o = 0; o < probe.outputs(); ++o) {
          steps[k](o, i) += sign * y[o] / (2.0 * amplitude);
        }
      }
    }
  }
  return steps;
}

// Makes the responses of all outputs, then those to all inputs, alike in size.
struct Scales {
  Eigen::VectorXd output, input;

  explicit Scales(const Record& steps) {
    output = largest(steps, [](const Eigen::MatrixXd& s) { return s.rowwise().maxCoeff().eval(); });
    const auto scaled = [&](const Eigen::MatrixXd& s) {
      return (output.cwiseInverse().asDiagonal() * s).colwise().maxCoeff().transpose().eval();
    };
    input = largest(steps, scaled);
  }

 private:
  template <class Reduce>
  static Eigen::VectorXd largest(const Record& steps, const Reduce& reduce) {
    Eigen::VectorXd size = reduce(steps[0].cwiseAbs());
    for (const Eigen::MatrixXd& step : steps) size = size.cwiseMax(reduce(step.cwiseAbs()));
    return (size.array() > 0.0).select(size, 1.0);
  }
};

Eigen::MatrixXd makeHankel(const Record& pulses, int first) {
  const Eigen::Index p = pulses[0].rows(), m = pulses[0].cols();
  Eigen::MatrixXd H(kHalf * p, kHalf * m);
  for (int i = 0; i < kHalf; ++i) {
    for (int j = 0; j < kHalf; ++j) H.block(i * p, j * m, p, m) = pulses[first + i + j];
  }
  return H;
}

// (23.9): x⁺ = A x + B u, y = C x + D u between calls.
BoxRealization realizeCalls(const Record& pulses) {
  const Eigen::Index p = pulses[0].rows(), m = pulses[0].cols();
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(makeHankel(pulses, 1),
                                           Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd& sizes = svd.singularValues();
  int n = 0;
  while (n < std::min<int>(kMostStates, static_cast<int>(sizes.size())) &&
         sizes[n] > kSmallestShare * sizes[0]) {
    ++n;
  }
  const Eigen::VectorXd root = sizes.head(n).cwiseSqrt();
  const Eigen::MatrixXd U = svd.matrixU().leftCols(n), V = svd.matrixV().leftCols(n);
  BoxRealization result;
  result.A = root.cwiseInverse().asDiagonal() * (U.transpose() * makeHankel(pulses, 2) * V) *
             root.cwiseInverse().asDiagonal();
  result.B = root.asDiagonal() * V.topRows(m).transpose();
  result.C = U.topRows(p) * root.asDiagonal();
  result.D = pulses[0];
  return result;
}

double calcResidual(const BoxRealization& model, const Record& steps) {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(model.states(), model.B.cols());
  double worst = 0.0;
  for (const Eigen::MatrixXd& step : steps) {
    worst = std::max(worst, (step - model.C * x - model.D).lpNorm<Eigen::Infinity>());
    x = model.A * x + model.B;
  }
  return worst;
}

// (23.10): z = (2 + s h) / (2 − s h), which is e^{sh} up to terms of third order.
void makeContinuous(BoxRealization& model, double h) {
  if (model.states() == 0) return;
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(model.states(), model.states());
  const Eigen::MatrixXd inverse = (model.A + unit).inverse();
  model.D -= model.C * inverse * model.B;
  model.A = (2.0 / h) * inverse * (model.A - unit);
  model.B = (2.0 / std::sqrt(h)) * inverse * model.B;
  model.C = (2.0 / std::sqrt(h)) * model.C * inverse;
}

}  // namespace

BoxRealization realizeBox(const BlockSet& set, int element, const system::State& state,
                          const GainSettings& settings, double period) {
  BlockProbe probe(set, element, state);
  const bool hasClock = set.block(element).clock() >= 0;
  const double h = hasClock ? period : settings.delta * settings.step;
  Record steps = recordSteps(probe, h);
  const Scales scales(steps);
  for (Eigen::MatrixXd& step : steps) {
    step =
        scales.output.cwiseInverse().asDiagonal() * step * scales.input.cwiseInverse().asDiagonal();
  }
  Record pulses = steps;
  for (int k = kRecord - 1; k > 0; --k) pulses[k] -= pulses[k - 1];
  BoxRealization model = realizeCalls(pulses);
  model.residual = calcResidual(model, steps);
  makeContinuous(model, h);
  model.B = model.B * scales.input.asDiagonal();
  model.C = scales.output.asDiagonal() * model.C;
  model.D = scales.output.asDiagonal() * model.D * scales.input.asDiagonal();
  if (!model.A.allFinite() || !model.B.allFinite() || !model.C.allFinite()) model.residual = 1.0;
  return model;
}

}  // namespace flexloop::control
