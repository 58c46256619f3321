// A simulation in time that goes from one given time to the next, with inputs that are held in between: co-simulation. Steps
// are those of the model's own settings; they are cut at the given times as at the instants of clocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/time/run_point.hpp"
#include "base/result.hpp"
#include "model/model.hpp"

namespace flexloop::analysis {

class SteppedRun {
 public:
  // From the start of the model, with these inputs (control::ExternalInputs), by element; the model must outlive it.
  // The start may be at another time than zero, where sources are what they are then.
  SteppedRun(const model::Model& model, const model::TimeSettings& settings,
             const std::vector<double>& inputs, double begin = 0.0);
  // From where another run of the model, or of one with other numbers, has been. Throws base::InputError where it does not fit.
  // Its steps begin where those of the other did.
  SteppedRun(const model::Model& model, const model::TimeSettings& settings, const RunPoint& from,
             double begin = 0.0);
  ~SteppedRun();
  SteppedRun(const SteppedRun&) = delete;
  SteppedRun& operator=(const SteppedRun&) = delete;

  // First of all: a consistent start.
  [[nodiscard]] std::optional<base::Failure> begin();
  // The time may lie anywhere ahead. After a failure the state is the last that was reached, and no step can follow.
  [[nodiscard]] std::optional<base::Failure> stepTo(double time);
  // After a begin from where a run of a model with other numbers has been: forces and signals jump to those of this one.
  [[nodiscard]] std::optional<base::Failure> takeModel();
  // Signals jump to what they are with other inputs.
  [[nodiscard]] std::optional<base::Failure> setInputs(const std::vector<double>& inputs);

  const system::State& state() const;
  RunPoint point() const;
  // What has been noticed since the last call.
  std::vector<std::string> takeNotes();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace flexloop::analysis
