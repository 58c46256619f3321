#include "instance.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/text_format.hpp"
#include "linalg/solvers/lazy_library.hpp"

namespace flexloop::fmi {

using base::Failure;

namespace {

constexpr const char* kErrors = "logStatusError";
constexpr const char* kWarnings = "logStatusWarning";
constexpr double kSameTime = 1e-9;  // relative to the communication step

std::unique_ptr<fmu::Machine> makeMachine(const InstanceOptions& options) {
  auto taken = std::make_shared<const fmu::TakenModel>(fmu::readTakenModel(options.resources));
  if (taken->token != options.token) {
    throw std::runtime_error("the token of the host, '" + options.token +
                             "', is not that of the FMU, '" + taken->token +
                             "': modelDescription.xml belongs to another FMU");
  }
  if (taken->kind != options.kind) {
    throw std::runtime_error(taken->kind == fmu::Kind::kCoSimulation
                                 ? "this FMU is for co-simulation only"
                                 : "this FMU is for model exchange only");
  }
  if (taken->kind == fmu::Kind::kModelExchange) {
    return std::make_unique<fmu::ModelExchange>(std::move(taken));
  }
  return std::make_unique<fmu::CoSimulation>(std::move(taken));
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string readLocation(const std::string& location) {
  if (!location.starts_with("file:")) return location;
  std::string rest = location.substr(5);
  // `file:///path`, `file://localhost/path` or `file:/path`
  if (rest.starts_with("//")) rest = rest.substr(std::min(rest.find('/', 2), rest.size()));
  std::string path;
  for (std::size_t k = 0; k < rest.size(); ++k) {
    const bool isCoded = rest[k] == '%' && k + 2 < rest.size() && hexDigit(rest[k + 1]) >= 0 &&
                         hexDigit(rest[k + 2]) >= 0;
    path +=
        isCoded ? static_cast<char>(16 * hexDigit(rest[k + 1]) + hexDigit(rest[k + 2])) : rest[k];
    if (isCoded) k += 2;
  }
  return path;
}

std::unique_ptr<Instance> Instance::make(InstanceOptions options) {
  try {
    linalg::useOneBlasThread();
    std::unique_ptr<fmu::Machine> machine = makeMachine(options);
    return std::unique_ptr<Instance>(new Instance(std::move(options), std::move(machine)));
  } catch (const std::exception& error) {
    if (options.log) options.log(kError, kErrors, fmu::describeException(error).message);
  } catch (...) {
    if (options.log) options.log(kError, kErrors, "unknown error");
  }
  return nullptr;
}

Instance::Instance(InstanceOptions options, std::unique_ptr<fmu::Machine> machine)
    : options_(std::move(options)), machine_(std::move(machine)) {
  const fmu::TakenModel& taken = machine_->taken();
  counts_ = {taken.inputs.size(), taken.outputs.size(), taken.parameters.size(),
             taken.states.size(), taken.indicators};
}

// Errors are always reported; the host asks for warnings.
void Instance::writeLog(Status status, const Failure& failure) const {
  if (!options_.log || (status == kWarning && !options_.isLogging)) return;
  std::string text = failure.message;
  while (text.ends_with('\n')) text.pop_back();
  if (!failure.hint.empty()) text += "\n  hint: " + failure.hint;
  options_.log(status, status == kWarning ? kWarnings : kErrors, text);
}

void Instance::writeNotes() {
  for (std::string& note : machine_->takeNotes()) writeLog(kWarning, {std::move(note)});
}

Status Instance::guard(const std::function<std::optional<Failure>()>& action, Status ofNumerics) {
  try {
    const std::optional<Failure> failure = action();
    writeNotes();
    if (!failure) return kOk;
    const Status status = failure->kind == base::FailureKind::kNumerics ? ofNumerics : kError;
    writeLog(status, *failure);
    return status;
  } catch (const std::exception& error) {
    writeLog(kError, fmu::describeException(error));
  } catch (...) {
    writeLog(kError, {"unknown error"});
  }
  return kError;
}

Status Instance::refuse(const std::string& what) {
  return guard([&]() -> std::optional<Failure> { return Failure{what}; });
}

Status Instance::setStart(double start) {
  return guard([&]() -> std::optional<Failure> {
    if (phase_ != Phase::kInstantiated) {
      return Failure{"the start time is set after the start", "reset the instance first"};
    }
    machine_->setStart(start);
    return std::nullopt;
  });
}

Status Instance::enterInitialization() {
  return guard([&]() -> std::optional<Failure> {
    if (phase_ != Phase::kInstantiated) {
      return Failure{"the instance has been initialised before", "reset it first"};
    }
    phase_ = Phase::kInitialization;
    return std::nullopt;
  });
}

Status Instance::exitInitialization() {
  return guard([&]() -> std::optional<Failure> {
    if (phase_ != Phase::kInitialization) return Failure{"the instance is not being initialised"};
    if (auto failure = machine_->initialize(true)) return failure;
    phase_ = Phase::kRunning;
    return std::nullopt;
  });
}

Status Instance::terminate() {
  phase_ = Phase::kTerminated;
  return kOk;
}

Status Instance::reset() {
  return guard([&]() -> std::optional<Failure> {
    machine_->reset();
    phase_ = Phase::kInstantiated;
    hasFailed_ = false;
    return std::nullopt;
  });
}

Failure Instance::refuseVariable(unsigned reference, const char* why) const {
  return {"the variable with the reference " + std::to_string(reference) + " " + why};
}

base::Result<double> Instance::getNumber(unsigned reference) {
  const auto place = fmu::findVariable(counts_, reference);
  if (!place) return refuseVariable(reference, "does not exist");
  auto* exchange = dynamic_cast<fmu::ModelExchange*>(machine_.get());
  const auto pick = [&](const base::Result<std::vector<double>>& list) -> base::Result<double> {
    if (!list) return list.failure();
    return list.value().at(place->index);
  };
  switch (place->role) {
    case fmu::Role::kTime:
      return machine_->time();
    case fmu::Role::kInput:
      return machine_->input(place->index);
    case fmu::Role::kOutput:
      return machine_->output(place->index);
    case fmu::Role::kParameter:
      return machine_->parameter(place->index);
    case fmu::Role::kState:
      return pick(exchange->states());
    case fmu::Role::kDerivative:
      return pick(exchange->stateDerivatives());
    case fmu::Role::kIndicator:
      return pick(exchange->indicators());
  }
  return refuseVariable(reference, "does not exist");
}

Status Instance::getNumbers(std::span<const unsigned> references, double* values) {
  return guard([&]() -> std::optional<Failure> {
    for (std::size_t k = 0; k < references.size(); ++k) {
      const base::Result<double> number = getNumber(references[k]);
      if (!number) return number.failure();
      values[k] = number.value();
    }
    return std::nullopt;
  });
}

std::optional<Failure> Instance::setParameter(std::size_t index, double value) {
  const fmu::TakenParameter& parameter = machine_->taken().parameters[index];
  if (parameter.isCalculated) {
    return Failure{"the parameter '" + parameter.name + "' is calculated from others", "set those"};
  }
  const bool isStart = phase_ == Phase::kInstantiated || phase_ == Phase::kInitialization;
  if (!isStart && !parameter.isTunable) {
    return Failure{"the parameter '" + parameter.name + "' is fixed after the initialisation",
                   "set it before, or reset the instance"};
  }
  machine_->setParameter(index, value);
  return std::nullopt;
}

std::optional<Failure> Instance::setNumber(unsigned reference, double value) {
  const auto place = fmu::findVariable(counts_, reference);
  if (!place) return refuseVariable(reference, "does not exist");
  if (!std::isfinite(value)) return refuseVariable(reference, "is given a value that is no number");
  if (place->role == fmu::Role::kParameter) return setParameter(place->index, value);
  if (place->role != fmu::Role::kInput) return refuseVariable(reference, "cannot be set");
  machine_->setInput(place->index, value);
  return std::nullopt;
}

Status Instance::setNumbers(std::span<const unsigned> references, const double* values) {
  return guard([&]() -> std::optional<Failure> {
    for (std::size_t k = 0; k < references.size(); ++k) {
      if (auto failure = setNumber(references[k], values[k])) return failure;
    }
    return std::nullopt;
  });
}

// Unknowns are outputs and derivatives of states; knowns are inputs and states.
base::Result<std::vector<double>> Instance::calcSlopes(std::span<const unsigned> unknowns,
                                                       std::span<const unsigned> knowns,
                                                       const double* seed) {
  std::vector<std::size_t> to, from;
  for (const unsigned reference : unknowns) {
    const auto place = fmu::findVariable(counts_, reference);
    const bool isOutput = place && place->role == fmu::Role::kOutput;
    if (!isOutput && !(place && place->role == fmu::Role::kDerivative)) {
      return refuseVariable(reference,
                            "has no derivatives: it is neither an output nor the "
                            "derivative of a state");
    }
    to.push_back(isOutput ? counts_.states + place->index : place->index);
  }
  for (const unsigned reference : knowns) {
    const auto place = fmu::findVariable(counts_, reference);
    const bool isInput = place && place->role == fmu::Role::kInput;
    if (!isInput && !(place && place->role == fmu::Role::kState)) {
      return refuseVariable(reference,
                            "is neither an input nor a state, by which there are "
                            "derivatives");
    }
    from.push_back(isInput ? counts_.states + place->index : place->index);
  }
  if (auto* exchange = dynamic_cast<fmu::ModelExchange*>(machine_.get())) {
    return exchange->directionalDerivative(to, from, seed);
  }
  const auto D = machine_->derivatives(to, from);
  if (!D) return D.failure();
  std::vector<double> slopes(to.size(), 0.0);
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      slopes[i] += D.value()[i * from.size() + j] * seed[j];
    }
  }
  return slopes;
}

Status Instance::getDirectionalDerivative(std::span<const unsigned> unknowns,
                                          std::span<const unsigned> knowns, const double* seed,
                                          double* result) {
  return guard([&]() -> std::optional<Failure> {
    const base::Result<std::vector<double>> slopes = calcSlopes(unknowns, knowns, seed);
    if (!slopes) return slopes.failure();
    std::copy(slopes.value().begin(), slopes.value().end(), result);
    return std::nullopt;
  });
}

Status Instance::save(std::string*& state) {
  return guard([&]() -> std::optional<Failure> {
    if (hasFailed_) return Failure{"a step has failed: there is no state to be kept"};
    std::string bytes = std::to_string(static_cast<int>(phase_)) + machine_->save();
    if (state == nullptr) {
      state = new std::string(std::move(bytes));
    } else {
      *state = std::move(bytes);
    }
    return std::nullopt;
  });
}

Status Instance::restore(const std::string& state) {
  return guard([&]() -> std::optional<Failure> {
    const int phase = state.empty() ? -1 : state[0] - '0';
    if (phase < 0 || phase > static_cast<int>(Phase::kTerminated)) {
      return Failure{"this is not a state of this FMU"};
    }
    if (auto failure = machine_->restore(state.substr(1))) return failure;
    phase_ = static_cast<Phase>(phase);
    hasFailed_ = false;
    return std::nullopt;
  });
}

Status Instance::keep(std::string bytes, std::string*& state) {
  return guard([&]() -> std::optional<Failure> {
    state = new std::string(std::move(bytes));
    return std::nullopt;
  });
}

Status Instance::doStep(double from, double length, double& lastTime) {
  lastTime = machine_->time();
  const Status status = guard(
      [&]() -> std::optional<Failure> {
        fmu::CoSimulation* machine = coSimulation();
        if (phase_ != Phase::kRunning || machine == nullptr) {
          return Failure{"no step can be made now",
                         "the instance must have been initialised, and not terminated"};
        }
        if (hasFailed_) {
          return Failure{"a step has failed before",
                         "go back to an earlier state, or reset the instance"};
        }
        if (!(length > 0.0) || !std::isfinite(from + length)) {
          return Failure{"the communication step must be a positive number of seconds"};
        }
        if (std::abs(from - machine->time()) > kSameTime * length + kSameTime * std::abs(from)) {
          return Failure{base::formatText("the step starts at t = %.9g s, but the instance is at "
                                          "t = %.9g s",
                                          from, machine->time()),
                         "steps follow each other; go back with the state of an earlier time"};
        }
        hasFailed_ = true;
        if (auto failure = machine->stepTo(from + length)) return failure;
        hasFailed_ = false;
        return std::nullopt;
      },
      kDiscard);
  lastTime = machine_->time();
  return status;
}

std::optional<Failure> Instance::withExchange(
    const std::function<std::optional<Failure>(fmu::ModelExchange&)>& action) {
  auto* exchange = dynamic_cast<fmu::ModelExchange*>(machine_.get());
  if (exchange == nullptr) return Failure{"this function belongs to another kind of FMU"};
  if (phase_ == Phase::kInstantiated || phase_ == Phase::kTerminated) {
    return Failure{"the instance has not been initialised, or has been terminated"};
  }
  return action(*exchange);
}

Status Instance::checkExchange() {
  return guard(
      [&] { return withExchange([](fmu::ModelExchange&) { return std::optional<Failure>(); }); });
}

Status Instance::setTime(double time) {
  return guard([&] {
    return withExchange([&](fmu::ModelExchange& exchange) -> std::optional<Failure> {
      if (!std::isfinite(time)) return Failure{"the time is no number"};
      exchange.setTime(time);
      return std::nullopt;
    });
  });
}

Status Instance::setStates(std::span<const double> states) {
  return guard(
      [&] {
        return withExchange([&](fmu::ModelExchange& exchange) -> std::optional<Failure> {
          if (states.size() != counts_.states) {
            return Failure{"there are " + std::to_string(counts_.states) + " states"};
          }
          const auto isNumber = [](double value) { return std::isfinite(value); };
          if (!std::all_of(states.begin(), states.end(), isNumber)) {
            return base::numericalFailure("a state is no number", "use a smaller step");
          }
          exchange.setStates(states);
          return std::nullopt;
        });
      },
      kDiscard);
}

// The host may try a shorter step where one leads nowhere.
Status Instance::getList(
    std::span<double> target, const char* what,
    const std::function<base::Result<std::vector<double>>(fmu::ModelExchange&)>& get) {
  return guard(
      [&] {
        return withExchange([&](fmu::ModelExchange& exchange) -> std::optional<Failure> {
          const base::Result<std::vector<double>> list = get(exchange);
          if (!list) return list.failure();
          if (list.value().size() != target.size()) {
            return Failure{"there are " + std::to_string(list.value().size()) + " " + what};
          }
          std::copy(list.value().begin(), list.value().end(), target.begin());
          return std::nullopt;
        });
      },
      kDiscard);
}

Status Instance::getStates(std::span<double> states) {
  return getList(states, "states", [](fmu::ModelExchange& exchange) { return exchange.states(); });
}

Status Instance::getNominals(std::span<double> nominals) {
  return getList(nominals, "states",
                 [](fmu::ModelExchange& exchange) { return exchange.nominals(); });
}

Status Instance::getDerivatives(std::span<double> derivatives) {
  return getList(derivatives, "states",
                 [](fmu::ModelExchange& exchange) { return exchange.stateDerivatives(); });
}

Status Instance::getIndicators(std::span<double> indicators) {
  return getList(indicators, "event indicators",
                 [](fmu::ModelExchange& exchange) { return exchange.indicators(); });
}

Status Instance::handleEvent(fmu::EventReport& report) {
  return guard([&] {
    return withExchange([&](fmu::ModelExchange& exchange) -> std::optional<Failure> {
      const base::Result<fmu::EventReport> event = exchange.handleEvent();
      if (!event) return event.failure();
      report = event.value();
      return std::nullopt;
    });
  });
}

Status Instance::completeStep(bool& isEventDue) {
  return guard([&] {
    return withExchange([&](fmu::ModelExchange& exchange) -> std::optional<Failure> {
      const base::Result<bool> due = exchange.completeStep();
      if (!due) return due.failure();
      isEventDue = due.value();
      return std::nullopt;
    });
  });
}

}  // namespace flexloop::fmi
