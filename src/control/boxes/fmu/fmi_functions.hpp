// The functions that FMI 2.0 and 3.0 have in common, with the types that the standards give them. (A buffer for a
// state has bytes in FMI 3.0 and characters in FMI 2.0.)
#pragma once

#include <cstddef>
#include <cstdint>

namespace flexloop::control::fmi {

using Instance = void*;
using State = void*;
using Reference = std::uint32_t;
using String = const char*;
using Status = int;

using FreeInstance = void(Instance);
using Plain = Status(Instance);
using GetState = Status(Instance, State*);
using SetState = Status(Instance, State);
using StateSize = Status(Instance, State, std::size_t*);
using SerializeState = Status(Instance, State, std::uint8_t*, std::size_t);
using DeserializeState = Status(Instance, const std::uint8_t*, std::size_t, State*);
using SetTime = Status(Instance, double);
using SetNumbers = Status(Instance, const double*, std::size_t);
using GetNumbers = Status(Instance, double*, std::size_t);

}  // namespace flexloop::control::fmi
