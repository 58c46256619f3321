// An instance for co-simulation: the model with its own scheme and step (docs/theory/37_foreign_models.md, section 37.5).
#pragma once

#include "analysis/time/stepped_run.hpp"
#include "fmu/machine.hpp"

namespace flexloop::fmu {

class CoSimulation final : public Machine {
 public:
  using Machine::Machine;

  void setStart(double time) override;
  void setInput(std::size_t k, double value) override;
  void setParameter(std::size_t k, double value) override;
  [[nodiscard]] std::optional<base::Failure> initialize(bool isFinal) override;
  void reset() override;
  // To a later time. After a failure time() is how far it has come, and only an earlier state or a reset helps.
  [[nodiscard]] std::optional<base::Failure> stepTo(double time);
  std::string save() const override;
  [[nodiscard]] std::optional<base::Failure> restore(const std::string& bytes) override;
  std::vector<std::string> takeNotes() override;

 protected:
  [[nodiscard]] base::Result<const system::State*> solved() override;

 private:
  [[nodiscard]] std::optional<base::Failure> continueFrom(const analysis::RunPoint& point);
  [[nodiscard]] std::optional<base::Failure> takeChanges();
  void forgetRun();

  std::unique_ptr<analysis::SteppedRun> run_;  // null before the start, and where that has changed
  bool isRunning_ = false;                     // the start is over
  bool hasNewInputs_ = false, hasNewParameters_ = false;
  std::vector<std::string> notes_;
};

}  // namespace flexloop::fmu
