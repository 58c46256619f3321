// The functions of FMI 3.0 that are called, with the types that the standard gives them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flexloop::control::fmi3 {

using Instance = void*;
using State = void*;
using Reference = std::uint32_t;
using String = const char*;
using Status = int;

using Log = void(void* environment, Status status, String category, String message);

using InstantiateExchange = Instance(String instance, String token, String resources, bool visible,
                                     bool loggingOn, void* environment, Log* log);
using InstantiateCoSimulation = Instance(String instance, String token, String resources,
                                         bool visible, bool loggingOn, bool eventModeUsed,
                                         bool earlyReturnAllowed, const Reference* intermediate,
                                         std::size_t intermediateCount, void* environment, Log* log,
                                         void* intermediateUpdate);
using FreeInstance = void(Instance);
using EnterInitialization = Status(Instance, bool hasTolerance, double tolerance, double start,
                                   bool hasStop, double stop);
using Plain = Status(Instance);
template <class T>
using Get = Status(Instance, const Reference*, std::size_t, T* values, std::size_t);
template <class T>
using Set = Status(Instance, const Reference*, std::size_t, const T* values, std::size_t);
using GetState = Status(Instance, State*);
using SetState = Status(Instance, State);
using StateSize = Status(Instance, State, std::size_t*);
using SerializeState = Status(Instance, State, std::uint8_t*, std::size_t);
using DeserializeState = Status(Instance, const std::uint8_t*, std::size_t, State*);
using DirectionalDerivative = Status(Instance, const Reference* unknowns, std::size_t,
                                     const Reference* knowns, std::size_t, const double* seeds,
                                     std::size_t, double* result, std::size_t);
using UpdateDiscreteStates = Status(Instance, bool* isAgain, bool* terminate, bool* nominalsChanged,
                                    bool* statesChanged, bool* hasNextTime, double* nextTime);
using CompletedStep = Status(Instance, bool noSetState, bool* enterEventMode, bool* terminate);
using SetTime = Status(Instance, double);
using SetNumbers = Status(Instance, const double*, std::size_t);
using GetNumbers = Status(Instance, double*, std::size_t);
using DoStep = Status(Instance, double t, double step, bool noSetState, bool* eventNeeded,
                      bool* terminate, bool* earlyReturn, double* lastTime);

}  // namespace flexloop::control::fmi3
