#include "control/boxes/identification/box_gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "control/blocks/block_probe.hpp"

namespace flexloop::control {
namespace {

// Amplitudes as shares of the size of the input: large ones drown round-off, small ones what is not linear.
constexpr std::array<double, 5> kAmplitudes{0x1p-10, 0x1p-14, 0x1p-18, 0x1p-5, 1.0};
// A fit that leaves no more than this needs no other amplitude.
constexpr double kGoodFit = 1e-11;
// Calls with unchanged inputs before the step, after which the inputs have no rate.
constexpr int kRest = 3;
// Responses that differ by a smaller share are the same.
constexpr double kSame = 1e-9;

class Perturbation {
 public:
  Perturbation(BlockProbe& probe, const GainSettings& settings, double step)
      : probe_(probe), settings_(settings), step_(step) {}

  // The gains from one input to all outputs.
  std::vector<Gains> find(int input) {
    std::vector<Gains> best;
    const double size = probe_.findSize(input, settings_.delta * step_);
    for (const double share : kAmplitudes) {
      const double amplitude = share * size;
      std::vector<Gains> found = findWith(input, amplitude);
      if (best.empty()) best = found;
      bool isGood = true;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].residual < best[i].residual) best[i] = found[i];
        isGood = isGood && best[i].residual <= kGoodFit;
      }
      if (isGood) break;
    }
    return best;
  }

 private:
  using Responses = Eigen::MatrixXd;  // outputs × calls

  std::vector<Gains> findWith(int input, double amplitude) {
    const int runs = runsFor(settings_.order);
    largest_ = 0.0;
    std::vector<Responses> responses;
    for (int j = 1; j <= runs; ++j) {
      responses.push_back(respond(input, j * amplitude, j * settings_.delta * step_));
    }
    StepResponses one;
    const double size = responses[0].lpNorm<Eigen::Infinity>();
    const double noise = 4.0 * std::numeric_limits<double>::epsilon() * largest_ / amplitude;
    one.isTimed = (responses[1] - responses[0]).lpNorm<Eigen::Infinity>() > kSame * size + noise;
    one.step = one.isTimed ? settings_.delta * step_ : step_;
    one.noise = noise;
    std::vector<Gains> gains;
    for (int i = 0; i < probe_.outputs(); ++i) {
      one.runs.clear();
      for (const Responses& run : responses) one.runs.emplace_back(run.row(i));
      gains.push_back(fitGains(one, settings_.order));
    }
    return gains;
  }

  // Changes of the outputs after a step of an input, per amplitude; up and down, so that a curvature
  // of the block cancels.
  Responses respond(int input, double amplitude, double h) {
    std::vector<double> u = probe_.inputs();
    const double middle = u[input], above = middle + amplitude, below = middle - amplitude;
    Responses up = record(u, input, above, h);
    const Responses down = record(u, input, below, h);
    largest_ = std::max({largest_, up.lpNorm<Eigen::Infinity>(), down.lpNorm<Eigen::Infinity>()});
    return (up - down) / (above - below);
  }

  Responses record(std::vector<double>& u, int input, double changed, double h) {
    probe_.restart();
    const double middle = u[input];
    Responses outputs(probe_.outputs(), kCalls);
    for (int k = 1; k <= kRest; ++k) probe_.call(probe_.time() + k * h, u);
    u[input] = changed;
    for (int k = 0; k < kCalls; ++k) {
      const std::vector<double>& y = probe_.call(probe_.time() + (kRest + 1 + k) * h, u);
      std::copy(y.begin(), y.end(), outputs.col(k).begin());
    }
    u[input] = middle;
    return outputs;
  }

  BlockProbe& probe_;
  const GainSettings& settings_;
  double step_;
  double largest_ = 0.0;  // output in all runs
};

// (23.6): gains of a block that states its equations are its Markov parameters, D, C B, C A B …
class PartialGains {
 public:
  PartialGains(const BlockSet& set, int element, const system::State& state)
      : states_(set.states(element)), inputs_(set.inputs(element)) {
    const Block& block = set.block(element);
    const int outputs = set.outputs(element);
    std::vector<double> x, u, dx(states_), y(outputs);
    for (int k = 0; k < states_; ++k) x.push_back(state.value[set.scalar(element, k).value]);
    for (int k = 0; k < inputs_; ++k) {
      u.push_back(set.sign(element, k) * state.value[set.input(element, k).value]);
    }
    J_.setZero(states_ + outputs, states_ + inputs_);
    const int record = set.record(element);
    block.calcPartials({state.time, x, u, state.history.data() + set.historyOffset(element),
                        record >= 0 ? &state.records[record] : nullptr, dx, y},
                       J_);
  }

  // `time` is that after which the gains and the block are compared.
  std::vector<Gains> find(int input, const GainOrder& order, double time) const {
    const auto C = J_.bottomLeftCorner(J_.rows() - states_, states_);
    Eigen::VectorXd x = J_.col(states_ + input).head(states_);
    std::vector<Gains> gains(C.rows());
    Eigen::VectorXd known(C.rows()), unknown = Eigen::VectorXd::Zero(C.rows());
    for (Eigen::Index o = 0; o < C.rows(); ++o) {
      gains[o][0] = J_(states_ + o, states_ + input);
      known[o] = std::abs(gains[o][0]);
    }
    double weight = 1.0;
    for (int n = 1; n <= kMostIntegrals + 1; ++n) {
      weight *= time / n;
      const Eigen::VectorXd markov = C * x;
      for (Eigen::Index o = 0; o < C.rows(); ++o) {
        if (n <= order.integrals) gains[o][-n] = markov[o];
        (n <= order.integrals ? known : unknown)[o] += weight * std::abs(markov[o]);
      }
      x = J_.topLeftCorner(states_, states_) * x;
    }
    for (Eigen::Index o = 0; o < C.rows(); ++o) {
      if (unknown[o] > 0.0) gains[o].residual = unknown[o] / (known[o] + unknown[o]);
    }
    return gains;
  }

 private:
  int states_, inputs_;
  Eigen::MatrixXd J_;
};

}  // namespace

double BlockGains::residual() const {
  double largest = 0.0;
  for (const Gains& gains : pairs) largest = std::max(largest, gains.residual);
  return largest;
}

BlockGains identifyGains(const BlockSet& set, int element, const system::State& state,
                         const GainSettings& settings, double period) {
  const Block& block = set.block(element);
  BlockGains gains;
  gains.inputs = set.inputs(element);
  gains.outputs = set.outputs(element);
  if (!block.canGoBack()) {
    gains.failure =
        base::numericalFailure("black box '" + set.name(element) +
                                   "' cannot be perturbed: it has no block_save and block_restore",
                               "export both from the library, or write the controller as blocks");
    return gains;
  }
  gains.pairs.resize(static_cast<std::size_t>(gains.inputs) * gains.outputs);
  const bool isCalled = block.isBox() || block.clock() >= 0;
  std::optional<BlockProbe> probe;
  std::optional<PartialGains> partials;
  if (isCalled) {
    probe.emplace(set, element, state);
  } else {
    partials.emplace(set, element, state);
  }
  const double time = runsFor(settings.order) * kCalls * settings.delta * settings.step;
  for (int i = 0; i < gains.inputs; ++i) {
    const std::vector<Gains> column =
        isCalled
            ? Perturbation(*probe, settings, block.clock() < 0 ? settings.step : period).find(i)
            : partials->find(i, settings.order, time);
    for (int o = 0; o < gains.outputs; ++o) gains.pairs[o * gains.inputs + i] = column[o];
  }
  gains.failure = block.fault();
  return gains;
}

}  // namespace flexloop::control
