// What instances of FMI 2.0 and 3.0 do alike: functions that differ in their names only.
#pragma once

#include <string>
#include <vector>

#include "control/boxes/fmu/fmi_functions.hpp"
#include "control/boxes/fmu/fmu_calls.hpp"
#include "control/boxes/fmu/fmu_instance.hpp"

namespace flexloop::control {

class FmiInstance : public FmuInstance {
 public:
  explicit FmiInstance(const FmuPlan& plan) : plan_(plan) {}

  std::string find(void* library) final;
  void exitInitialization() final;
  void reset() final;
  void destroy() final;

  void setTime(double t) final;
  void setStates(std::span<const double> x) final;
  void getStates(std::span<double> x) final;
  void getDerivatives(std::span<double> dx) final;
  void getIndicators(std::span<double> z) final;
  void enterEventMode() final;
  void enterContinuousTime() final;

  void* getState() final;
  void setState(void* state) final;
  void freeState(void* state) final;
  void serialize(void* state, std::vector<unsigned char>& bytes) final;
  void* deserialize(std::span<const unsigned char> bytes) final;

 protected:
  // The functions of one version, and how those of both are called there.
  virtual void findOwn(FmuSymbols& symbols) = 0;

  bool isExchange() const { return plan_.kind == FmuKind::kModelExchange; }
  // The function by its name without `fmi2` or `fmi3`.
  void check(const char* function, fmi::Status status) { log_.check(prefix(), function, status); }

  const FmuPlan& plan_;
  FmuLog log_;
  fmi::Instance instance_ = nullptr;

 private:
  const char* prefix() const { return plan_.version == 2 ? "fmi2" : "fmi3"; }
  void findState(FmuSymbols& symbols);

  fmi::FreeInstance* free_ = nullptr;
  fmi::Plain *exitInitialization_ = nullptr, *reset_ = nullptr, *terminate_ = nullptr,
             *enterEventMode_ = nullptr, *enterContinuousTime_ = nullptr;
  fmi::GetState *getState_ = nullptr, *freeState_ = nullptr;
  fmi::SetState* setState_ = nullptr;
  fmi::StateSize* stateSize_ = nullptr;
  fmi::SerializeState* serialize_ = nullptr;
  fmi::DeserializeState* deserialize_ = nullptr;
  fmi::SetTime* setTime_ = nullptr;
  fmi::SetNumbers* setStates_ = nullptr;
  fmi::GetNumbers *getStates_ = nullptr, *getDerivatives_ = nullptr, *getIndicators_ = nullptr;
};

}  // namespace flexloop::control
