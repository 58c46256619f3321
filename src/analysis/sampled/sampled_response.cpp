#include "analysis/sampled/sampled_response.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <tuple>

#include "analysis/sampled/sampled_cut.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/dense/pivoted_qr.hpp"
#include "linalg/roots/multipliers.hpp"

namespace flexloop::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

constexpr double kPi = std::numbers::pi;
// Of rounding in the map, far more than it makes.
constexpr double kRoundOff = 1e-12;

// The eigenvalues of L. Samples that nothing reads, or that do not come back, make zeros, in chains that rounding would
// scatter: they are taken off first, as those of the multipliers are (25.13).
std::vector<LoopValue> calcLociOf(MatrixXcd L) {
  const double noise = kRoundOff * L.cwiseAbs().maxCoeff();
  std::vector<LoopValue> loci;
  loci.reserve(L.rows());
  const Index count = L.rows();
  while (L.rows() > 1) {
    const linalg::PivotedQr<Complex> qr(L);
    const Index rank = qr.countAbove(noise);
    if (rank == L.rows()) break;
    const MatrixXcd Q = qr.Q().leftCols(rank);
    L = (Q.adjoint() * L * Q).eval();
  }
  if (L.rows() == 1) {
    loci.emplace_back(L(0, 0), noise);
  } else if (L.rows() > 1) {
    for (const Complex& value : linalg::findEigenvalues(L)) loci.emplace_back(value, noise);
  }
  while (std::ssize(loci) < count) loci.emplace_back(0.0, noise);
  return loci;
}

bool isLoop(const PortNames& names) {
  const std::vector<std::string> only{names.cut};
  return !names.cut.empty() && names.inputs == only && names.outputs == only;
}

// ∫ e^{−iωt} dt over a wait.
Complex integratePhase(double omega, double start, double wait) {
  const double half = 0.5 * omega * wait;
  const double sine = std::abs(half) > 1e-8 ? std::sin(half) / half : 1.0;
  return wait * sine * std::polar(1.0, -omega * (start + 0.5 * wait));
}

int findUnknown(const model::Model& model, const LinearModel& linear, const std::string& name) {
  const int unknown = model.findSignal(name)->value;
  const auto& all = linear.unknowns;
  return static_cast<int>(std::find(all.begin(), all.end(), unknown) - all.begin());
}

}  // namespace

SampledResponse::SampledResponse(const model::Model& model, const SampledBlocks& blocks,
                                 const LinearModel& linear, const system::State& state,
                                 const PortNames& names)
    : sampled_(makeSampledMachine(blocks, model.system(), linear, state)) {
  if (failure()) return;
  ports_ = makePorts(model, sampled_.linear(), names);
  note_ = sampled_.note;
  if (!names.cut.empty()) classifyCut(model);
  map_ = std::make_unique<SampledMap>(sampled_.sampling, model.system(), sampled_.linear(),
                                      ports_.pencil, cut_, true);
  cycle_ = makeCycleMap(sampled_.sampling, *map_);
  if ((sampled_.failure = cycle_.failure)) return;
  makeSteps();
  makeMachinePorts(model);
}

SampledResponse::~SampledResponse() = default;

void SampledResponse::classifyCut(const model::Model& model) {
  const LinearModel& linear = sampled_.linear();
  const system::System& system = model.system();
  const std::vector<SampledPorts> blocks = sampled_.sampling.ports();
  cut_.unknown = findUnknown(model, linear, ports_.names.cut);
  cutKind_ = CutKind::kContinuous;
  if (isLoop(ports_.names) && !isAny(findHoldingClocks(linear, system, blocks, cut_.unknown)) &&
      !isAny(findReadingClocks(linear, system, blocks, cut_.unknown))) {
    const int before = findHeldSignalBefore(model, linear, blocks, cut_.unknown);
    if (before >= 0) {
      const std::string name = model.signalName({linear.unknowns[before]});
      addNote("the signal that '" + ports_.names.cut + "' depends on is held: L is that of '" +
              name + "'");
      ports_ = makePorts(model, linear, {{name}, {name}, name});
      cut_.unknown = before;
    }
  }
  const auto found =
      std::find(ports_.names.inputs.begin(), ports_.names.inputs.end(), ports_.names.cut);
  if (found != ports_.names.inputs.end()) {
    cutInput_ = static_cast<int>(found - ports_.names.inputs.begin());
  }
  cut_.clocks = findHoldingClocks(linear, system, blocks, cut_.unknown);
  if (isAny(cut_.clocks)) {
    cutKind_ = CutKind::kHeld;
    cut_.isHeld = true;
    const std::string& name = ports_.names.cut;
    cut_.readers = makePorts(model, linear, {{name}, {name}, name}).F.col(0);
    return;
  }
  cut_.clocks = findReadingClocks(linear, system, blocks, cut_.unknown);
  if (isAny(cut_.clocks) && !jumps(linear, system, blocks, cut_.unknown)) {
    cutKind_ = CutKind::kRead;
  } else if (isLoop(ports_.names)) {
    addNote("'" + ports_.names.cut +
            "' is neither held nor only sampled: margins are those of its response without "
            "aliasing; the stability of the loop is exact");
  }
}

void SampledResponse::addNote(const std::string& text) {
  note_ += (note_.empty() ? "" : "; ") + text;
}

void SampledResponse::makeSteps() {
  std::map<double, int> flows;
  std::map<std::tuple<std::vector<bool>, std::vector<int>, std::vector<int>>, int> instants;
  for (const SampleInstant& instant : sampled_.sampling.cycle.instants) {
    std::vector<int> arrivals;
    for (const SampleInstant::Arrival& arrival : instant.arrivals) {
      arrivals.push_back(arrival.line);
      arrivals.push_back(arrival.age);
    }
    const auto flow = flows.try_emplace(instant.wait, static_cast<int>(flows_.size()));
    if (flow.second) flows_.push_back(map_->makeFlow(instant.wait));
    flowOf_.push_back(flow.first->second);
    const auto known = instants.try_emplace({instant.dueClocks, arrivals, instant.entries},
                                            static_cast<int>(instants_.size()));
    if (known.second) instants_.push_back(map_->makeInstant(instant));
    instantOf_.push_back(known.first->second);
  }
  psi_ = linalg::HessenbergSolver(cycle_.first * cycle_.rest);
}

// From inputs and held outputs to outputs and what is read, with all loops through sampled blocks and delays open; of the
// whole machine also where it was condensed.
void SampledResponse::makeMachinePorts(const model::Model& model) {
  machinePorts_ = makePorts(model, *sampled_.whole, ports_.names);
  machinePorts_.delays.clear();
  machinePorts_.delayedInputs.clear();
  const Index inputs = machinePorts_.F.cols();
  machinePorts_.F.conservativeResize(Eigen::NoChange, inputs + map_->held());
  machinePorts_.F.rightCols(map_->held()).setZero();
  const MatrixXd& held = map_->heldColumns();
  for (Index i = 0; i < held.rows(); ++i) {
    const int row = sampled_.wholeOf(static_cast<int>(i));
    if (row >= 0) machinePorts_.F.row(row).tail(map_->held()) = held.row(i);
  }
  if (cutKind_ == CutKind::kHeld && cutInput_ >= 0) machinePorts_.F.col(cutInput_).setZero();
  std::vector<int>& outputs = machinePorts_.outputs;
  for (const int read : map_->reads()) outputs.push_back(sampled_.wholeOf(read));
  // What a delay reads that only sampled blocks see later.
  for (const DelayLine& line : sampled_.sampling.lines) {
    outputs.push_back(sampled_.wholeOf(line.input));
  }
  machine_ = std::make_unique<ResponseSolver>(machinePorts_);
}

// With what inputs add at every instant, e^{iωt} included, z after the first instant is found from z(T) = e^{iωT} z.
SampledResponse::Steady SampledResponse::findSteady(Complex z,
                                                    const std::vector<MatrixXcd>& inputs) const {
  const std::size_t count = instantOf_.size();
  const Index n = map_->size(), m = map_->inputs();
  const auto act = [&](std::size_t i, const MatrixXcd& state, Complex phase) -> MatrixXcd {
    const MatrixXd& instant = instants_[instantOf_[i]];
    return instant.leftCols(n) * state + phase * (instant.rightCols(m) * inputs[i]);
  };
  const auto flow = [&](std::size_t i, const MatrixXcd& state) -> MatrixXcd {
    return flows_[flowOf_[i]] * state;
  };
  MatrixXcd state = MatrixXcd::Zero(n, inputs[0].cols());
  for (std::size_t i = 0; i + 1 < count; ++i) state = act(i + 1, flow(i, state), 1.0);
  state = psi_.solve(z, act(0, flow(count - 1, state), z));
  Steady steady;
  steady.before.resize(count);
  steady.after.resize(count);
  steady.after[0] = state;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    steady.before[i + 1] = flow(i, steady.after[i]);
    steady.after[i + 1] = act(i + 1, steady.before[i + 1], 1.0);
  }
  steady.before[0] = flow(count - 1, steady.after[count - 1]) / z;
  return steady;
}

MatrixXcd SampledResponse::calcMean(double omega, const Steady& steady) const {
  const MatrixXd held = map_->heldValues();
  MatrixXcd mean = MatrixXcd::Zero(held.rows(), steady.after[0].cols());
  for (std::size_t i = 0; i < steady.after.size(); ++i) {
    const SampleInstant& instant = sampled_.sampling.cycle.instants[i];
    mean += integratePhase(omega, instant.time, instant.wait) * (held * steady.after[i]);
  }
  return mean / sampled_.sampling.cycle.period;
}

std::vector<int> SampledResponse::findCutInstants() const {
  std::vector<int> found;
  for (std::size_t i = 0; i < sampled_.sampling.cycle.instants.size(); ++i) {
    const std::vector<bool>& due = sampled_.sampling.cycle.instants[i].dueClocks;
    bool isDue = false;
    for (std::size_t c = 0; c < due.size(); ++c) isDue = isDue || (due[c] && cut_.clocks[c]);
    if (isDue) found.push_back(static_cast<int>(i));
  }
  return found;
}

Eigen::RowVectorXcd SampledResponse::calcCut(const Steady& steady, int instant) const {
  const Eigen::RowVectorXd row = map_->makeUnknown(cut_.unknown);
  return row * (cutKind_ == CutKind::kHeld ? steady.after[instant] : steady.before[instant]);
}

bool SampledResponse::calc(double omega, MatrixXcd& H) {
  MatrixXcd G;
  if (!machine_->calc(Complex(0.0, omega), G)) return false;
  const Index inputs = ports_.F.cols(), outputs = std::ssize(ports_.outputs);
  const Index reads = std::ssize(map_->reads());
  std::vector<MatrixXcd> added;
  for (const SampleInstant& instant : sampled_.sampling.cycle.instants) {
    MatrixXcd e(map_->inputs(), inputs);
    e << G.block(outputs, 0, reads, inputs), MatrixXcd::Zero(1, inputs);
    if (cutInput_ >= 0) e(reads, cutInput_) = 1.0;
    added.push_back(std::polar(1.0, omega * instant.time) * e);
  }
  const Steady steady = findSteady(std::polar(1.0, omega * period()), added);
  const MatrixXcd all = G.leftCols(inputs) + G.rightCols(map_->held()) * calcMean(omega, steady);
  H = all.topRows(outputs);
  for (Index k = 0; k < outputs; ++k) {
    for (std::size_t j = 0; j < sampled_.sampling.lines.size(); ++j) {
      const DelayLine& line = sampled_.sampling.lines[j];
      if (line.isHeld || line.output != ports_.outputs[k]) continue;
      H.row(k) = line.factor * std::polar(1.0, -omega * line.delay) *
                 all.row(outputs + reads + static_cast<Index>(j));
    }
    if (!hasLoci() || ports_.outputs[k] != cut_.unknown) continue;
    // By sample, as the loop sees it.
    const std::vector<int> instants = findCutInstants();
    H.row(k).setZero();
    for (const int i : instants) {
      H.row(k) += std::polar(1.0 / static_cast<double>(instants.size()),
                             -omega * sampled_.sampling.cycle.instants[i].time) *
                  calcCut(steady, i);
    }
  }
  return H.allFinite();
}

std::optional<std::vector<LoopValue>> SampledResponse::calcLoci(double omega) {
  const std::vector<int> instants = findCutInstants();
  const Index count = std::ssize(instants), reads = std::ssize(map_->reads());
  Eigen::VectorXcd e = Eigen::VectorXcd::Zero(map_->inputs());
  e[reads] = 1.0;
  if (cutKind_ == CutKind::kRead) {
    MatrixXcd G;
    if (!machine_->calc(Complex(0.0, omega), G)) return std::nullopt;
    e.head(reads) = G.col(0).segment(1, reads);
  }
  std::vector<MatrixXcd> added(sampled_.sampling.cycle.instants.size(),
                               MatrixXcd::Zero(map_->inputs(), count));
  for (Index j = 0; j < count; ++j) added[instants[j]].col(j) = e;
  const Steady steady = findSteady(std::polar(1.0, omega * period()), added);
  MatrixXcd L(count, count);
  for (Index k = 0; k < count; ++k) L.row(k) = -calcCut(steady, instants[k]);
  if (!L.allFinite()) return std::nullopt;
  return calcLociOf(L);
}

LociFunction SampledResponse::makeLoci() {
  return [this](double omega) -> std::optional<std::vector<LoopValue>> {
    if (hasLoci()) return calcLoci(omega);
    MatrixXcd H;
    if (!calc(omega, H)) return std::nullopt;
    return std::vector<LoopValue>{{-H(0, 0), kRoundOff * std::abs(H(0, 0))}};
  };
}

SampledResponse::Roots SampledResponse::findRoots() const {
  constexpr double kStable = 1e-10;  // as in Mode::isStable
  Roots roots;
  const linalg::Multipliers multipliers = linalg::findMultipliers(cycle_.rest * cycle_.first);
  for (const linalg::Multiplier& multiplier : multipliers.found) {
    const Complex root = multiplier.exponent / cycle_.period;
    roots.values.push_back(root);
    // One that is negative is one, though its logarithm is complex.
    if (root.real() > kStable * std::abs(root)) {
      roots.growing += multiplier.value.imag() != 0.0 ? 2 : 1;
    }
  }
  return roots;
}

FrequencyResponse calcSampledResponse(SampledResponse& sampled,
                                      const std::vector<double>& frequencyHz) {
  FrequencyResponse response;
  response.frequencyHz = frequencyHz;
  for (const double f : frequencyHz) {
    MatrixXcd H;
    if (!sampled.calc(2.0 * kPi * f, H)) {
      char text[64];
      std::snprintf(text, sizeof text, "%.10g Hz", f);
      response.failure = base::numericalFailure(
          std::string("at ") + text +
              " the equations of the machine between its samples are singular",
          "is this an undamped resonance, or a machine that is free to move near zero frequency? "
          "Choose other frequencies, or add damping");
      return response;
    }
    response.H.push_back(std::move(H));
  }
  return response;
}

ReturnRatio analyzeSampledLoop(SampledResponse& cut, const SampledResponse& closed, double lowHz,
                               double highHz) {
  ReturnRatio ratio;
  const SampledResponse::Roots open = cut.findRoots(), closedRoots = closed.findRoots();
  ratio.isComplete = true;
  ratio.openUnstable = open.growing;
  ratio.closedUnstable = closedRoots.growing;
  std::vector<Complex> poles = open.values;
  ratio.samplePeriod = cut.period();
  ratio.note = cut.note();
  // With an integral in the loop L is not finite at rest.
  const bool isFree = std::find(poles.begin(), poles.end(), Complex(0.0)) != poles.end();
  const LociFunction all = cut.makeLoci();
  const LociFunction loci = [&](double omega) {
    return isFree && omega == 0.0 ? std::nullopt : all(omega);
  };
  poles.insert(poles.end(), closedRoots.values.begin(), closedRoots.values.end());
  std::erase(poles, Complex(0.0));
  const double half = kPi / cut.period();
  double low = std::min(2.0 * kPi * lowHz, 0.01 * half);
  for (const Complex& pole : poles) low = std::min(low, std::abs(pole) / 30.0);
  const double high = cut.hasLoci() ? half : std::max(half, 2.0 * kPi * highHz);
  ratio.margins = findMargins(loci, makeSearchGrid(low, high, poles),
                              cut.hasLoci() ? std::optional(half) : std::nullopt);
  ratio.tellIfUnresolved();
  ratio.lowHz = low / (2.0 * kPi);
  ratio.highHz = high / (2.0 * kPi);
  return ratio;
}

}  // namespace flexloop::analysis
