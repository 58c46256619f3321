#include "control/boxes/box_runner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "control/boxes/box_memory.hpp"

namespace flexloop::control {
namespace {

constexpr std::size_t kUsualMemory = 1024;  // bytes for which there is room from the start

void fillWithNaN(std::span<double> results) {
  std::fill(results.begin(), results.end(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

BoxRunner::BoxRunner(std::shared_ptr<Box> box)
    : box_(std::move(box)),
      settings_(box_->settings()),
      canRestore_(box_->canRestore()),
      hasJacobian_(box_->hasJacobian()) {
  held_.reserve(kUsualMemory);
  bytes_.reserve(kUsualMemory);
}

bool BoxRunner::accept(BoxFault fault) {
  if (!fault) return true;
  fault_ = std::move(fault);
  return false;
}

bool BoxRunner::acceptTrial(BoxFault fault, BoxFault& outside) {
  const bool isOutside = fault.kind == BoxFault::Kind::kNotFinite;
  outside = isOutside ? std::move(fault) : BoxFault{};
  return !isOutside && accept(std::move(fault));
}

bool BoxRunner::fails(std::span<const BoxTrial> trials) {
  for (const BoxTrial& trial : trials) fillWithNaN(trial.results);
  return false;
}

bool BoxRunner::holds(Memory memory) const {
  return std::equal(held_.begin(), held_.end(), memory.begin(), memory.end());
}

void BoxRunner::addOutput(const BoxTrial& trial, Memory memory) {
  if (canRestore_ && !holds(memory)) box_->addRestore();
  box_->add(BoxFunction::kOutput, trial.t, nullptr, trial.u.data());
  held_.clear();
  calls_ += 1.0;
}

bool BoxRunner::readOutput(const BoxTrial& trial, bool isTrial) {
  if (fault_) return fails({&trial, 1});
  // With a memory that can be restored, the call can be made again.
  BoxFault fault = box_->readNext({trial.results.data()});
  const bool ok =
      canRestore_ || isTrial ? acceptTrial(std::move(fault), outside_) : accept(std::move(fault));
  return ok || fails({&trial, 1});
}

bool BoxRunner::outputs(std::span<const BoxTrial> trials, Memory memory, bool areTrials) {
  if (fault_) return fails(trials);
  box_->begin();
  if (canRestore_ && (trials.size() > 1 || !holds(memory))) giveMemory(memory);
  for (const BoxTrial& trial : trials) addOutput(trial, memory);
  if (!accept(box_->run())) return fails(trials);
  bool ok = true;
  for (const BoxTrial& trial : trials) ok = readOutput(trial, areTrials) && ok;
  return ok;
}

bool BoxRunner::outputAndSave(const BoxTrial& trial, Memory memory, std::vector<double>& after) {
  if (fault_) return fails({&trial, 1});
  box_->begin();
  if (!holds(memory)) giveMemory(memory);
  addOutput(trial, memory);
  box_->addSave();
  if (!accept(box_->run())) return fails({&trial, 1});
  if (!readOutput(trial, false) || !accept(box_->readSaved(bytes_))) return false;
  packBytes(bytes_, after);
  held_ = after;
  return true;
}

bool BoxRunner::evaluate(std::span<const BoxTrial> trials, Memory memory) {
  if (fault_ || !recall(memory)) return fails(trials);
  box_->begin();
  for (const BoxTrial& trial : trials) {
    if (settings_.states > 0) {
      box_->add(BoxFunction::kDerivative, trial.t, trial.x.data(), trial.u.data());
    }
    box_->add(BoxFunction::kNonlinearOutput, trial.t, trial.x.data(), trial.u.data());
  }
  if (!accept(box_->run())) return fails(trials);
  bool ok = true;
  for (const BoxTrial& trial : trials) {
    const std::span<double> dx = trial.results.first(settings_.states);
    const std::span<double> y = trial.results.subspan(settings_.states);
    if (!dx.empty() && !acceptTrial(box_->readNext({dx.data()}), outsideRates_)) {
      fillWithNaN(dx);
      ok = false;
    }
    if (!acceptTrial(box_->readNext({y.data()}), outside_)) {
      fillWithNaN(y);
      ok = false;
    }
    if (fault_) return fails(trials);
  }
  return ok;
}

bool BoxRunner::jacobian(double t, std::span<const double> x, std::span<const double> u,
                         const Box::Jacobian& jacobian, Memory memory) {
  if (!fault_ && !recall(memory)) return false;
  return accept(fault_ ? fault_ : box_->jacobian(t, x.data(), u.data(), jacobian));
}

bool BoxRunner::recall(Memory memory) {
  if (!canRestore_ || holds(memory)) return true;
  giveMemory(memory);
  if (!accept(box_->restore(bytes_))) return false;
  held_.assign(memory.begin(), memory.end());
  return true;
}

bool BoxRunner::ask(BoxFunction function, const BoxTrial& trial, Memory memory) {
  if (fault_ || !recall(memory)) return fails({&trial, 1});
  box_->begin();
  box_->add(function, trial.t, trial.x.data(), trial.u.data());
  if (!accept(box_->run())) return fails({&trial, 1});
  return acceptTrial(box_->readNext({trial.results.data()}), outside_) || fails({&trial, 1});
}

bool BoxRunner::advance(BoxFunction function, const BoxTrial& trial, std::span<double> further,
                        Memory memory, std::vector<double>* after) {
  if (fault_ || !recall(memory)) return fails({&trial, 1});
  box_->begin();
  box_->add(function, trial.t, trial.x.data(), trial.u.data());
  if (canRestore_) box_->addSave();
  held_.clear();
  if (function == BoxFunction::kEvent) calls_ += 1.0;
  if (!accept(box_->run())) return fails({&trial, 1});
  if (!accept(box_->readNext({trial.results.data(), further.data()}))) return fails({&trial, 1});
  if (!canRestore_) return true;
  if (!accept(box_->readSaved(bytes_))) return false;
  packBytes(bytes_, *after);
  held_ = *after;
  return true;
}

void BoxRunner::giveMemory(Memory memory) {
  unpackBytes(memory, bytes_);
  box_->give(bytes_);
}

bool BoxRunner::save(std::vector<double>& memory) {
  if (fault_ || !accept(box_->save(bytes_))) return false;
  packBytes(bytes_, memory);
  held_ = memory;
  return true;
}

bool BoxRunner::reopen() {
  if (fault_) return false;
  // First, because a library without block_create serves one box at a time.
  box_.reset();
  auto opened = Box::open(settings_);
  if (!opened) {
    fault_ = {BoxFault::Kind::kUnreachable, opened.failure().message, opened.failure().hint};
    return false;
  }
  box_ = opened.value();
  held_.clear();
  calls_ = 0.0;
  return true;
}

bool BoxRunner::fail(const std::string& what, std::string hint) {
  return accept(makeFault(settings_, BoxFault::Kind::kBadMemory, what, std::move(hint)));
}

std::optional<base::Failure> BoxRunner::fault() const {
  const BoxFault& last = firstFault();
  if (!last) return std::nullopt;
  return base::numericalFailure(last.message, last.hint);
}

}  // namespace flexloop::control
