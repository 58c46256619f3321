#include "control/boxes/fmu/fmu_code.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

#include <dlfcn.h>
#include <fmt/format.h>

namespace flexloop::control {
namespace {

constexpr int kMostUpdates = 1000;  // of the discrete states at one event
// Share of the communication step: times that differ less are the same.
constexpr double kSameTime = 1e-6;
constexpr std::size_t kMostKept = 1024;

int countOf(const std::vector<FmuPort>& ports) {
  int count = 0;
  for (const FmuPort& port : ports) count += port.count;
  return count;
}

BoxSettings sizesOf(const FmuPlan& plan) {
  const bool isExchange = plan.kind == FmuKind::kModelExchange;
  BoxSettings sizes;
  sizes.kind = isExchange ? BoxSettings::Kind::kNonlinear : BoxSettings::Kind::kLibrary;
  sizes.inputs = countOf(plan.inputs);
  sizes.outputs = countOf(plan.outputs);
  sizes.states = isExchange ? plan.states : 0;
  sizes.indicators = isExchange ? plan.indicators : 0;
  return sizes;
}

// What a memory begins with; the bytes of the FMU follow.
struct MemoryHead {
  double time, end;
  std::uint64_t hasBegun;
  std::uint64_t origin, state;  // of a state that is kept by number; 0: bytes follow
};

}  // namespace

std::unique_ptr<BoxCode> FmuForm::makeCode() const {
  return std::make_unique<FmuCode>(plan_);
}

std::string FmuForm::placeOf(BoxFunction function) const {
  switch (function) {
    case BoxFunction::kCreate:
      return plan_.kind == FmuKind::kCoSimulation ? " in its instantiation"
                                                  : " in its initialization";
    case BoxFunction::kOutput:
      return " in its step";
    case BoxFunction::kSave:
      return " when its state was saved";
    case BoxFunction::kRestore:
      return " when its state was restored";
    case BoxFunction::kDerivative:
      return " in its derivatives";
    case BoxFunction::kNonlinearOutput:
      return " in its outputs";
    case BoxFunction::kJacobian:
      return " in its directional derivatives";
    case BoxFunction::kDestroy:
      return " when it was ended";
    default:
      return std::string(" in ") + nameOf(function);
  }
}

base::Failure FmuForm::makeLoadFailure(const std::string& name, const std::string& reason) const {
  return {"FMU '" + name + "': its binary cannot be used: " + reason,
          "export it again for this computer; libraries that it needs must be installed"};
}

FmuCode::FmuCode(FmuPlan plan)
    : plan_(std::move(plan)),
      sizes_(sizesOf(plan_)),
      instance_(plan_.version == 2 ? makeFmi2Instance(plan_) : makeFmi3Instance(plan_)),
      inputs_(plan_.inputs),
      outputs_(plan_.outputs),
      unknowns_(plan_.derivativeReferences) {
  for (const FmuPort& output : plan_.outputs) unknowns_.push_back(output.reference);
  column_.resize(static_cast<std::size_t>(sizes_.states) + sizes_.outputs);
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  origin_ = static_cast<std::uint64_t>(now) * 1000003U + static_cast<std::uint64_t>(getpid());
}

FmuCode::~FmuCode() = default;

void FmuCode::invoke(BoxCall& call, const BoxBatch& batch) {
  const auto out = placesOf(groupsOf(sizes_, call.function), call.outputs.data());
  const auto states = static_cast<std::size_t>(plan_.states);
  switch (call.function) {
    case BoxFunction::kLoad:
      return load(call, batch.taken);
    case BoxFunction::kCreate:
      return create();
    case BoxFunction::kOutput:
      return output(call);
    case BoxFunction::kSave:
      call.answer = save(batch.taken.first(batch.taken.size() - kFenceBytes));
      return;
    case BoxFunction::kRestore:
      return restore(batch.given);
    case BoxFunction::kDerivative:
      place(call);
      return instance_->getDerivatives({out[0], states});
    case BoxFunction::kNonlinearOutput:
      place(call);
      return outputs_.get(*instance_, out[0]);
    case BoxFunction::kJacobian:
      return calcJacobian(call);
    case BoxFunction::kInitialStates:
      return instance_->getStates({out[0], states});
    case BoxFunction::kIndicators:
      place(call);
      return instance_->getIndicators({out[0], static_cast<std::size_t>(plan_.indicators)});
    case BoxFunction::kEvent:
      return makeEvent(call);
    case BoxFunction::kStepDone:
      place(call);
      out[0][0] = instance_->completeStep() ? 1.0 : 0.0;
      return noteEnd(call.time);
    case BoxFunction::kDestroy:
      for (const auto& [number, kept] : kept_) instance_->freeState(kept.state);
      kept_.clear();
      return instance_->destroy();
    case BoxFunction::kUnload:
      if (!threads_.hasNew()) dlclose(library_);
      return;
  }
}

void FmuCode::load(BoxCall& call, std::span<unsigned char> message) {
  call.answer = 0;
  std::string reason;
  threads_.begin();
  library_ = dlopen(plan_.binary.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const char* why = dlerror();
    reason = why != nullptr ? why : "unknown reason";
  } else if (const std::string missing = instance_->find(library_); !missing.empty()) {
    reason = "it has no function " + missing;
  }
  if (!reason.empty()) {
    const std::size_t length = std::min(reason.size(), message.size() - 1);
    std::memcpy(message.data(), reason.data(), length);
    message[length] = 0;
    return;
  }
  using F = BoxFunction;
  call.answer = bitOf(F::kLoad) | bitOf(F::kCreate) | bitOf(F::kDestroy);
  if (plan_.canRestore) call.answer |= bitOf(F::kSave) | bitOf(F::kRestore);
  if (plan_.kind == FmuKind::kCoSimulation) {
    call.answer |= bitOf(F::kOutput);
    return;
  }
  call.answer |= bitOf(F::kDerivative) | bitOf(F::kNonlinearOutput) | bitOf(F::kInitialStates) |
                 bitOf(F::kIndicators) | bitOf(F::kEvent) | bitOf(F::kStepDone);
  if (plan_.hasDirectionalDerivatives) call.answer |= bitOf(F::kJacobian);
}

// Co-simulation is initialized at its first instant, when its inputs are known; model exchange at once, since its
// states at the start are unknowns of the machine, and once more at its first event, when its inputs are known.
void FmuCode::create() {
  hasBegun_ = false;
  end_ = std::numeric_limits<double>::infinity();
  instance_->instantiate();
  setStarts();
  if (plan_.kind == FmuKind::kCoSimulation) return;
  instance_->enterInitialization(0.0);
  instance_->exitInitialization();
  settleEvents();
  noteEnd(0.0);
}

void FmuCode::noteEnd(double t) {
  if (instance_->takeEnd()) end_ = t;
}

void FmuCode::checkEnd(double t) const {
  if (!(t > end_)) return;
  throw std::runtime_error(fmt::format(
      "it has asked to end the simulation at t = {:.9g} s\nend the run there, with 'end' "
      "or '--end'",
      end_));
}

void FmuCode::setStarts() {
  if (!plan_.structure.empty()) {
    instance_->enterConfiguration();
    for (const FmuStart& start : plan_.structure) setStart(start);
    instance_->exitConfiguration();
  }
  for (const FmuStart& start : plan_.starts) setStart(start);
}

void FmuCode::setStart(const FmuStart& start) try {
  if (const auto* text = std::get_if<std::string>(&start.value)) {
    return instance_->setText(start.port.reference, *text);
  }
  std::vector<double> values = std::get<std::vector<double>>(start.value);
  for (double& value : values) value = start.port.fromSi(value);
  instance_->setNumbers(start.port.type, {&start.port.reference, 1}, values);
} catch (const std::runtime_error& error) {
  throw std::runtime_error("'" + start.port.name + "': " + error.what());
}

void FmuCode::settleEvents() {
  for (int k = 0; k < kMostUpdates; ++k) {
    update_ = instance_->updateDiscreteStates();
    if (update_.isAgain) continue;
    instance_->enterContinuousTime();
    placed_.clear();
    return;
  }
  throw std::runtime_error("its event iteration does not end");
}

// (37.2), (37.3)
void FmuCode::output(const BoxCall& call) {
  if (!hasBegun_) {
    instance_->enterInitialization(call.time);
    inputs_.set(*instance_, call.inputs.data());
    instance_->exitInitialization();
    hasBegun_ = true;
  } else {
    checkEnd(call.time);
    inputs_.set(*instance_, call.inputs.data());
    double step = call.time - time_;
    if (std::abs(step - plan_.sample) < kSameTime * plan_.sample) step = plan_.sample;
    if (step > kSameTime * plan_.sample) instance_->doStep(time_, step);
    noteEnd(call.time);
  }
  time_ = call.time;
  outputs_.get(*instance_, call.outputs.data());
}

void FmuCode::place(const BoxCall& call) {
  const std::size_t size = call.inputs.size();
  const bool isThere = placed_.size() == size + 1 && placed_.back() == call.time &&
                       std::equal(call.inputs.begin(), call.inputs.end(), placed_.begin());
  if (isThere) return;
  placed_.clear();  // until all of it has worked
  checkEnd(call.time);
  instance_->setTime(call.time);
  const auto states = static_cast<std::size_t>(plan_.states);
  if (states > 0) instance_->setStates(call.inputs.first(states));
  inputs_.set(*instance_, call.inputs.data() + states);
  placed_.assign(call.inputs.begin(), call.inputs.end());
  placed_.push_back(call.time);
}

// One column after the other, in SI: ∂y/∂u of the FMU times the factor of y over that of u.
void FmuCode::calcJacobian(const BoxCall& call) {
  place(call);
  const int n = sizes_.states, m = sizes_.inputs;
  const auto out = placesOf(groupsOf(sizes_, call.function), call.outputs.data());
  // The column goes into f and h, which have `width` columns.
  const auto take = [&](double* f, double* h, int width, int column, double scale) {
    for (int r = 0; r < n; ++r) f[r * width + column] = scale * column_[r];
    int r = 0;
    for (const FmuPort& output : plan_.outputs) {
      for (int k = 0; k < output.count; ++k, ++r) {
        h[r * width + column] = scale * output.factor * column_[n + r];
      }
    }
  };
  int column = 0;
  for (std::size_t i = 0; i < plan_.stateReferences.size(); ++i) {
    for (int k = 0; k < plan_.stateCounts[i]; ++k, ++column) {
      calcColumn(plan_.stateReferences[i], plan_.stateCounts[i], k);
      take(out[0], out[2], n, column, 1.0);
    }
  }
  column = 0;
  for (const FmuPort& input : plan_.inputs) {
    for (int k = 0; k < input.count; ++k, ++column) {
      calcColumn(input.reference, input.count, k);
      take(out[1], out[3], m, column, 1.0 / input.factor);
    }
  }
}

// Along one number of a variable.
void FmuCode::calcColumn(std::uint32_t known, int count, int element) {
  seed_.assign(count, 0.0);
  seed_[element] = 1.0;
  instance_->getDirectionalDerivative(unknowns_, known, seed_, column_);
}

// Not all FMUs have a function to reset them that works.
void FmuCode::makeFresh() {
  try {
    instance_->reset();
  } catch (const std::runtime_error&) {
    instance_->destroy();
    instance_->instantiate();
  }
  setStarts();
}

// What an FMU calculates at its start may follow from its inputs: states, and events that it will not take back.
bool FmuCode::beginsAnew(const BoxCall& call) {
  const std::span<const double> inputs =
      call.inputs.subspan(static_cast<std::size_t>(plan_.states));
  const bool isSame = hasBegun_ || std::equal(inputs.begin(), inputs.end(),
                                              plan_.startInputs.begin(), plan_.startInputs.end());
  hasBegun_ = true;
  if (isSame) return false;
  placed_.clear();
  end_ = std::numeric_limits<double>::infinity();
  makeFresh();
  instance_->enterInitialization(call.time);
  inputs_.set(*instance_, inputs.data());
  instance_->exitInitialization();
  return true;
}

// (37.6)
void FmuCode::makeEvent(const BoxCall& call) {
  if (!beginsAnew(call)) {
    place(call);
    instance_->enterEventMode();
    inputs_.set(*instance_, call.inputs.data() + plan_.states);
  }
  settleEvents();
  noteEnd(call.time);
  const auto out = placesOf(groupsOf(sizes_, call.function), call.outputs.data());
  instance_->getStates({out[0], static_cast<std::size_t>(plan_.states)});
  out[1][0] = update_.nextTime ? 1.0 : 0.0;
  out[1][1] = update_.nextTime.value_or(0.0);
}

std::uint64_t FmuCode::save(std::span<unsigned char> room) {
  MemoryHead head{time_, end_, hasBegun_ ? 1U : 0U, 0, 0};
  bytes_.clear();
  if (hasBegun_ || plan_.kind == FmuKind::kModelExchange) {
    void* const state = instance_->getState();
    if (plan_.canSerialize) {
      instance_->serialize(state, bytes_);
      instance_->freeState(state);
    } else {
      head.origin = origin_;
      head.state = keepState(state);
    }
  }
  const std::size_t size = sizeof head + bytes_.size();
  if (size <= room.size()) {
    std::memcpy(room.data(), &head, sizeof head);
    std::copy(bytes_.begin(), bytes_.end(), room.begin() + sizeof head);
  }
  return size;
}

std::uint64_t FmuCode::keepState(void* state) {
  if (kept_.size() >= kMostKept) dropOldest();
  kept_[nextState_] = {state, ++uses_};
  return nextState_++;
}

void FmuCode::dropOldest() {
  const auto oldest = std::min_element(
      kept_.begin(), kept_.end(),
      [](const auto& a, const auto& b) { return a.second.lastUse < b.second.lastUse; });
  instance_->freeState(oldest->second.state);
  kept_.erase(oldest);
}

void FmuCode::restore(std::span<const unsigned char> memory) {
  MemoryHead head{};
  if (memory.size() < sizeof head) throw std::runtime_error("it is not a state of this FMU");
  std::memcpy(&head, memory.data(), sizeof head);
  placed_.clear();
  time_ = head.time;
  end_ = head.end;
  hasBegun_ = head.hasBegun != 0;
  if (!hasBegun_ && plan_.kind == FmuKind::kCoSimulation) {
    instance_->reset();
    return setStarts();
  }
  if (head.state == 0) {
    void* const state = instance_->deserialize(memory.subspan(sizeof head));
    instance_->setState(state);
    return instance_->freeState(state);
  }
  const auto kept = head.origin == origin_ ? kept_.find(head.state) : kept_.end();
  if (kept == kept_.end()) {
    throw std::runtime_error(
        "the state is gone\nthe FMU cannot write its state as bytes (canSerializeFMUState), so "
        "runs cannot be continued from files");
  }
  kept->second.lastUse = ++uses_;
  instance_->setState(kept->second.state);
}

}  // namespace flexloop::control
