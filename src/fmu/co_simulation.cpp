#include "fmu/co_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "analysis/time/late_start.hpp"
#include "fmu/number_bytes.hpp"

namespace flexloop::fmu {
namespace {

// Everything that changes in an instance.
struct Snapshot {
  bool isRunning = false, hasRun = false, hasNewInputs = false, hasNewParameters = false;
  double start = 0.0;
  std::vector<double> inputs, parameters;
  analysis::RunPoint point;  // where there is a run

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("is_running", self.isRunning);
    visit("has_run", self.hasRun);
    visit("has_new_inputs", self.hasNewInputs);
    visit("has_new_parameters", self.hasNewParameters);
    visit("start", self.start);
    visit("inputs", self.inputs);
    visit("parameters", self.parameters);
    visit("point", self.point);
  }
};

}  // namespace

void CoSimulation::forgetRun() {
  run_.reset();  // before the model that it uses
}

void CoSimulation::reset() {
  forgetRun();
  isRunning_ = hasNewInputs_ = hasNewParameters_ = false;
  notes_.clear();
  Machine::reset();
}

void CoSimulation::setStart(double time) {
  forgetRun();
  Machine::setStart(time);
}

// Before the end of the start, a change asks for another one.
void CoSimulation::setInput(std::size_t k, double value) {
  if (inputs_[k] == value) return;
  inputs_[k] = value;
  if (isRunning_) {
    hasNewInputs_ = true;
  } else {
    forgetRun();
  }
}

void CoSimulation::setParameter(std::size_t k, double value) {
  if (parameters_[k] == value) return;
  parameters_[k] = value;
  if (isRunning_) {
    hasNewParameters_ = true;
  } else {
    forgetRun();
    forgetModel();
  }
}

std::optional<base::Failure> CoSimulation::initialize(bool isFinal) {
  if (run_ == nullptr) {
    if (!hasModel()) {
      if (auto failure = load()) return failure;
    }
    for (const base::Diagnostic& warning : model().warnings().warnings()) {
      notes_.push_back(warning.message);
    }
    if (auto failure = analysis::describeNoLateStart(model(), start_)) return failure;
    run_ = std::make_unique<analysis::SteppedRun>(model(), *model().time(), inputs_, start_);
    if (auto failure = run_->begin()) {
      forgetRun();
      return failure;
    }
  }
  time_ = run_->state().time;
  isRunning_ = isRunning_ || isFinal;
  return std::nullopt;
}

// With the model of the parameters as they are.
std::optional<base::Failure> CoSimulation::continueFrom(const analysis::RunPoint& point) {
  forgetRun();
  forgetModel();
  if (auto failure = load()) return failure;
  try {
    run_ = std::make_unique<analysis::SteppedRun>(model(), *model().time(), point, start_);
    if (auto failure = run_->begin()) return failure;
  } catch (const std::exception& error) {
    forgetRun();
    return describeException(error);
  }
  time_ = run_->state().time;
  return std::nullopt;
}

std::optional<base::Failure> CoSimulation::takeChanges() {
  if (hasNewParameters_) {
    if (auto failure = continueFrom(run_->point())) return failure;
    if (auto failure = run_->takeModel()) return failure;
  }
  if (hasNewParameters_ || hasNewInputs_) {
    if (auto failure = run_->setInputs(inputs_)) return failure;
  }
  hasNewParameters_ = hasNewInputs_ = false;
  return std::nullopt;
}

std::optional<base::Failure> CoSimulation::stepTo(double time) {
  if (run_ == nullptr) return base::Failure{"the instance has no start"};
  std::optional<base::Failure> failure = takeChanges();
  if (!failure) failure = run_->stepTo(time);
  if (run_ != nullptr) time_ = run_->state().time;
  return failure;
}

base::Result<const system::State*> CoSimulation::solved() {
  if (auto failure = initialize(false)) return *failure;
  return &run_->state();
}

std::vector<std::string> CoSimulation::takeNotes() {
  std::vector<std::string> notes = std::move(notes_);
  notes_.clear();
  if (run_ != nullptr) {
    for (std::string& note : run_->takeNotes()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string CoSimulation::save() const {
  Snapshot snapshot;
  snapshot.isRunning = isRunning_;
  snapshot.hasNewInputs = hasNewInputs_;
  snapshot.hasNewParameters = hasNewParameters_;
  snapshot.start = start_;
  snapshot.inputs = inputs_;
  snapshot.parameters = parameters_;
  snapshot.hasRun = run_ != nullptr && isRunning_;
  if (snapshot.hasRun) snapshot.point = run_->point();
  return writeNumbers(taken().token, snapshot);
}

std::optional<base::Failure> CoSimulation::restore(const std::string& bytes) {
  const base::Result<Snapshot> read = readNumbers<Snapshot>(taken().token, bytes);
  if (!read) return read.failure();
  const Snapshot& snapshot = read.value();
  const auto areNumbers = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  if (snapshot.inputs.size() != inputs_.size() ||
      snapshot.parameters.size() != parameters_.size() || !areNumbers(snapshot.inputs) ||
      !areNumbers(snapshot.parameters) || !std::isfinite(snapshot.start)) {
    return describeStrangeState();
  }
  const bool isSameModel = hasModel() && snapshot.parameters == parameters_ && !hasNewParameters_ &&
                           !snapshot.hasNewParameters;
  forgetRun();
  if (!isSameModel) forgetModel();
  isRunning_ = snapshot.isRunning;
  inputs_ = snapshot.inputs;
  parameters_ = snapshot.parameters;
  hasNewInputs_ = snapshot.hasNewInputs;
  hasNewParameters_ = snapshot.hasNewParameters;
  setStart(snapshot.start);
  if (!snapshot.hasRun) return std::nullopt;
  if (!hasModel()) {
    if (auto failure = load()) return failure;
  }
  try {
    run_ = std::make_unique<analysis::SteppedRun>(model(), *model().time(), snapshot.point, start_);
    if (auto failure = run_->begin()) return failure;
  } catch (const std::exception& error) {
    forgetRun();
    return describeException(error);
  }
  time_ = run_->state().time;
  return std::nullopt;
}

}  // namespace flexloop::fmu
