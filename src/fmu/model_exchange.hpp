// An instance for model exchange: the model as ordinary differential equations, whose solver is that of the host
// (docs/theory/37_foreign_models.md, section 37.6).
#pragma once

#include "analysis/ode/state_equations.hpp"
#include "fmu/machine.hpp"

namespace flexloop::fmu {

struct EventReport {
  bool haveStatesChanged = false;    // their values
  bool haveNominalsChanged = false;  // other coordinates of the machine may be their states
  std::optional<double> nextTime{};  // [s] of the next event that follows from time alone
};

// The names of the states of a model, as an FMU has them: coordinates, as many velocities, and states of blocks.
struct ExchangeStates {
  std::vector<std::string> names;
  std::size_t coordinates = 0;
};
// Throws base::InputError where the model has no such equations.
ExchangeStates listExchangeStates(const model::Model& model);
std::size_t countIndicators(const model::Model& model);
// [1/s], the size of the largest eigenvalue of these equations at the start, to a digit or two; zero where nothing moves.
double findFastestRate(const model::Model& model);

class ModelExchange final : public Machine {
 public:
  using Machine::Machine;

  void setStart(double time) override;
  void setInput(std::size_t k, double value) override;
  void setParameter(std::size_t k, double value) override;
  [[nodiscard]] std::optional<base::Failure> initialize(bool isFinal) override;
  void reset() override;

  void setTime(double time);
  void setStates(std::span<const double> states);
  base::Result<std::vector<double>> states();
  base::Result<std::vector<double>> nominals();
  base::Result<std::vector<double>> stateDerivatives();
  // Of branches: an event is where one of them becomes negative.
  base::Result<std::vector<double>> indicators();
  // By states (0 … n−1) and inputs (n …), of derivatives (0 … n−1) and outputs (n …), in the direction of the seed.
  base::Result<std::vector<double>> directionalDerivative(std::span<const std::size_t> unknowns,
                                                          std::span<const std::size_t> knowns,
                                                          const double* seed);
  // What happens at this instant.
  base::Result<EventReport> handleEvent();
  // A step of the host has been accepted; whether an event is due at its end.
  base::Result<bool> completeStep();

  std::string save() const override;
  [[nodiscard]] std::optional<base::Failure> restore(const std::string& bytes) override;

 protected:
  [[nodiscard]] base::Result<const system::State*> solved() override;

 private:
  [[nodiscard]] std::optional<base::Failure> evaluate();
  [[nodiscard]] std::optional<base::Failure> takeParameters();
  double findNextTime(double after) const;
  void forgetEquations();

  std::unique_ptr<analysis::StateEquations>
      equations_;  // null before the start, and where that has changed
  Eigen::VectorXd z_;
  double nextTime_ = 0.0;  // [s] of the next break of a source
  bool isRunning_ = false, isDirty_ = false, hasNewParameters_ = false;
  std::vector<std::string> notes_;
};

}  // namespace flexloop::fmu
