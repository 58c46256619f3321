// The functions of FMI 2.0, as the standard names them. What they do is in instance.cpp.
#include <array>
#include <cstring>
#include <string>

#include "control/boxes/fmu/fmi2_functions.hpp"
#include "instance.hpp"

using namespace flexloop::fmi;
namespace fmi2 = flexloop::control::fmi2;
using fmi2::Boolean;
using fmi2::Component;
using fmi2::Reference;
using fmi2::String;

namespace {

using References = std::span<const unsigned>;

constexpr const char* kNoState = "no state is given";

Instance& of(Component component) {
  return *static_cast<Instance*>(component);
}

// Callbacks may be a copy of the host's on its stack, so what is needed of them is kept.
Log makeLog(const fmi2::Callbacks* callbacks, const char* instance) {
  if (callbacks == nullptr || callbacks->logger == nullptr) return {};
  return [logger = callbacks->logger, environment = callbacks->environment,
          name = std::string(instance)](Status status, const char* category,
                                        const std::string& message) {
    logger(environment, name.c_str(), status, category, "%s", message.c_str());
  };
}

// There are no variables of other types.
int refuseType(Component component, std::size_t count) {
  return count == 0 ? kOk : of(component).refuse("the FMU has variables of type Real only");
}

}  // namespace

extern "C" {

String fmi2GetTypesPlatform() {
  return "default";
}

String fmi2GetVersion() {
  return "2.0";
}

int fmi2SetDebugLogging(Component component, Boolean isOn, std::size_t, const String*) {
  of(component).setLogging(isOn != 0);
  return kOk;
}

Component fmi2Instantiate(String name, fmi2::Type type, String guid, String resources,
                          const fmi2::Callbacks* callbacks, Boolean, Boolean isLogging) {
  if (name == nullptr) name = "";
  InstanceOptions options{.name = name,
                          .token = guid != nullptr ? guid : "",
                          .resources = readLocation(resources != nullptr ? resources : ""),
                          .kind = type == fmi2::kModelExchange ? flexloop::fmu::Kind::kModelExchange
                                                               : flexloop::fmu::Kind::kCoSimulation,
                          .isLogging = isLogging != 0,
                          .log = makeLog(callbacks, name)};
  return Instance::make(std::move(options)).release();
}

void fmi2FreeInstance(Component component) {
  delete static_cast<Instance*>(component);
}

int fmi2SetupExperiment(Component component, Boolean, double, double start, Boolean, double) {
  return of(component).setStart(start);
}

int fmi2EnterInitializationMode(Component component) {
  return of(component).enterInitialization();
}

int fmi2ExitInitializationMode(Component component) {
  return of(component).exitInitialization();
}

int fmi2Terminate(Component component) {
  return of(component).terminate();
}

int fmi2Reset(Component component) {
  return of(component).reset();
}

int fmi2GetReal(Component component, const Reference* references, std::size_t count,
                double* values) {
  return of(component).getNumbers(References(references, count), values);
}

int fmi2SetReal(Component component, const Reference* references, std::size_t count,
                const double* values) {
  return of(component).setNumbers(References(references, count), values);
}

int fmi2GetInteger(Component component, const Reference*, std::size_t count, int*) {
  return refuseType(component, count);
}

int fmi2SetInteger(Component component, const Reference*, std::size_t count, const int*) {
  return refuseType(component, count);
}

int fmi2GetBoolean(Component component, const Reference*, std::size_t count, Boolean*) {
  return refuseType(component, count);
}

int fmi2SetBoolean(Component component, const Reference*, std::size_t count, const Boolean*) {
  return refuseType(component, count);
}

int fmi2GetString(Component component, const Reference*, std::size_t count, String*) {
  return refuseType(component, count);
}

int fmi2SetString(Component component, const Reference*, std::size_t count, const String*) {
  return refuseType(component, count);
}

int fmi2GetFMUstate(Component component, fmi2::State* state) {
  return of(component).save(reinterpret_cast<std::string*&>(*state));
}

int fmi2SetFMUstate(Component component, fmi2::State state) {
  if (state == nullptr) return of(component).refuse(kNoState);
  return of(component).restore(*static_cast<const std::string*>(state));
}

int fmi2FreeFMUstate(Component, fmi2::State* state) {
  if (state != nullptr) delete static_cast<std::string*>(std::exchange(*state, nullptr));
  return kOk;
}

int fmi2SerializedFMUstateSize(Component component, fmi2::State state, std::size_t* size) {
  if (state == nullptr) return of(component).refuse(kNoState);
  *size = static_cast<const std::string*>(state)->size();
  return kOk;
}

int fmi2SerializeFMUstate(Component component, fmi2::State state, char* bytes, std::size_t size) {
  if (state == nullptr) return of(component).refuse(kNoState);
  const auto& text = *static_cast<const std::string*>(state);
  if (size < text.size()) return of(component).refuse("there is not enough room for the state");
  std::memcpy(bytes, text.data(), text.size());
  return kOk;
}

int fmi2DeSerializeFMUstate(Component component, const char* bytes, std::size_t size,
                            fmi2::State* state) {
  return of(component).keep({bytes, size}, reinterpret_cast<std::string*&>(*state));
}

int fmi2GetDirectionalDerivative(Component component, const Reference* unknowns,
                                 std::size_t unknownCount, const Reference* knowns,
                                 std::size_t knownCount, const double* seed, double* result) {
  return of(component).getDirectionalDerivative(References(unknowns, unknownCount),
                                                References(knowns, knownCount), seed, result);
}

int fmi2DoStep(Component component, double from, double length, Boolean) {
  double lastTime = 0.0;
  return of(component).doStep(from, length, lastTime);
}

int fmi2CancelStep(Component component) {
  return of(component).refuse("steps end before fmi2DoStep returns: there is none to cancel");
}

int fmi2SetRealInputDerivatives(Component component, const Reference*, std::size_t, const int*,
                                const double*) {
  return of(component).refuse("inputs are held between communication points");
}

int fmi2GetRealOutputDerivatives(Component component, const Reference*, std::size_t, const int*,
                                 double*) {
  return of(component).refuse("the FMU gives no derivatives of outputs with respect to time");
}

// fmi2LastSuccessfulTime is the one status of a step that is over.
int fmi2GetRealStatus(Component component, int kind, double* value) {
  constexpr int kLastSuccessfulTime = 2;
  if (kind != kLastSuccessfulTime) return kDiscard;
  *value = of(component).time();
  return kOk;
}

int fmi2GetStatus(Component, int, int*) {
  return kDiscard;
}

int fmi2GetIntegerStatus(Component, int, int*) {
  return kDiscard;
}

int fmi2GetBooleanStatus(Component, int kind, Boolean* value) {
  constexpr int kTerminated = 3;
  if (kind != kTerminated) return kDiscard;
  *value = 0;
  return kOk;
}

int fmi2GetStringStatus(Component, int, String*) {
  return kDiscard;
}

int fmi2EnterEventMode(Component component) {
  return of(component).checkExchange();
}

int fmi2NewDiscreteStates(Component component, fmi2::EventInfo* info) {
  flexloop::fmu::EventReport report;
  const int status = of(component).handleEvent(report);
  *info = {.newDiscreteStatesNeeded = 0,
           .terminateSimulation = 0,
           .nominalsOfContinuousStatesChanged = report.haveNominalsChanged ? 1 : 0,
           .valuesOfContinuousStatesChanged = report.haveStatesChanged ? 1 : 0,
           .nextEventTimeDefined = report.nextTime ? 1 : 0,
           .nextEventTime = report.nextTime.value_or(0.0)};
  return status;
}

int fmi2EnterContinuousTimeMode(Component component) {
  return of(component).checkExchange();
}

int fmi2CompletedIntegratorStep(Component component, Boolean, Boolean* enterEventMode,
                                Boolean* terminate) {
  bool isDue = false;
  const int status = of(component).completeStep(isDue);
  *enterEventMode = isDue ? 1 : 0;
  *terminate = 0;
  return status;
}

int fmi2SetTime(Component component, double time) {
  return of(component).setTime(time);
}

int fmi2SetContinuousStates(Component component, const double* states, std::size_t count) {
  return of(component).setStates({states, count});
}

int fmi2GetContinuousStates(Component component, double* states, std::size_t count) {
  return of(component).getStates({states, count});
}

int fmi2GetNominalsOfContinuousStates(Component component, double* nominals, std::size_t count) {
  return of(component).getNominals({nominals, count});
}

int fmi2GetDerivatives(Component component, double* derivatives, std::size_t count) {
  return of(component).getDerivatives({derivatives, count});
}

int fmi2GetEventIndicators(Component component, double* indicators, std::size_t count) {
  return of(component).getIndicators({indicators, count});
}

}  // extern "C"
