// The functions of an FMU in one form for both versions of the standard, without protection. What the FMU reports
// as wrong is thrown as std::runtime_error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "control/boxes/fmu/fmu_plan.hpp"

namespace flexloop::control {

class FmuInstance {
 public:
  using References = std::span<const std::uint32_t>;

  virtual ~FmuInstance() = default;

  // Whether the FMU has asked to end the simulation, in a call since the last question.
  bool takeEnd() { return std::exchange(isOver_, false); }

  // Finds the functions in a loaded library; the name of the first that is needed and missing.
  virtual std::string find(void* library) = 0;
  virtual void instantiate() = 0;
  // Between these, structural parameters may be set; of FMI 3.0.
  virtual void enterConfiguration() = 0;
  virtual void exitConfiguration() = 0;
  virtual void enterInitialization(double t) = 0;
  virtual void exitInitialization() = 0;
  virtual void reset() = 0;
  virtual void destroy() = 0;

  // An array has one reference and as many values as numbers.
  virtual void setNumbers(FmuType type, References references, std::span<const double> values) = 0;
  virtual void getNumbers(FmuType type, References references, std::span<double> values) = 0;
  virtual void setText(std::uint32_t reference, const std::string& text) = 0;

  // Co-simulation.
  virtual void doStep(double t, double step) = 0;

  // Model exchange.
  virtual void setTime(double t) = 0;
  virtual void setStates(std::span<const double> x) = 0;
  virtual void getStates(std::span<double> x) = 0;
  virtual void getDerivatives(std::span<double> dx) = 0;
  virtual void getIndicators(std::span<double> z) = 0;
  // Along a change of one variable, with as many numbers in `seed` as it has.
  virtual void getDirectionalDerivative(References unknowns, std::uint32_t known,
                                        std::span<const double> seed, std::span<double> result) = 0;
  virtual void enterEventMode() = 0;
  struct Update {
    bool isAgain = false;  // it must be called once more
    std::optional<double> nextTime{};
  };
  virtual Update updateDiscreteStates() = 0;
  virtual void enterContinuousTime() = 0;
  virtual bool completeStep() = 0;  // whether it wants an event

  // Its whole memory, as the FMU keeps it.
  virtual void* getState() = 0;
  virtual void setState(void* state) = 0;
  virtual void freeState(void* state) = 0;
  virtual void serialize(void* state, std::vector<unsigned char>& bytes) = 0;
  virtual void* deserialize(std::span<const unsigned char> bytes) = 0;

 protected:
  bool isOver_ = false;
};

std::unique_ptr<FmuInstance> makeFmi2Instance(const FmuPlan& plan);
std::unique_ptr<FmuInstance> makeFmi3Instance(const FmuPlan& plan);

}  // namespace flexloop::control
