#include "control/boxes/identification/box_realization.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "control/blocks/block_probe.hpp"
#include "control/boxes/sampled_box.hpp"
#include "linalg/dense/dense_lu.hpp"
#include "linalg/dense/svd.hpp"

namespace flexloop::control {
namespace {

constexpr int kHalf = 60;  // blocks of the Hankel matrix in each direction
constexpr int kRecord = 2 * kHalf + 1;
constexpr int kFurther = 60;            // calls that are not fitted but foretold
constexpr double kAmplitude = 0x1p-10;  // share of the size of the input
constexpr int kRest = 3;                // calls before the step
constexpr int kMostStates = 12;
constexpr double kSmallestShare = 1e-9;  // of the largest singular value

// Of boxes with a clock: shorter steps where a longer one does not agree with them, as for the other sampled blocks.
constexpr std::array<double, 3> kAmplitudes{0x1p-10, 0x1p-20, 0x1p-30};
constexpr double kAgreement = 1e-7;
constexpr int kLater = 7;  // calls by which shorter steps come later
// States that only make a residual smaller that is below this, or by a smaller factor, describe round-off.
constexpr double kRoundOff = 1e-12;
constexpr double kUlps = 8.0;  // of an output, by rounding
// Of boxes that compute with fewer digits: what rounding makes of a response falls with the step as quickly as what is not linear
// grows, so steps are long, and their sizes lie close. They are no powers of two of each other, with which a linear box rounds alike.
constexpr std::array<double, 6> kRoundedAmplitudes{1.0 / 8,   1.0 / 27,   1.0 / 121,
                                                   1.0 / 451, 1.0 / 1963, 1.0 / 7691};
constexpr std::array<double, 2> kTwins{0.73, 0.58};  // shares of the best of them
// Shorter steps with so much more rounding are not followed by others.
constexpr double kWorse = 10.0;
constexpr double kWorthAState = 10.0;
constexpr double kSmallestSize = 1e-14;  // of a singular value, as a share of the largest
// A motion that dies out by a smaller share from call to call is an integral.
constexpr double kIntegral = 1e-9;

using Record = std::vector<Eigen::MatrixXd>;  // outputs × inputs, by call

constexpr double kDouble = std::numeric_limits<double>::epsilon();

struct StepPlan {
  double share = kAmplitude;   // of the size of the input
  int rest = kRest;            // calls before the step
  int calls = kRecord;         // from the step on
  double precision = kDouble;  // of the box, as SampledBox has it
};

// A number as the box gets it.
double rounded(double value, double precision) {
  return precision > kDouble ? static_cast<double>(static_cast<float>(value)) : value;
}

// The search for a size needs results that are more than rounding; where the box rounds, the size is that of the input itself.
double findSize(BlockProbe& probe, int input, double h, double precision) {
  if (precision > kDouble) return std::max(1.0, std::abs(probe.inputs()[input]));
  return probe.findSize(input, h);
}

// Responses to a step of each input, from call 1 on, and what round-off makes of them.
Record recordSteps(BlockProbe& probe, double h, const StepPlan& plan, Eigen::MatrixXd& noise) {
  const std::vector<double>& u0 = probe.inputs();
  const auto inputs = static_cast<Eigen::Index>(u0.size());
  Record steps(plan.calls, Eigen::MatrixXd::Zero(probe.outputs(), inputs));
  noise.setZero(probe.outputs(), inputs);
  for (Eigen::Index i = 0; i < inputs; ++i) {
    const double amplitude = plan.share * findSize(probe, static_cast<int>(i), h, plan.precision);
    const double above = rounded(u0[i] + amplitude, plan.precision);
    const double below = rounded(u0[i] - amplitude, plan.precision);
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> u = u0;
      probe.restart();
      for (int k = 1; k <= plan.rest; ++k) probe.call(probe.time() + k * h, u);
      u[i] = sign > 0.0 ? above : below;
      for (int k = 0; k < plan.calls; ++k) {
        const std::vector<double>& y = probe.call(probe.time() + (plan.rest + 1 + k) * h, u);
        for (int o = 0; o < probe.outputs(); ++o) {
          const double share = y[o] / (above - below);
          steps[k](o, i) += sign * share;
          noise(o, i) = std::max(noise(o, i), kUlps * plan.precision * std::abs(share));
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

  void apply(Eigen::MatrixXd& step) const {
    step = output.cwiseInverse().asDiagonal() * step * input.cwiseInverse().asDiagonal();
  }
  void apply(Record& steps) const {
    for (Eigen::MatrixXd& step : steps) apply(step);
  }

  void undo(BoxRealization& model) const {
    model.B = model.B * input.asDiagonal();
    model.C = output.asDiagonal() * model.C;
    model.D = output.asDiagonal() * model.D * input.asDiagonal();
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

// (23.9): x⁺ = A x + B u, y = C x + D u between calls, with any number of states.
class CallRealizer {
 public:
  explicit CallRealizer(const Record& pulses)
      : svd_(linalg::findSvd(makeHankel(pulses, 1), linalg::SvdForm::kThin)),
        next_(makeHankel(pulses, 2)),
        D_(pulses[0]) {}

  // How many singular values are above this share of the largest, at most kMostStates.
  int countStates(double smallestShare) const {
    const Eigen::VectorXd& sizes = svd_.values;
    int n = 0;
    while (n < std::min<int>(kMostStates, static_cast<int>(sizes.size())) &&
           sizes[n] > smallestShare * sizes[0]) {
      ++n;
    }
    return n;
  }

  BoxRealization realize(int n) const {
    const Eigen::VectorXd root = svd_.values.head(n).cwiseSqrt();
    const Eigen::MatrixXd U = svd_.U.leftCols(n), V = svd_.V.leftCols(n);
    BoxRealization result;
    result.A = root.cwiseInverse().asDiagonal() * (U.transpose() * next_ * V) *
               root.cwiseInverse().asDiagonal();
    result.B = root.asDiagonal() * V.topRows(D_.cols()).transpose();
    result.C = U.topRows(D_.rows()) * root.asDiagonal();
    result.D = D_;
    return result;
  }

 private:
  linalg::Svd<double> svd_;
  Eigen::MatrixXd next_, D_;
};

double calcResidual(const BoxRealization& model, const Record& steps) {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(model.countStates(), model.B.cols());
  double worst = 0.0;
  for (const Eigen::MatrixXd& step : steps) {
    worst = std::max(worst, (step - model.C * x - model.D).lpNorm<Eigen::Infinity>());
    x = model.A * x + model.B;
  }
  return worst;
}

// The Markov parameters of step responses.
Record findPulses(const Record& steps) {
  Record pulses = steps;
  for (std::size_t k = pulses.size() - 1; k > 0; --k) pulses[k] -= pulses[k - 1];
  return pulses;
}

// (23.10): z = (2 + s h) / (2 − s h), which is e^{sh} up to terms of third order.
void makeContinuous(BoxRealization& model, double h) {
  if (model.countStates() == 0) return;
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(model.countStates(), model.countStates());
  const Eigen::MatrixXd inverse = linalg::DenseLu<double>(model.A + unit).inverse();
  model.D -= model.C * inverse * model.B;
  model.A = (2.0 / h) * inverse * (model.A - unit);
  model.B = (2.0 / std::sqrt(h)) * inverse * model.B;
  model.C = (2.0 / std::sqrt(h)) * model.C * inverse;
}

double findLargest(const Record& record) {
  double largest = 0.0;
  for (const Eigen::MatrixXd& entry : record) {
    largest = std::max(largest, entry.lpNorm<Eigen::Infinity>());
  }
  return largest;
}

double precisionOf(const Block& block) {
  const auto* box = dynamic_cast<const SampledBox*>(&block);
  return box != nullptr ? box->precision() : kDouble;
}

struct NoisyRecord {
  Record steps;
  Eigen::MatrixXd noise;
};

// The steps with which shorter ones agree, or agree best. As these come some calls later, a box that changes with time agrees
// with none.
struct AgreedRecord {
  NoisyRecord best;
  std::vector<NoisyRecord> twins;  // of a box that rounds: as good as the best
  double disagreement = HUGE_VAL;  // share of the largest response

  AgreedRecord(BlockProbe& probe, double h) : probe_(probe), h_(h) {
    const bool rounds = precisionOf(probe.block()) > kDouble;
    const std::span<const double> shares =
        rounds ? std::span<const double>(kRoundedAmplitudes) : kAmplitudes;
    double share = shares[0];
    NoisyRecord longer = record(shares[0]);
    for (std::size_t a = 1; a < shares.size() && !(disagreement <= kAgreement); ++a) {
      NoisyRecord shorter = record(shares[a]);
      const double difference = compare(longer.steps, shorter.steps);
      if (rounds && difference > kWorse * disagreement) break;
      if (best.steps.empty() || difference < disagreement) {
        best = std::move(longer);
        share = shares[a - 1];
        disagreement = difference;
      }
      longer = std::move(shorter);
    }
    for (std::size_t k = 0; rounds && k < kTwins.size(); ++k) {
      twins.push_back(record(kTwins[k] * share));
    }
  }

 private:
  static double compare(const Record& longer, const Record& shorter) {
    Record change = shorter;
    for (std::size_t k = 0; k < change.size(); ++k) change[k] -= longer[k];
    const double largest = findLargest(change);
    return largest > 0.0 ? largest / findLargest(shorter) : 0.0;
  }

  // Each some calls later than the one before.
  NoisyRecord record(double share) {
    const StepPlan plan{share, kRest + kLater * count_++, kRecord + kFurther,
                        precisionOf(probe_.block())};
    NoisyRecord made;
    made.steps = recordSteps(probe_, h_, plan, made.noise);
    return made;
  }

  BlockProbe& probe_;
  double h_;
  int count_ = 0;
};

// (23.11): integrals keep what they have to the last digit.
void sharpenIntegrals(Eigen::MatrixXd& A, double smallest) {
  if (A.rows() == 0) return;
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(A.rows(), A.cols());
  const linalg::Svd<double> svd = linalg::findSvd(Eigen::MatrixXd(A - unit));
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double size = svd.values[i];
    if (size <= smallest) A -= size * svd.U.col(i) * svd.V.col(i).transpose();
  }
}

// What rounding makes of a record, and what follows from it.
struct RecordNoise {
  double roundOff = kRoundOff;  // of scaled responses
  double integral = kIntegral;  // see sharpenIntegrals

  RecordNoise() = default;
  // A multiplier that is wrong by δ shows as half the number of calls times δ at the end of a record.
  RecordNoise(double largest, double precision) : roundOff(std::max(kRoundOff, largest)) {
    if (precision > kDouble) integral = std::max(kIntegral, 2.0 * roundOff / (kRecord + kFurther));
  }
};

// As few states as foretell the further calls as well as any number does; or so many.
BoxRealization realizeBest(const Record& steps, const RecordNoise& noise, int states = -1) {
  const CallRealizer realizer(findPulses(steps));
  std::vector<BoxRealization> all;
  double best = HUGE_VAL;
  for (int n = 0; n <= realizer.countStates(kSmallestSize); ++n) {
    all.push_back(realizer.realize(n));
    sharpenIntegrals(all.back().A, noise.integral);
    all.back().residual = calcResidual(all.back(), steps);
    if (all.back().residual < best) best = all.back().residual;
  }
  if (states >= 0) {
    return states < static_cast<int>(all.size()) ? all[states] : BoxRealization{};
  }
  const auto found = std::find_if(all.begin(), all.end(), [&](const BoxRealization& model) {
    return model.residual <= std::max(kWorthAState * best, noise.roundOff);
  });
  return found == all.end() ? BoxRealization{} : *found;
}

}  // namespace

bool roundsNumbers(const Block& block) {
  return precisionOf(block) > kDouble;
}

BoxRealization realizeBox(const BlockSet& set, int element, const system::State& state,
                          const GainSettings& settings, double period) {
  BlockProbe probe(set, element, state);
  const bool hasClock = set.block(element).clock() >= 0;
  const double h = hasClock ? period : settings.delta * settings.step;
  Eigen::MatrixXd noise;
  Record steps = recordSteps(probe, h, {}, noise);
  const Scales scales(steps);
  scales.apply(steps);
  const CallRealizer realizer(findPulses(steps));
  BoxRealization model = realizer.realize(realizer.countStates(kSmallestShare));
  model.residual = calcResidual(model, steps);
  makeContinuous(model, h);
  scales.undo(model);
  if (!model.A.allFinite() || !model.B.allFinite() || !model.C.allFinite()) model.residual = 1.0;
  return model;
}

BoxRealization realizeSamples(const BlockSet& set, int element, const system::State& state,
                              double period) {
  BlockProbe probe(set, element, state);
  const double precision = precisionOf(probe.block());
  AgreedRecord record(probe, period);
  // Outputs of a box that has failed stay as they were, which is no response.
  if (set.block(element).fault()) return {};
  NoisyRecord& best = record.best;
  if (!std::isfinite(findLargest(best.steps))) return {};
  const Scales scales(best.steps);
  const auto scale = [&](NoisyRecord& one) {
    scales.apply(one.steps);
    scales.apply(one.noise);
    return RecordNoise(one.noise.maxCoeff(), precision);
  };
  BoxRealization model = realizeBest(best.steps, scale(best));
  if (model.D.size() == 0) return model;
  model.residual = std::max(model.residual, record.disagreement);
  for (NoisyRecord& other : record.twins) {
    const RecordNoise noise = scale(other);
    BoxRealization twin = realizeBest(other.steps, noise, model.countStates());
    if (twin.D.size() == 0 || !std::isfinite(twin.residual)) return {};
    scales.undo(twin);
    model.twins.push_back(twin);
  }
  scales.undo(model);
  return model;
}

}  // namespace flexloop::control
