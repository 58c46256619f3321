// The functions of FMI 3.0, as the standard names them. What they do is in instance.cpp.
#include <cstdint>
#include <cstring>
#include <string>

#include "control/boxes/fmu/fmi3_functions.hpp"
#include "instance.hpp"

using namespace flexloop::fmi;
namespace fmi3 = flexloop::control::fmi3;
using fmi3::Reference;
using fmi3::String;
using Handle = fmi3::Instance;

namespace {

using References = std::span<const unsigned>;

constexpr const char* kNoState = "no state is given";

Instance& of(Handle handle) {
  return *static_cast<Instance*>(handle);
}

Log makeLog(void* environment, fmi3::Log* log) {
  if (log == nullptr) return {};
  return [log, environment](Status status, const char* category, const std::string& message) {
    log(environment, status, category, message.c_str());
  };
}

Handle instantiate(String name, String token, String resources, flexloop::fmu::Kind kind,
                   bool isLogging, const Log& log) {
  InstanceOptions options{.name = name != nullptr ? name : "",
                          .token = token != nullptr ? token : "",
                          .resources = readLocation(resources != nullptr ? resources : ""),
                          .kind = kind,
                          .isLogging = isLogging,
                          .log = log};
  return Instance::make(std::move(options)).release();
}

int refuseType(Handle handle, std::size_t count) {
  return count == 0 ? kOk : of(handle).refuse("the FMU has variables of type Float64 only");
}

int refuseKind(Handle handle) {
  return of(handle).refuse("this function belongs to another kind of FMU");
}

}  // namespace

extern "C" {

String fmi3GetVersion() {
  return "3.0";
}

int fmi3SetDebugLogging(Handle handle, bool isOn, std::size_t, const String*) {
  of(handle).setLogging(isOn);
  return kOk;
}

Handle fmi3InstantiateModelExchange(String name, String token, String resources, bool,
                                    bool isLogging, void* environment, fmi3::Log* log) {
  return instantiate(name, token, resources, flexloop::fmu::Kind::kModelExchange, isLogging,
                     makeLog(environment, log));
}

Handle fmi3InstantiateCoSimulation(String name, String token, String resources, bool,
                                   bool isLogging, bool eventModeUsed, bool, const Reference*,
                                   std::size_t intermediateCount, void* environment,
                                   fmi3::Log* write, void*) {
  const Log log = makeLog(environment, write);
  if (eventModeUsed || intermediateCount > 0) {
    if (log) {
      log(kError, "logStatusError",
          "this FMU has neither an event mode nor intermediate updates in co-simulation");
    }
    return nullptr;
  }
  return instantiate(name, token, resources, flexloop::fmu::Kind::kCoSimulation, isLogging, log);
}

Handle fmi3InstantiateScheduledExecution(String, String, String, bool, bool, void* environment,
                                         fmi3::Log* write, void*, void*, void*) {
  if (const Log log = makeLog(environment, write)) {
    log(kError, "logStatusError", "this FMU is not for scheduled execution");
  }
  return nullptr;
}

void fmi3FreeInstance(Handle handle) {
  delete static_cast<Instance*>(handle);
}

int fmi3EnterInitializationMode(Handle handle, bool, double, double start, bool, double) {
  const int status = of(handle).setStart(start);
  return status == kOk ? of(handle).enterInitialization() : status;
}

int fmi3ExitInitializationMode(Handle handle) {
  return of(handle).exitInitialization();
}

int fmi3Terminate(Handle handle) {
  return of(handle).terminate();
}

int fmi3Reset(Handle handle) {
  return of(handle).reset();
}

int fmi3GetFloat64(Handle handle, const Reference* references, std::size_t count, double* values,
                   std::size_t valueCount) {
  if (valueCount != count) return of(handle).refuse("there is one value for each variable");
  return of(handle).getNumbers(References(references, count), values);
}

int fmi3SetFloat64(Handle handle, const Reference* references, std::size_t count,
                   const double* values, std::size_t valueCount) {
  if (valueCount != count) return of(handle).refuse("there is one value for each variable");
  return of(handle).setNumbers(References(references, count), values);
}

#define REFUSE_TYPE(Name, Type)                                                               \
  int fmi3Get##Name(Handle handle, const Reference*, std::size_t count, Type*, std::size_t) { \
    return refuseType(handle, count);                                                         \
  }                                                                                           \
  int fmi3Set##Name(Handle handle, const Reference*, std::size_t count, const Type*,          \
                    std::size_t) {                                                            \
    return refuseType(handle, count);                                                         \
  }

REFUSE_TYPE(Float32, float)
REFUSE_TYPE(Int8, std::int8_t)
REFUSE_TYPE(UInt8, std::uint8_t)
REFUSE_TYPE(Int16, std::int16_t)
REFUSE_TYPE(UInt16, std::uint16_t)
REFUSE_TYPE(Int32, std::int32_t)
REFUSE_TYPE(UInt32, std::uint32_t)
REFUSE_TYPE(Int64, std::int64_t)
REFUSE_TYPE(UInt64, std::uint64_t)
REFUSE_TYPE(Boolean, bool)
REFUSE_TYPE(String, String)

int fmi3GetBinary(Handle handle, const Reference*, std::size_t count, std::size_t*,
                  const std::uint8_t**, std::size_t) {
  return refuseType(handle, count);
}

int fmi3SetBinary(Handle handle, const Reference*, std::size_t count, const std::size_t*,
                  const std::uint8_t* const*, std::size_t) {
  return refuseType(handle, count);
}

int fmi3GetClock(Handle handle, const Reference*, std::size_t count, bool*) {
  return refuseType(handle, count);
}

int fmi3SetClock(Handle handle, const Reference*, std::size_t count, const bool*) {
  return refuseType(handle, count);
}

int fmi3GetFMUState(Handle handle, fmi3::State* state) {
  return of(handle).save(reinterpret_cast<std::string*&>(*state));
}

int fmi3SetFMUState(Handle handle, fmi3::State state) {
  if (state == nullptr) return of(handle).refuse(kNoState);
  return of(handle).restore(*static_cast<const std::string*>(state));
}

int fmi3FreeFMUState(Handle, fmi3::State* state) {
  if (state != nullptr) delete static_cast<std::string*>(std::exchange(*state, nullptr));
  return kOk;
}

int fmi3SerializedFMUStateSize(Handle handle, fmi3::State state, std::size_t* size) {
  if (state == nullptr) return of(handle).refuse(kNoState);
  *size = static_cast<const std::string*>(state)->size();
  return kOk;
}

int fmi3SerializeFMUState(Handle handle, fmi3::State state, std::uint8_t* bytes, std::size_t size) {
  if (state == nullptr) return of(handle).refuse(kNoState);
  const auto& text = *static_cast<const std::string*>(state);
  if (size < text.size()) return of(handle).refuse("there is not enough room for the state");
  std::memcpy(bytes, text.data(), text.size());
  return kOk;
}

int fmi3DeserializeFMUState(Handle handle, const std::uint8_t* bytes, std::size_t size,
                            fmi3::State* state) {
  return of(handle).keep({reinterpret_cast<const char*>(bytes), size},
                         reinterpret_cast<std::string*&>(*state));
}

int fmi3GetDirectionalDerivative(Handle handle, const Reference* unknowns, std::size_t unknownCount,
                                 const Reference* knowns, std::size_t knownCount,
                                 const double* seed, std::size_t seedCount, double* result,
                                 std::size_t resultCount) {
  if (seedCount != knownCount || resultCount != unknownCount) {
    return of(handle).refuse("there is one value for each variable");
  }
  return of(handle).getDirectionalDerivative(References(unknowns, unknownCount),
                                             References(knowns, knownCount), seed, result);
}

int fmi3GetAdjointDerivative(Handle handle, const Reference*, std::size_t, const Reference*,
                             std::size_t, const double*, std::size_t, double*, std::size_t) {
  return of(handle).refuse("the FMU provides no adjoint derivatives");
}

int fmi3DoStep(Handle handle, double from, double length, bool, bool* eventNeeded, bool* terminate,
               bool* earlyReturn, double* lastTime) {
  double time = from;
  const int status = of(handle).doStep(from, length, time);
  if (eventNeeded != nullptr) *eventNeeded = false;
  if (terminate != nullptr) *terminate = false;
  if (earlyReturn != nullptr) *earlyReturn = false;
  if (lastTime != nullptr) *lastTime = time;
  return status;
}

int fmi3EnterStepMode(Handle handle) {
  return refuseKind(handle);
}

int fmi3GetOutputDerivatives(Handle handle, const Reference*, std::size_t, const std::int32_t*,
                             double*, std::size_t) {
  return of(handle).refuse("the FMU gives no derivatives of outputs with respect to time");
}

int fmi3EnterConfigurationMode(Handle handle) {
  return of(handle).refuse("the FMU has no structural parameters");
}

int fmi3ExitConfigurationMode(Handle handle) {
  return of(handle).refuse("the FMU has no structural parameters");
}

int fmi3GetNumberOfVariableDependencies(Handle handle, Reference, std::size_t*) {
  return of(handle).refuse("dependencies do not change; they are in modelDescription.xml");
}

int fmi3GetVariableDependencies(Handle handle, Reference, std::size_t*, Reference*, std::size_t*,
                                int*, std::size_t) {
  return of(handle).refuse("dependencies do not change; they are in modelDescription.xml");
}

int fmi3GetIntervalDecimal(Handle handle, const Reference*, std::size_t count, double*, int*) {
  return refuseType(handle, count);
}

int fmi3GetIntervalFraction(Handle handle, const Reference*, std::size_t count, std::uint64_t*,
                            std::uint64_t*, int*) {
  return refuseType(handle, count);
}

int fmi3GetShiftDecimal(Handle handle, const Reference*, std::size_t count, double*) {
  return refuseType(handle, count);
}

int fmi3GetShiftFraction(Handle handle, const Reference*, std::size_t count, std::uint64_t*,
                         std::uint64_t*) {
  return refuseType(handle, count);
}

int fmi3SetIntervalDecimal(Handle handle, const Reference*, std::size_t count, const double*) {
  return refuseType(handle, count);
}

int fmi3SetIntervalFraction(Handle handle, const Reference*, std::size_t count,
                            const std::uint64_t*, const std::uint64_t*) {
  return refuseType(handle, count);
}

int fmi3SetShiftDecimal(Handle handle, const Reference*, std::size_t count, const double*) {
  return refuseType(handle, count);
}

int fmi3SetShiftFraction(Handle handle, const Reference*, std::size_t count, const std::uint64_t*,
                         const std::uint64_t*) {
  return refuseType(handle, count);
}

int fmi3ActivateModelPartition(Handle handle, Reference, double) {
  return refuseKind(handle);
}

int fmi3EvaluateDiscreteStates(Handle handle) {
  return refuseKind(handle);
}

int fmi3EnterEventMode(Handle handle) {
  return of(handle).checkExchange();
}

int fmi3UpdateDiscreteStates(Handle handle, bool* isAgain, bool* terminate, bool* nominalsChanged,
                             bool* statesChanged, bool* hasNextTime, double* nextTime) {
  flexloop::fmu::EventReport report;
  const int status = of(handle).handleEvent(report);
  *isAgain = *terminate = false;
  *nominalsChanged = report.haveNominalsChanged;
  *statesChanged = report.haveStatesChanged;
  *hasNextTime = report.nextTime.has_value();
  *nextTime = report.nextTime.value_or(0.0);
  return status;
}

int fmi3EnterContinuousTimeMode(Handle handle) {
  return of(handle).checkExchange();
}

int fmi3CompletedIntegratorStep(Handle handle, bool, bool* enterEventMode, bool* terminate) {
  *enterEventMode = *terminate = false;
  return of(handle).completeStep(*enterEventMode);
}

int fmi3SetTime(Handle handle, double time) {
  return of(handle).setTime(time);
}

int fmi3SetContinuousStates(Handle handle, const double* states, std::size_t count) {
  return of(handle).setStates({states, count});
}

int fmi3GetContinuousStates(Handle handle, double* states, std::size_t count) {
  return of(handle).getStates({states, count});
}

int fmi3GetNominalsOfContinuousStates(Handle handle, double* nominals, std::size_t count) {
  return of(handle).getNominals({nominals, count});
}

int fmi3GetContinuousStateDerivatives(Handle handle, double* derivatives, std::size_t count) {
  return of(handle).getDerivatives({derivatives, count});
}

int fmi3GetEventIndicators(Handle handle, double* indicators, std::size_t count) {
  return of(handle).getIndicators({indicators, count});
}

int fmi3GetNumberOfEventIndicators(Handle handle, std::size_t* count) {
  *count = of(handle).indicators();
  return kOk;
}

int fmi3GetNumberOfContinuousStates(Handle handle, std::size_t* count) {
  *count = of(handle).states();
  return kOk;
}

}  // extern "C"
