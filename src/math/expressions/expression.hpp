// Formulas as users write them: `L/2`, `2*pi*f`, `t < 1 ? 0 : sin(w*t)`.
//
//   choice     = or [ "?" choice ":" choice ]
//   or         = and { "||" and }          and   = comparison { "&&" comparison }
//   comparison = sum [ ( < <= > >= == != ) sum ]
//   sum        = product { (+|-) product } product = unary { (*|/) unary }
//   unary      = ( - | + | ! ) unary | power
//   power      = primary [ "^" unary ]           so that -x^2 = -(x^2) and 2^-1, 2^3^2 = 2^9 work
//   primary    = number [ unit ] | name | function "(" choice { "," choice } ")" | "(" choice ")"
//
// Where a parameter of the model has been replaced by its value, the exponents of its unit follow: 4[1,0,-1,0,0,0,0] is a speed
// (base/dimension.hpp). They do not change the value; see expression_units.hpp.
//
// A name is made of letters, digits and `_`, and may have parts after dots: theta1.rate. The names
// that the caller gives win over the constants pi and e. `if(c, a, b)` is the same as `c ? a : b`;
// only the chosen branch is evaluated. A condition is true unless it is zero.
//
// A formula is translated once into a list of instructions for a stack of scalars, and is evaluated
// for double, Taylor2 or Dual<N>: derivatives are exact, not differences.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/dimension.hpp"
#include "base/result.hpp"
#include "math/expressions/expression_functions.hpp"

namespace flexloop::math {

// The names that a formula may use; the index of a name is that of its value at evaluation.
class NameIndex {
 public:
  NameIndex() = default;
  NameIndex(std::initializer_list<std::string> names);
  explicit NameIndex(const std::vector<std::string>& names);

  int add(const std::string& name);         // the index, also of a name that is already there
  int find(const std::string& name) const;  // -1 if absent
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> indices_;
};

class Expression {
 public:
  // The failure's message ends with the column, from 1, in `text`.
  static base::Result<Expression> parse(std::string_view text, const NameIndex& names);

  const std::string& text() const { return text_; }

  // Whether the value of this name is used at all.
  bool uses(int index) const;

  // `values` in the order of the names given to parse. Allocates nothing.
  template <class T>
  T evaluate(std::span<const T> values) const {
    if (stackSize_ <= kSmallStack) return run<T, kSmallStack>(values);
    return run<T, kLargestStack>(values);
  }

 private:
  friend class ExpressionParser;
  friend class UnitRun;

  enum class Operation : std::uint8_t {
    kConstant,
    kVariable,
    kNegate,
    kNot,
    kTruth,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kPower,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
    kFunction1,
    kFunction2,
    kJump,
    kJumpIfFalse,
  };

  struct Instruction {
    Operation operation;
    int index = 0;  // of a variable, of the instruction to jump to, or of a constant's unit, from 1
    double constant = 0.0;
    const ExpressionFunction* function = nullptr;
  };

  // Few formulas need more; a small stack keeps the evaluation with many directions cheap.
  static constexpr int kSmallStack = 8;
  static constexpr int kLargestStack = 64;

  template <class T, int kSize>
  T run(std::span<const T> values) const;
  template <class T>
  static T applyTwo(const Instruction& instruction, const T& a, const T& b);
  template <class T>
  static T applyOne(const Instruction& instruction, const T& a);

  std::string text_;
  std::vector<Instruction> code_;
  std::vector<base::Dimension> units_;  // of constants that have one
  int stackSize_ = 0;
};

// What stands in a formula for a parameter with this value and unit.
std::string writeConstant(double value, const base::Dimension& unit);

// A name in a formula and where it starts.
struct NameUse {
  std::string name;
  std::size_t offset = 0;
};

// Every use of a name that is no function, in the order of the text; fails where parse would.
base::Result<std::vector<NameUse>> findExpressionNames(std::string_view text);

// Bytes of UTF-8 beyond ASCII count as letters, so that θ1 is a name.
bool isNameStart(char c);
bool isNamePart(char c);

// Whether `name` can be written in a formula as one undotted name.
bool isExpressionName(std::string_view name);

template <class T>
T Expression::applyOne(const Instruction& instruction, const T& a) {
  switch (instruction.operation) {
    case Operation::kNegate:
      return -a;
    case Operation::kNot:
      return T(valueOf(a) == 0.0 ? 1.0 : 0.0);
    case Operation::kTruth:
      return T(valueOf(a) != 0.0 ? 1.0 : 0.0);
    default:
      return lift(instruction.function->one(valueOf(a)), a);
  }
}

template <class T>
T Expression::applyTwo(const Instruction& instruction, const T& a, const T& b) {
  switch (instruction.operation) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
    case Operation::kDivide:
      return a / b;
    case Operation::kPower:
      return lift(calcPower(valueOf(a), valueOf(b)), a, b);
    case Operation::kLess:
      return T(valueOf(a) < valueOf(b) ? 1.0 : 0.0);
    case Operation::kLessEqual:
      return T(valueOf(a) <= valueOf(b) ? 1.0 : 0.0);
    case Operation::kGreater:
      return T(valueOf(a) > valueOf(b) ? 1.0 : 0.0);
    case Operation::kGreaterEqual:
      return T(valueOf(a) >= valueOf(b) ? 1.0 : 0.0);
    case Operation::kEqual:
      return T(valueOf(a) == valueOf(b) ? 1.0 : 0.0);
    case Operation::kNotEqual:
      return T(valueOf(a) != valueOf(b) ? 1.0 : 0.0);
    default:
      return lift(instruction.function->two(valueOf(a), valueOf(b)), a, b);
  }
}

template <class T, int kSize>
T Expression::run(std::span<const T> values) const {
  std::array<T, kSize> stack;
  int top = -1;
  const int count = static_cast<int>(code_.size());
  for (int i = 0; i < count; ++i) {
    const Instruction& instruction = code_[i];
    switch (instruction.operation) {
      case Operation::kConstant:
        stack[++top] = T(instruction.constant);
        break;
      case Operation::kVariable:
        stack[++top] = values[instruction.index];
        break;
      case Operation::kJump:
        i = instruction.index - 1;
        break;
      case Operation::kJumpIfFalse:
        if (valueOf(stack[top--]) == 0.0) i = instruction.index - 1;
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
  assert(top == 0);
  return stack[0];
}

}  // namespace flexloop::math
