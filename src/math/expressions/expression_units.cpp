#include "math/expressions/expression_units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace flexloop::math {
namespace {

using base::Dimension;
using Kind = Measured::Kind;

// Of areas, second moments, deflections and means; 10 or 9.81 may be a gravity.
constexpr std::array kPlainFactors{0.25, 0.5,  0.75, 1.5,  1.0,   2.0,   3.0,  4.0,
                                   5.0,  6.0,  7.0,  8.0,  9.0,   12.0,  16.0, 24.0,
                                   32.0, 48.0, 64.0, 90.0, 180.0, 360.0, 384.0};

// A value on the stack with what it measures.
struct Term {
  double value = 0.0;
  Measured unit;
};

struct Mismatch {
  std::string message;
};

Measured measuredNumber(double value) {
  const bool isPlain = std::find(kPlainFactors.begin(), kPlainFactors.end(), std::abs(value)) !=
                           kPlainFactors.end() ||
                       std::abs(value) == std::acos(-1.0) || value == std::exp(1.0) || value == 0.0;
  return {isPlain ? Kind::kNumber : Kind::kAnything, {}};
}

// Of arithmetic: 2*pi*f is an angle per time where f is a frequency, and a ratio of lengths is a number.
Measured calculated(Dimension dimension) {
  dimension.cycle = 0;
  if (dimension != base::kDimensionless) dimension.angle = 0;
  if (dimension == base::kDimensionless && dimension.angle == 0) return {Kind::kNumber, {}};
  return Measured::quantity(dimension);
}

bool isWithoutUnit(const Measured& unit) {
  return unit.kind != Kind::kQuantity || unit.dimension == base::kDimensionless;
}

// Of two that are added or compared.
Measured common(const Measured& a, const Measured& b, const char* what) {
  if (a.kind == Kind::kQuantity && b.kind == Kind::kQuantity && a.dimension != b.dimension) {
    throw Mismatch{base::describe(a.dimension) + " and " + base::describe(b.dimension) +
                   " cannot be " + what};
  }
  if (mixesCyclesAndAngles(a.dimension, b.dimension)) {
    throw Mismatch{
        std::string("Hz counts cycles, the other is an angle per time: they cannot be ") + what};
  }
  if (a.kind == Kind::kQuantity) return a;
  if (b.kind == Kind::kQuantity) return b;
  const bool areNumbers = a.kind == Kind::kNumber && b.kind == Kind::kNumber;
  return {areNumbers ? Kind::kNumber : Kind::kAnything, {}};
}

Measured product(const Measured& a, const Measured& b, int exponent) {
  if (a.kind == Kind::kAnything || b.kind == Kind::kAnything) return {};
  return calculated(a.dimension * power(b.dimension, exponent));
}

// Twice the exponents are whole, or nothing is known.
std::optional<Dimension> halfPower(const Dimension& d, double twice) {
  const auto scale = [&](int exponent) { return exponent * twice / 2.0; };
  const std::array exponents{scale(d.length), scale(d.mass), scale(d.time), scale(d.current),
                             scale(d.temperature)};
  constexpr double kMost = 1000.0;
  for (const double x : exponents) {
    if (x != std::round(x) || std::abs(x) > kMost) return std::nullopt;
  }
  const auto whole = [&](int i) { return static_cast<int>(exponents[i]); };
  return Dimension{.length = whole(0),
                   .mass = whole(1),
                   .time = whole(2),
                   .current = whole(3),
                   .temperature = whole(4)};
}

Measured raised(const Measured& base, double exponent) {
  if (base.kind != Kind::kQuantity) return base;
  const std::optional<Dimension> dimension = halfPower(base.dimension, 2.0 * exponent);
  return dimension ? calculated(*dimension) : Measured{};
}

void requireNumber(const Measured& unit, const std::string& what) {
  if (isWithoutUnit(unit)) return;
  throw Mismatch{what + " must be a number without unit, but is " + base::describe(unit.dimension)};
}

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

Measured applyFunction(std::string_view name, const Term& x) {
  if (name == "sqrt") return raised(x.unit, 0.5);
  for (const char* keeping : {"abs", "floor", "ceil", "round"}) {
    if (name == keeping) return x.unit;
  }
  if (name != "sign") requireNumber(x.unit, "the argument of " + quote(name));
  return {Kind::kNumber, {}};
}

Measured calcPowerUnit(const Term& x, const Term& exponent) {
  requireNumber(exponent.unit, "the exponent");
  return raised(x.unit, exponent.value);
}

Measured applyFunction(std::string_view name, const Term& x, const Term& y) {
  if (name == "pow") return calcPowerUnit(x, y);
  const Measured unit =
      common(x.unit, y.unit, ("arguments of " + quote(name) + " together").c_str());
  return name == "atan2" ? Measured{Kind::kNumber, {}} : unit;
}

}  // namespace

// Runs the instructions of an expression for terms.
class UnitRun {
 public:
  static Measured run(const Expression& expression, std::span<const double> values,
                      std::span<const Measured> units, PlainNumbers numbers) {
    std::array<Term, Expression::kLargestStack> stack;
    int top = -1;
    const auto& code = expression.code_;
    for (int i = 0; i < static_cast<int>(code.size()); ++i) {
      const Instruction& instruction = code[i];
      switch (instruction.operation) {
        case Operation::kConstant:
          stack[++top] = {instruction.constant, unitOf(expression, instruction, numbers)};
          break;
        case Operation::kVariable:
          stack[++top] = {values[instruction.index], units[instruction.index]};
          break;
        case Operation::kJump:
          i = instruction.index - 1;
          break;
        case Operation::kJumpIfFalse:
          if (stack[top--].value == 0.0) i = instruction.index - 1;
          break;
        case Operation::kNegate:
        case Operation::kNot:
        case Operation::kTruth:
        case Operation::kFunction1:
          stack[top] = applyOne(instruction, stack[top]);
          break;
        default:
          --top;
          stack[top] = applyTwo(instruction, stack[top], stack[top + 1]);
      }
    }
    return stack[0].unit;
  }

 private:
  using Operation = Expression::Operation;
  using Instruction = Expression::Instruction;

  static Measured unitOf(const Expression& expression, const Instruction& constant,
                         PlainNumbers numbers) {
    if (constant.index > 0) return Measured::quantity(expression.units_[constant.index - 1]);
    return numbers == PlainNumbers::kMayBeGains ? Measured{} : measuredNumber(constant.constant);
  }

  static Term applyOne(const Instruction& instruction, const Term& x) {
    const double value = Expression::applyOne(instruction, x.value);
    if (instruction.operation == Operation::kNegate) return {value, x.unit};
    if (instruction.operation != Operation::kFunction1) return {value, {Kind::kNumber, {}}};
    return {value, applyFunction(instruction.function->name, x)};
  }

  static Term applyTwo(const Instruction& instruction, const Term& x, const Term& y) {
    const double value = Expression::applyTwo(instruction, x.value, y.value);
    switch (instruction.operation) {
      case Operation::kAdd:
        return {value, common(x.unit, y.unit, "added")};
      case Operation::kSubtract:
        return {value, common(x.unit, y.unit, "subtracted")};
      case Operation::kMultiply:
        return {value, product(x.unit, y.unit, 1)};
      case Operation::kDivide:
        return {value, product(x.unit, y.unit, -1)};
      case Operation::kPower:
        return {value, calcPowerUnit(x, y)};
      case Operation::kFunction2:
        return {value, applyFunction(instruction.function->name, x, y)};
      default:
        common(x.unit, y.unit, "compared");
        return {value, {Kind::kNumber, {}}};
    }
  }
};

base::Result<Measured> findUnitOf(const Expression& expression, std::span<const double> values,
                                  std::span<const Measured> units, PlainNumbers numbers) {
  try {
    return UnitRun::run(expression, values, units, numbers);
  } catch (const Mismatch& mismatch) {
    return base::Failure{mismatch.message, {}};
  }
}

}  // namespace flexloop::math
