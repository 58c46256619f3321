#include "fmu/model_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/balance/operating_point.hpp"
#include "analysis/time/branch_settlement.hpp"
#include "analysis/time/late_start.hpp"
#include "analysis/time/run_point_check.hpp"
#include "base/diagnostics.hpp"
#include "control/blocks/record_check.hpp"
#include "control/sources/external_inputs.hpp"
#include "fmu/number_bytes.hpp"

namespace flexloop::fmu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Relative, and hardly more than rounding: the clock of a host may count the seconds of many years, in which the instants
// of a machine are milliseconds apart.
constexpr double kSameTime = 64.0 * std::numeric_limits<double>::epsilon();

// A state of the system, with its members named.
struct NamedState {
  system::State state;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("time", self.state.time);
    visit("frames", self.state.frames);
    visit("value", self.state.value);
    visit("rate", self.state.rate);
    visit("acceleration", self.state.acceleration);
    visit("algorithmic", self.state.algorithmic);
    visit("history", self.state.history);
    visit("records", self.state.records);
  }
};

struct Snapshot {
  bool isRunning = false, hasEquations = false;
  double start = 0.0, time = 0.0, nextTime = 0.0;
  std::vector<double> inputs, parameters, independent;
  Eigen::VectorXd z;
  NamedState state, base;

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("is_running", self.isRunning);
    visit("has_equations", self.hasEquations);
    visit("start", self.start);
    visit("time", self.time);
    visit("next_time", self.nextTime);
    visit("inputs", self.inputs);
    visit("parameters", self.parameters);
    visit("independent", self.independent);
    visit("z", self.z);
    visit("state", self.state);
    visit("base", self.base);
  }
};

// The start of a run, with these inputs.
base::Result<system::State> findStart(const model::Model& model, const std::vector<double>& inputs,
                                      double begin) {
  if (auto failure = analysis::describeNoLateStart(model, begin)) return *failure;
  const control::ExternalInputs* external = control::findExternalInputs(model.system());
  const auto set = [&](system::State& state) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      external->set(static_cast<int>(k), inputs[k], state);
    }
  };
  const auto kind = model.time() ? model.time()->start : model::OperatingPoint::Kind::kInitial;
  if (kind == model::OperatingPoint::Kind::kInitial) {
    system::State state = model.start();
    if (begin != 0.0) analysis::beginAt(model.system(), begin, state);
    set(state);
    const solve::MachineLoan machine = model.borrowMachine();
    machine->begin(state);
    const analysis::ConsistentStart start = analysis::settleStart(*machine, state);
    if (start.failure) return base::withContext("at the start: ", *start.failure);
    return state;
  }
  const analysis::OperatingState rest = analysis::findOperatingPoint(model, {kind, 0.0});
  if (!rest.ok()) return base::withContext("at the start: ", *rest.failure);
  system::State state = rest.state;
  set(state);
  const solve::MachineLoan machine = model.borrowMachine();
  machine->begin(state);
  const analysis::Settlement settlement = analysis::settleBranches(*machine, state, {}, 0.0);
  if (settlement.failure) return *settlement.failure;
  return state;
}

bool isAt(double time, double instant) {
  if (!std::isfinite(instant)) return false;
  return std::abs(time - instant) <= kSameTime * std::max(std::abs(time), std::abs(instant));
}

bool areNumbers(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// Different motions of the machine; nothing where they are something else.
std::optional<std::vector<int>> readIndependent(const model::Model& model,
                                                const std::vector<double>& given) {
  std::vector<int> independent;
  std::set<int> known;
  for (const double u : given) {
    if (!(u >= 0.0 && u < model.system().unknowns() && u == std::floor(u))) return std::nullopt;
    const system::UnknownIndex index{static_cast<int>(u)};
    if (model.system().kind(index) != system::Kind::kMotion || !known.insert(index.value).second) {
      return std::nullopt;
    }
    independent.push_back(index.value);
  }
  return independent;
}

}  // namespace

ExchangeStates listExchangeStates(const model::Model& model) {
  const base::Result<system::State> start = findStart(model, {}, 0.0);
  if (!start) throw base::InputError({}, start.failure().message, start.failure().hint);
  if (const auto failure = analysis::describeNoOde(model, start.value())) {
    throw base::InputError({}, failure->message, failure->hint);
  }
  const analysis::StateEquations equations(model, start.value());
  ExchangeStates states{.names = {},
                        .coordinates = static_cast<std::size_t>(equations.coordinates())};
  for (const char* of : {"motion ", "velocity "}) {
    for (int k = 0; k < equations.coordinates(); ++k)
      states.names.push_back(of + std::to_string(k + 1));
  }
  for (const int u : equations.blockStates()) {
    states.names.push_back(model.system().unknownName(system::UnknownIndex{u}));
  }
  return states;
}

// By how much changes grow when the slopes are applied to them again and again. Of a pair of roots they grow by turns, so the
// mean of several is taken.
double findFastestRate(const model::Model& model) {
  constexpr int kFirst = 20, kCounted = 20;
  const base::Result<system::State> start = findStart(model, {}, 0.0);
  if (!start) return 0.0;
  analysis::StateEquations equations(model, start.value());
  if (equations.size() == 0) return 0.0;
  const Eigen::VectorXd sizes = equations.nominals();
  Eigen::VectorXd change = sizes;
  for (Eigen::Index k = 0; k < change.size(); ++k) change[k] *= 1.0 + 0.1 * std::cos(1.0 + k);
  double sum = 0.0;
  for (int k = 0; k < kFirst + kCounted; ++k) {
    const double before = change.cwiseQuotient(sizes).norm();
    const auto slopes = equations.calcSlopes(change / before, {}, {});
    if (!slopes) return 0.0;
    change = slopes.value().derivatives;
    const double growth = change.cwiseQuotient(sizes).norm();
    if (!(growth > 0.0)) return 0.0;
    if (k >= kFirst) sum += std::log(growth);
  }
  return std::exp(sum / kCounted);
}

std::size_t countIndicators(const model::Model& model) {
  const solve::MachineLoan machine = model.borrowMachine();
  return static_cast<std::size_t>(machine->assembler().indicators());
}

void ModelExchange::forgetEquations() {
  equations_.reset();  // before the model that they use
  isDirty_ = false;
}

void ModelExchange::reset() {
  forgetEquations();
  isRunning_ = hasNewParameters_ = false;
  z_.resize(0);
  notes_.clear();
  Machine::reset();
}

void ModelExchange::setStart(double time) {
  forgetEquations();
  Machine::setStart(time);
}

void ModelExchange::setInput(std::size_t k, double value) {
  if (inputs_[k] == value) return;
  inputs_[k] = value;
  if (!isRunning_) return forgetEquations();
  system::State state = equations_->state();
  control::findExternalInputs(model().system())->set(static_cast<int>(k), value, state);
  equations_->setState(state);
  isDirty_ = true;
}

void ModelExchange::setParameter(std::size_t k, double value) {
  if (parameters_[k] == value) return;
  parameters_[k] = value;
  if (isRunning_) {
    hasNewParameters_ = true;
  } else {
    forgetEquations();
    forgetModel();
  }
}

std::optional<base::Failure> ModelExchange::initialize(bool isFinal) {
  if (equations_ == nullptr) {
    if (!hasModel()) {
      if (auto failure = load()) return failure;
    }
    const base::Result<system::State> start = findStart(model(), inputs_, start_);
    if (!start) return start.failure();
    if (auto failure = analysis::describeNoOde(model(), start.value())) return failure;
    equations_ = std::make_unique<analysis::StateEquations>(model(), start.value());
    z_ = equations_->coordinatesOf();
    if (z_.size() != std::ssize(taken().states)) {
      forgetEquations();
      return base::Failure{"with these parameters the model has another number of states",
                           "they change the machine itself: export it again with them"};
    }
    time_ = start.value().time;
    nextTime_ = findNextTime(time_);
    isDirty_ = true;
  }
  isRunning_ = isRunning_ || isFinal;
  return std::nullopt;
}

// With other numbers in the same equations.
std::optional<base::Failure> ModelExchange::takeParameters() {
  const system::State state = equations_->state(), base = equations_->chart().base();
  const std::vector<int> independent = equations_->chart().independent();
  forgetEquations();
  forgetModel();
  if (auto failure = load()) return failure;
  equations_ = std::make_unique<analysis::StateEquations>(model(), state, base, independent);
  hasNewParameters_ = false;
  isDirty_ = true;
  return std::nullopt;
}

// Up to the next break of a source, this side of it.
std::optional<base::Failure> ModelExchange::evaluate() {
  if (equations_ == nullptr) {
    if (auto failure = initialize(false)) return failure;
  }
  if (hasNewParameters_) {
    if (auto failure = takeParameters()) return failure;
  }
  if (!isDirty_) return std::nullopt;
  const double latest = std::nextafter(nextTime_, -kInfinity);
  if (auto failure = equations_->evaluate(std::min(time_, latest), z_)) return failure;
  isDirty_ = false;
  return std::nullopt;
}

base::Result<const system::State*> ModelExchange::solved() {
  if (auto failure = evaluate()) return *failure;
  return &equations_->state();
}

void ModelExchange::setTime(double time) {
  if (time == time_) return;
  time_ = time;
  isDirty_ = true;
}

void ModelExchange::setStates(std::span<const double> states) {
  const Eigen::Map<const Eigen::VectorXd> given(states.data(),
                                                static_cast<Eigen::Index>(states.size()));
  if (given.size() == z_.size() && given == z_) return;
  z_ = given;
  isDirty_ = true;
}

base::Result<std::vector<double>> ModelExchange::states() {
  if (equations_ == nullptr) {
    if (auto failure = initialize(false)) return *failure;
  }
  return std::vector<double>(z_.data(), z_.data() + z_.size());
}

base::Result<std::vector<double>> ModelExchange::nominals() {
  if (equations_ == nullptr) {
    if (auto failure = initialize(false)) return *failure;
  }
  const Eigen::VectorXd sizes = equations_->nominals();
  return std::vector<double>(sizes.data(), sizes.data() + sizes.size());
}

base::Result<std::vector<double>> ModelExchange::stateDerivatives() {
  if (auto failure = evaluate()) return *failure;
  const Eigen::VectorXd rates = equations_->derivatives();
  return std::vector<double>(rates.data(), rates.data() + rates.size());
}

base::Result<std::vector<double>> ModelExchange::indicators() {
  if (auto failure = evaluate()) return *failure;
  std::vector<double> values;
  equations_->machine().assembler().calcIndicators(equations_->state(), values);
  return values;
}

base::Result<std::vector<double>> ModelExchange::directionalDerivative(
    std::span<const std::size_t> unknowns, std::span<const std::size_t> knowns,
    const double* seed) {
  if (auto failure = evaluate()) return *failure;
  const auto n = static_cast<std::size_t>(equations_->size());
  Eigen::VectorXd dz = Eigen::VectorXd::Zero(equations_->size());
  std::vector<std::pair<system::UnknownIndex, double>> dw;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    if (knowns[k] < n) {
      dz[static_cast<Eigen::Index>(knowns[k])] += seed[k];
    } else {
      dw.emplace_back(inputSignal(knowns[k] - n), seed[k]);
    }
  }
  std::vector<system::UnknownIndex> signals;
  for (const std::size_t unknown : unknowns) {
    if (unknown >= n) signals.push_back(outputSignal(unknown - n));
  }
  const auto slopes = equations_->calcSlopes(dz, dw, signals);
  if (!slopes) return slopes.failure();
  std::vector<double> result;
  Eigen::Index signal = 0;
  for (const std::size_t unknown : unknowns) {
    result.push_back(unknown < n ? slopes.value().derivatives[static_cast<Eigen::Index>(unknown)]
                                 : slopes.value().signals[signal++]);
  }
  return result;
}

double ModelExchange::findNextTime(double after) const {
  double next = kInfinity;
  const auto isLater = [&](double time) { return time > after && !isAt(time, after); };
  for (const double time : model().system().breaks()) {
    if (isLater(time)) next = std::min(next, time);
  }
  for (const system::Clock& clock : model().system().periodicBreaks()) {
    const double later = after + 2.0 * kSameTime * std::abs(after);
    const double instant = clock.instant(clock.lastInstant(later) + 1);
    if (isLater(instant)) next = std::min(next, instant);
  }
  return next;
}

base::Result<EventReport> ModelExchange::handleEvent() {
  if (auto failure = evaluate()) return *failure;
  const bool isBreak = time_ >= nextTime_ || isAt(time_, nextTime_);
  const double before = isBreak ? std::nextafter(nextTime_, -kInfinity) : time_;
  system::State state = equations_->state();
  if (isBreak) time_ = nextTime_;
  state.time = time_;
  const Eigen::VectorXd rates = equations_->chart().readRates(state);
  const analysis::Settlement settlement =
      analysis::settleBranches(equations_->machine(), state, {}, before);
  if (settlement.failure) return *settlement.failure;
  EventReport report;
  equations_->setState(state);
  const bool isRenewed = equations_->renewBase();
  report.haveNominalsChanged = isRenewed;
  report.haveStatesChanged = isRenewed || equations_->chart().readRates(state) != rates;
  if (report.haveStatesChanged) z_ = equations_->coordinatesOf();
  nextTime_ = findNextTime(time_);
  if (std::isfinite(nextTime_)) report.nextTime = nextTime_;
  isDirty_ = true;
  return report;
}

// Branches that are looked at between steps only end here.
base::Result<bool> ModelExchange::completeStep() {
  if (auto failure = evaluate()) return *failure;
  equations_->remember();
  std::vector<double> values;
  equations_->machine().assembler().calcIndicators(equations_->state(), values);
  const bool hasEnded =
      std::any_of(values.begin(), values.end(), [](double value) { return value < 0.0; });
  return hasEnded || equations_->chart().isWorn();
}

std::string ModelExchange::save() const {
  Snapshot snapshot;
  snapshot.isRunning = isRunning_;
  snapshot.start = start_;
  snapshot.inputs = inputs_;
  snapshot.parameters = parameters_;
  snapshot.hasEquations = equations_ != nullptr;
  if (snapshot.hasEquations) {
    snapshot.time = time_;
    // Infinite where there is none.
    snapshot.nextTime = nextTime_;
    snapshot.z = z_;
    snapshot.state.state = equations_->state();
    snapshot.base.state = equations_->chart().base();
    for (const int u : equations_->chart().independent()) snapshot.independent.push_back(u);
  }
  return writeNumbers(taken().token, snapshot);
}

std::optional<base::Failure> ModelExchange::restore(const std::string& bytes) {
  const base::Result<Snapshot> read = readNumbers<Snapshot>(taken().token, bytes);
  if (!read) return read.failure();
  const Snapshot& snapshot = read.value();
  const bool isRight = snapshot.inputs.size() == inputs_.size() &&
                       snapshot.parameters.size() == parameters_.size() &&
                       areNumbers(snapshot.inputs) && areNumbers(snapshot.parameters) &&
                       areNumbers({snapshot.start, snapshot.time}) &&
                       !std::isnan(snapshot.nextTime);
  if (!isRight) return describeStrangeState();
  forgetEquations();
  if (snapshot.parameters != parameters_ || hasNewParameters_) forgetModel();
  isRunning_ = snapshot.isRunning;
  setStart(snapshot.start);
  inputs_ = snapshot.inputs;
  parameters_ = snapshot.parameters;
  hasNewParameters_ = false;
  if (!snapshot.hasEquations) return std::nullopt;
  if (!hasModel()) {
    if (auto failure = load()) return failure;
  }
  const auto fits = [&](const system::State& state) {
    return analysis::isStateOf(model(), state) &&
           control::findStrangeRecord(model().system(), state).empty();
  };
  const auto independent = readIndependent(model(), snapshot.independent);
  if (!independent || !fits(snapshot.state.state) || !fits(snapshot.base.state) ||
      !snapshot.z.allFinite() || snapshot.z.size() != std::ssize(taken().states)) {
    return describeStrangeState();
  }
  equations_ = std::make_unique<analysis::StateEquations>(model(), snapshot.state.state,
                                                          snapshot.base.state, *independent);
  if (snapshot.z.size() != equations_->size()) {
    forgetEquations();
    return describeStrangeState();
  }
  z_ = snapshot.z;
  time_ = snapshot.time;
  nextTime_ = snapshot.nextTime;
  isDirty_ = true;
  return std::nullopt;
}

}  // namespace flexloop::fmu
