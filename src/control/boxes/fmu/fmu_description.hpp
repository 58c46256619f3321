// What an FMU says of itself in its modelDescription.xml, of FMI 2.0 or 3.0, in one form for both
// (docs/theory/37_foreign_models.md, section 37.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dimension.hpp"
#include "base/result.hpp"

namespace flexloop::control {

enum class FmuKind { kCoSimulation, kModelExchange };

enum class FmuType {
  kFloat64,
  kFloat32,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kBoolean,
  kEnumeration,
  kString,
  kBinary,
  kClock,
};

// As FMI 3.0 has it.
const char* nameOf(FmuType type);
bool isFloat(FmuType type);
bool isNumber(FmuType type);  // with booleans and enumerations

// (37.1): the SI value is factor · value + offset.
struct FmuUnit {
  std::string name{};  // empty: none is stated
  double factor = 1.0, offset = 0.0;
  // Of the SI value; none if the FMU has only a name for it that nobody knows.
  std::optional<base::Dimension> dimension{};
};

struct FmuVariable {
  enum class Causality {
    kParameter,
    kCalculatedParameter,
    kStructuralParameter,
    kInput,
    kOutput,
    kLocal,
    kIndependent,
  };
  std::string name;
  std::uint32_t reference = 0;
  FmuType type = FmuType::kFloat64;
  Causality causality = Causality::kLocal;
  bool isContinuous = false;  // may change between events
  bool isConstant = false;
  // Of an array: its length in each direction, which a structural parameter (a variable) may give.
  struct Extent {
    int length = 1;
    int parameter = -1;
  };
  std::vector<Extent> extents{};
  std::optional<std::string> start{};  // of an array: numbers between blanks, row by row
  FmuUnit unit{};
  std::optional<double> least{}, most{};  // in the unit of the FMU

  bool isArray() const { return !extents.empty(); }
  int count() const;  // of its numbers
  // Of one of its numbers: NAME, or NAME.2.3 in the second row and third column of a matrix.
  std::string nameOf(int element) const;
};

// What an entry of the ModelStructure depends on; by variable.
struct FmuUnknown {
  int variable = -1;
  std::optional<std::vector<int>> dependencies{};  // none: on everything
};

struct FmuInterface {
  std::string identifier;  // name of its binary
  bool canRestore = false, canSerialize = false;
  bool hasDirectionalDerivatives = false;
  bool needsStepDone = true;          // of model exchange
  bool isOnlyOnce = false;            // in a process
  bool canVaryStep = false;           // of co-simulation
  std::optional<double> fixedStep{};  // [s], of co-simulation
};

struct FmuDescription {
  int version = 2;  // of FMI
  std::string name, token;
  std::optional<FmuInterface> coSimulation{}, modelExchange{};
  std::vector<FmuVariable> variables{};
  std::vector<FmuUnknown> outputs{}, derivatives{};
  std::vector<int> states{};              // variables, beside `derivatives`
  int indicators = 0;                     // of FMI 2.0
  std::vector<int> indicatorVariables{};  // of FMI 3.0
  std::optional<double> stepSize{};       // [s], that its author proposes

  const FmuInterface* find(FmuKind kind) const {
    const auto& interface = kind == FmuKind::kCoSimulation ? coSimulation : modelExchange;
    return interface ? &*interface : nullptr;
  }
  // Of numbers, where arrays are several.
  int countOf(const std::vector<int>& list) const;
  int indicatorCount() const { return indicators + countOf(indicatorVariables); }

  // With another value of a structural parameter, which lengths of arrays may follow.
  void setStructure(int parameter, int value);
  std::optional<base::Failure> findWrongLength() const;  // of an array
};

base::Result<FmuDescription> readFmuDescription(const std::string& xml);

}  // namespace flexloop::control
