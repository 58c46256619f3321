// What the process of an FMU is to do with it: plain values, so that a copy of the program has them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "control/boxes/fmu/fmu_description.hpp"

namespace flexloop::control {

// A variable that is set or read, (37.1).
struct FmuPort {
  std::string name;
  std::uint32_t reference = 0;
  FmuType type = FmuType::kFloat64;
  double factor = 1.0, offset = 0.0;
  int count = 1;  // of numbers, in an array

  double toSi(double value) const { return factor * value + offset; }
  double fromSi(double value) const { return (value - offset) / factor; }
};

struct FmuStart {
  FmuPort port;
  std::variant<std::vector<double>, std::string> value;  // numbers in SI; a boolean is 0 or 1
};

struct FmuPlan {
  int version = 2;
  FmuKind kind = FmuKind::kCoSimulation;
  std::string instance{};   // its name
  std::string binary{};     // the shared library, with its whole path
  std::string resources{};  // the folder
  std::string token{};      // that description and binary must agree on
  std::vector<FmuPort> inputs{}, outputs{};
  std::vector<FmuStart> structure{};  // structural parameters, set before the others
  std::vector<FmuStart> starts{};
  bool canRestore = false, canSerialize = false;

  // Of co-simulation.
  double sample = 0.0;  // [s]

  // Of model exchange. The references are there where the FMU has directional derivatives.
  int states = 0, indicators = 0;  // counted as numbers
  bool hasDirectionalDerivatives = false;
  std::vector<std::uint32_t> stateReferences{}, derivativeReferences{};
  std::vector<int> stateCounts{};     // of numbers, beside stateReferences
  std::vector<double> startInputs{};  // in SI; what the FMU has where nothing is connected
};

}  // namespace flexloop::control
