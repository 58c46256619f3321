#include "control/boxes/fmu/fmi_instance.hpp"

namespace flexloop::control {

std::string FmiInstance::find(void* library) {
  FmuSymbols symbols(library, prefix());
  findOwn(symbols);
  symbols.find(free_, "FreeInstance");
  symbols.find(exitInitialization_, "ExitInitializationMode");
  symbols.find(reset_, "Reset");
  symbols.find(terminate_, "Terminate");
  symbols.find(enterEventMode_, "EnterEventMode", isExchange());
  symbols.find(enterContinuousTime_, "EnterContinuousTimeMode", isExchange());
  symbols.find(setTime_, "SetTime", isExchange());
  symbols.find(setStates_, "SetContinuousStates", isExchange());
  symbols.find(getStates_, "GetContinuousStates", isExchange());
  symbols.find(getDerivatives_,
               plan_.version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives",
               isExchange());
  symbols.find(getIndicators_, "GetEventIndicators", isExchange());
  findState(symbols);
  return symbols.missing();
}

void FmiInstance::findState(FmuSymbols& symbols) {
  const bool isTwo = plan_.version == 2, canRestore = plan_.canRestore,
             canSerialize = plan_.canSerialize;
  symbols.find(getState_, isTwo ? "GetFMUstate" : "GetFMUState", canRestore);
  symbols.find(setState_, isTwo ? "SetFMUstate" : "SetFMUState", canRestore);
  symbols.find(freeState_, isTwo ? "FreeFMUstate" : "FreeFMUState", canRestore);
  symbols.find(stateSize_, isTwo ? "SerializedFMUstateSize" : "SerializedFMUStateSize",
               canSerialize);
  symbols.find(serialize_, isTwo ? "SerializeFMUstate" : "SerializeFMUState", canSerialize);
  symbols.find(deserialize_, isTwo ? "DeSerializeFMUstate" : "DeserializeFMUState", canSerialize);
}

void FmiInstance::exitInitialization() {
  check("ExitInitializationMode", exitInitialization_(instance_));
}
void FmiInstance::reset() {
  check("Reset", reset_(instance_));
}
void FmiInstance::destroy() {
  if (instance_ == nullptr) return;
  terminate_(instance_);
  free_(instance_);
  instance_ = nullptr;
}

void FmiInstance::setTime(double t) {
  check("SetTime", setTime_(instance_, t));
}
void FmiInstance::setStates(std::span<const double> x) {
  check("SetContinuousStates", setStates_(instance_, x.data(), x.size()));
}
void FmiInstance::getStates(std::span<double> x) {
  check("GetContinuousStates", getStates_(instance_, x.data(), x.size()));
}
void FmiInstance::getDerivatives(std::span<double> dx) {
  check(plan_.version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives",
        getDerivatives_(instance_, dx.data(), dx.size()));
}
void FmiInstance::getIndicators(std::span<double> z) {
  check("GetEventIndicators", getIndicators_(instance_, z.data(), z.size()));
}
void FmiInstance::enterEventMode() {
  check("EnterEventMode", enterEventMode_(instance_));
}
void FmiInstance::enterContinuousTime() {
  check("EnterContinuousTimeMode", enterContinuousTime_(instance_));
}

void* FmiInstance::getState() {
  void* state = nullptr;
  check("GetFMUState", getState_(instance_, &state));
  return state;
}
void FmiInstance::setState(void* state) {
  check("SetFMUState", setState_(instance_, state));
}
void FmiInstance::freeState(void* state) {
  check("FreeFMUState", freeState_(instance_, &state));
}
void FmiInstance::serialize(void* state, std::vector<unsigned char>& bytes) {
  std::size_t size = 0;
  check("SerializedFMUStateSize", stateSize_(instance_, state, &size));
  bytes.resize(size);
  check("SerializeFMUState", serialize_(instance_, state, bytes.data(), size));
}
void* FmiInstance::deserialize(std::span<const unsigned char> bytes) {
  void* state = nullptr;
  check("DeserializeFMUState", deserialize_(instance_, bytes.data(), bytes.size(), &state));
  return state;
}

}  // namespace flexloop::control
