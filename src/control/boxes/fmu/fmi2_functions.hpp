// The functions of FMI 2.0 that are called, with the types that the standard gives them.
#pragma once

#include "control/boxes/fmu/fmi_functions.hpp"

namespace flexloop::control::fmi2 {

using fmi::Reference;
using fmi::State;
using fmi::Status;
using fmi::String;
using Component = fmi::Instance;
using Boolean = int;

struct Callbacks {
  void (*logger)(void* environment, String instance, Status status, String category, String message,
                 ...);
  void* (*allocateMemory)(std::size_t count, std::size_t size);
  void (*freeMemory)(void* memory);
  void (*stepFinished)(void* environment, Status status);
  void* environment;
};

struct EventInfo {
  Boolean newDiscreteStatesNeeded;
  Boolean terminateSimulation;
  Boolean nominalsOfContinuousStatesChanged;
  Boolean valuesOfContinuousStatesChanged;
  Boolean nextEventTimeDefined;
  double nextEventTime;
};

enum Type { kModelExchange = 0, kCoSimulation = 1 };

using Instantiate = Component(String instance, Type type, String guid, String resources,
                              const Callbacks* callbacks, Boolean visible, Boolean loggingOn);
using SetupExperiment = Status(Component, Boolean hasTolerance, double tolerance, double start,
                               Boolean hasStop, double stop);
template <class T>
using Get = Status(Component, const Reference*, std::size_t count, T* values);
template <class T>
using Set = Status(Component, const Reference*, std::size_t count, const T* values);
using DirectionalDerivative = Status(Component, const Reference* unknowns, std::size_t,
                                     const Reference* knowns, std::size_t, const double* seeds,
                                     double* result);
using NewDiscreteStates = Status(Component, EventInfo*);
using CompletedStep = Status(Component, Boolean noSetState, Boolean* enterEventMode,
                             Boolean* terminate);
using GetBooleanStatus = Status(Component, int kind, Boolean* value);
using GetRealStatus = Status(Component, int kind, double* value);
using DoStep = Status(Component, double t, double step, Boolean noSetState);

}  // namespace flexloop::control::fmi2
