// One instance of a model that has become an FMU: its numbers, its start, and the slopes of its outputs. What the two kinds of FMU
// do besides is in co_simulation.hpp and model_exchange.hpp. Everything that fails is a Failure; wrong parameters, which make another
// model, are one too.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fmu/taken_model.hpp"
#include "model/model.hpp"

namespace flexloop::fmu {

class Machine {
 public:
  // The taken model is shared by all instances, and const.
  explicit Machine(std::shared_ptr<const TakenModel> taken);
  virtual ~Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const TakenModel& taken() const { return *taken_; }
  double time() const { return time_; }
  // Before the start.
  virtual void setStart(double time) { start_ = time_ = time; }

  double input(std::size_t k) const { return inputs_[k]; }
  virtual void setInput(std::size_t k, double value) = 0;
  // Calculated ones are found when they are asked for.
  base::Result<double> parameter(std::size_t k);
  // Before the start any but calculated ones, afterwards those that are tunable.
  virtual void setParameter(std::size_t k, double value) = 0;

  // The start, with the inputs and parameters of now; again where these have changed. No more of them change after `isFinal`.
  [[nodiscard]] virtual std::optional<base::Failure> initialize(bool isFinal) = 0;
  // As instantiated.
  virtual void reset();

  // Of the instant, with the inputs that act.
  base::Result<double> output(std::size_t k);
  // By inputs at the same instant: rows are outputs, columns inputs.
  base::Result<std::vector<double>> derivatives(std::span<const std::size_t> outputs,
                                                std::span<const std::size_t> inputs);

  // Everything that changes, as bytes, and back.
  virtual std::string save() const = 0;
  [[nodiscard]] virtual std::optional<base::Failure> restore(const std::string& bytes) = 0;

  // What has been noticed since the last call.
  virtual std::vector<std::string> takeNotes() { return {}; }

 protected:
  // Makes the model with the parameters as they are.
  [[nodiscard]] std::optional<base::Failure> load();
  const model::Model& model() const { return *model_; }
  bool hasModel() const { return model_ != nullptr; }
  void forgetModel() { model_.reset(); }
  system::UnknownIndex inputSignal(std::size_t k) const { return inputSignals_[k]; }
  system::UnknownIndex outputSignal(std::size_t k) const { return outputSignals_[k]; }
  // Whose signals are the outputs; solved first where that is not done yet.
  [[nodiscard]] virtual base::Result<const system::State*> solved() = 0;

  double start_ = 0.0, time_ = 0.0;  // [s]
  std::vector<double> inputs_, parameters_;

 private:
  std::shared_ptr<const TakenModel> taken_;
  std::unique_ptr<const model::Model> model_;
  std::vector<system::UnknownIndex> inputSignals_, outputSignals_;
};

// Exceptions as failures.
base::Failure describeException(const std::exception& exception);

}  // namespace flexloop::fmu
