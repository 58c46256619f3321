#include "base/unit_table.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "base/nearest_word.hpp"

namespace flexloop::base {
namespace {

struct Prefix {
  char letter;
  double numerator;
  double denominator;
};

constexpr std::array kPrefixes{
    Prefix{'T', 1e12, 1}, Prefix{'G', 1e9, 1}, Prefix{'M', 1e6, 1},  Prefix{'k', 1e3, 1},
    Prefix{'h', 1e2, 1},  Prefix{'d', 1, 1e1}, Prefix{'c', 1, 1e2},  Prefix{'m', 1, 1e3},
    Prefix{'u', 1, 1e6},  Prefix{'n', 1, 1e9}, Prefix{'p', 1, 1e12},
};

struct NamedUnit {
  std::string_view symbol;
  Unit unit;
  std::string_view prefixes;  // those that are usual; all SI prefixes are understood if any is
};

constexpr double kPi = std::numbers::pi;
constexpr double kStandardGravity = 9.80665;  // m/s^2, exact by definition
constexpr double kPound = 0.45359237;         // kg, exact by definition
constexpr double kInch = 0.0254;              // m, exact by definition

constexpr Dimension kCurrent{.current = 1};
constexpr Dimension kVoltage{.length = 2, .mass = 1, .time = -3, .current = -1};
constexpr Dimension kResistance{.length = 2, .mass = 1, .time = -3, .current = -2};
constexpr Dimension kInductance{.length = 2, .mass = 1, .time = -2, .current = -2};
constexpr Dimension kCapacitance{.length = -2, .mass = -1, .time = 4, .current = 2};
constexpr Dimension kCharge{.time = 1, .current = 1};
constexpr Dimension kFlux{.length = 2, .mass = 1, .time = -2, .current = -1};

constexpr std::array kUnits{
    NamedUnit{"m", {1, 1, kLength}, "mkcun"},
    NamedUnit{"s", {1, 1, kTime}, "mun"},
    NamedUnit{"g", {1, 1e3, kMass}, "km"},
    NamedUnit{"N", {1, 1, kForce}, "kMm"},
    NamedUnit{"Pa", {1, 1, kPressure}, "GMk"},
    NamedUnit{"rad", {1, 1, kAngle}, "mu"},
    NamedUnit{"Hz", {1, 1, kFrequency}, "kM"},
    NamedUnit{"J", {1, 1, kTorque}, "km"},
    NamedUnit{"W", {1, 1, kPower}, "kMm"},
    NamedUnit{"bar", {1e5, 1, kPressure}, "m"},
    NamedUnit{"A", {1, 1, kCurrent}, "m"},
    NamedUnit{"V", {1, 1, kVoltage}, "mk"},
    NamedUnit{"ohm", {1, 1, kResistance}, "mk"},
    NamedUnit{"H", {1, 1, kInductance}, "mu"},
    NamedUnit{"F", {1, 1, kCapacitance}, "mun"},
    NamedUnit{"C", {1, 1, kCharge}, "m"},
    NamedUnit{"Wb", {1, 1, kFlux}, "m"},
    NamedUnit{"K", {1, 1, {.temperature = 1}}, "m"},
    NamedUnit{"Wh", {3600, 1, kTorque}, "k"},
    NamedUnit{"deg", {kPi, 180, kAngle}, "m"},
    NamedUnit{"turn", {2 * kPi, 1, kAngle}, ""},
    NamedUnit{"rev", {2 * kPi, 1, kAngle}, ""},
    NamedUnit{"rpm", {kPi, 30, kAngularVelocity}, ""},
    NamedUnit{"arcmin", {kPi, 10800, kAngle}, ""},
    NamedUnit{"arcsec", {kPi, 648000, kAngle}, ""},
    NamedUnit{"min", {60, 1, kTime}, ""},
    NamedUnit{"h", {3600, 1, kTime}, ""},
    NamedUnit{"t", {1e3, 1, kMass}, ""},
    NamedUnit{"g0", {kStandardGravity, 1, kAcceleration}, ""},
    NamedUnit{"%", {1, 100, kDimensionless}, ""},
    NamedUnit{"in", {kInch, 1, kLength}, ""},
    NamedUnit{"ft", {12 * kInch, 1, kLength}, ""},
    NamedUnit{"lb", {kPound, 1, kMass}, ""},
    NamedUnit{"lbf", {kPound * kStandardGravity, 1, kForce}, ""},
    NamedUnit{"psi", {kPound * kStandardGravity / (kInch * kInch), 1, kPressure}, ""},
};

struct OtherName {
  std::string_view name;
  std::string_view symbol;
};

// Names that are too far from the symbol for findNearestWord.
constexpr std::array kOtherNames{
    OtherName{"sec", "s"},      OtherName{"second", "s"},    OtherName{"seconds", "s"},
    OtherName{"hour", "h"},     OtherName{"hours", "h"},     OtherName{"minutes", "min"},
    OtherName{"meter", "m"},    OtherName{"metre", "m"},     OtherName{"newton", "N"},
    OtherName{"pascal", "Pa"},  OtherName{"degree", "deg"},  OtherName{"degrees", "deg"},
    OtherName{"radian", "rad"}, OtherName{"radians", "rad"}, OtherName{"inch", "in"},
    OtherName{"hertz", "Hz"},   OtherName{"ton", "t"},       OtherName{"tonne", "t"},
};

constexpr std::array<std::string_view, 4> kCompactForces{"N", "kN", "MN", "mN"};
constexpr std::array<std::string_view, 3> kCompactMasses{"kg", "g", "t"};
constexpr std::array<std::string_view, 3> kCompactLengths{"m", "mm", "cm"};

const NamedUnit* findNamedUnit(std::string_view symbol) {
  for (const NamedUnit& named : kUnits) {
    if (named.symbol == symbol) return &named;
  }
  return nullptr;
}

std::vector<std::string_view> splitForceWord(std::string_view force, std::string_view rest) {
  if (rest == "s") return {force, "s"};
  if (rest == "ms") return {force, "m", "s"};
  for (const std::string_view length : kCompactLengths) {
    if (rest == length) return {force, length};
  }
  return {};
}

std::vector<std::string_view> splitMassWord(std::string_view mass, std::string_view rest) {
  for (const std::string_view length : kCompactLengths) {
    if (rest == length) return {mass, length};
  }
  return {};
}

std::vector<std::string> makeUsualSymbols() {
  std::vector<std::string> symbols;
  for (const NamedUnit& named : kUnits) {
    symbols.emplace_back(named.symbol);
    for (const char prefix : named.prefixes) symbols.push_back(prefix + std::string(named.symbol));
  }
  for (const std::string_view force : kCompactForces) {
    for (const std::string_view rest : {"m", "mm", "s", "ms"}) {
      symbols.push_back(std::string(force).append(rest));
    }
  }
  return symbols;
}

// kg is 1000 g / 1000: dividing out keeps such factors from rounding the value twice.
Unit reduce(const Unit& unit) {
  if (std::fmod(unit.numerator, unit.denominator) == 0.0) {
    return {unit.numerator / unit.denominator, 1.0, unit.dimension};
  }
  if (std::fmod(unit.denominator, unit.numerator) == 0.0) {
    return {1.0, unit.denominator / unit.numerator, unit.dimension};
  }
  return unit;
}

double integerPower(double base, int exponent) {
  double result = 1.0;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace

Unit operator*(const Unit& a, const Unit& b) {
  return reduce(
      {a.numerator * b.numerator, a.denominator * b.denominator, a.dimension * b.dimension});
}

Unit power(const Unit& unit, int exponent) {
  if (exponent < 0) {
    return {integerPower(unit.denominator, -exponent), integerPower(unit.numerator, -exponent),
            power(unit.dimension, exponent)};
  }
  return {integerPower(unit.numerator, exponent), integerPower(unit.denominator, exponent),
          power(unit.dimension, exponent)};
}

std::optional<Unit> findUnit(std::string_view symbol) {
  if (const NamedUnit* named = findNamedUnit(symbol)) return named->unit;
  if (symbol.size() < 2) return std::nullopt;
  const NamedUnit* named = findNamedUnit(symbol.substr(1));
  if (named == nullptr || named->prefixes.empty()) return std::nullopt;
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.letter == symbol.front()) {
      return Unit{prefix.numerator, prefix.denominator, {}} * named->unit;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> splitCompactWord(std::string_view word) {
  for (const std::string_view force : kCompactForces) {
    if (!word.starts_with(force)) continue;
    auto symbols = splitForceWord(force, word.substr(force.size()));
    if (!symbols.empty()) return symbols;
  }
  for (const std::string_view mass : kCompactMasses) {
    if (!word.starts_with(mass)) continue;
    auto symbols = splitMassWord(mass, word.substr(mass.size()));
    if (!symbols.empty()) return symbols;
  }
  return {};
}

std::optional<std::string> findNearestUnit(std::string_view symbol) {
  for (const OtherName& other : kOtherNames) {
    if (other.name == symbol) return std::string(other.symbol);
  }
  return findNearestWord(symbol, makeUsualSymbols());
}

}  // namespace flexloop::base
