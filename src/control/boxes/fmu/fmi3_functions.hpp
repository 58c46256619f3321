// The functions of FMI 3.0 that are called, with the types that the standard gives them.
#pragma once

#include "control/boxes/fmu/fmi_functions.hpp"

namespace flexloop::control::fmi3 {

using fmi::Instance;
using fmi::Reference;
using fmi::State;
using fmi::Status;
using fmi::String;

using Log = void(void* environment, Status status, String category, String message);

using InstantiateExchange = Instance(String instance, String token, String resources, bool visible,
                                     bool loggingOn, void* environment, Log* log);
using InstantiateCoSimulation = Instance(String instance, String token, String resources,
                                         bool visible, bool loggingOn, bool eventModeUsed,
                                         bool earlyReturnAllowed, const Reference* intermediate,
                                         std::size_t intermediateCount, void* environment, Log* log,
                                         void* intermediateUpdate);
using EnterInitialization = Status(Instance, bool hasTolerance, double tolerance, double start,
                                   bool hasStop, double stop);
template <class T>
using Get = Status(Instance, const Reference*, std::size_t, T* values, std::size_t);
template <class T>
using Set = Status(Instance, const Reference*, std::size_t, const T* values, std::size_t);
using DirectionalDerivative = Status(Instance, const Reference* unknowns, std::size_t,
                                     const Reference* knowns, std::size_t, const double* seeds,
                                     std::size_t, double* result, std::size_t);
using UpdateDiscreteStates = Status(Instance, bool* isAgain, bool* terminate, bool* nominalsChanged,
                                    bool* statesChanged, bool* hasNextTime, double* nextTime);
using CompletedStep = Status(Instance, bool noSetState, bool* enterEventMode, bool* terminate);
using DoStep = Status(Instance, double t, double step, bool noSetState, bool* eventNeeded,
                      bool* terminate, bool* earlyReturn, double* lastTime);

}  // namespace flexloop::control::fmi3
