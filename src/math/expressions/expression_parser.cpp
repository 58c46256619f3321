#include "math/expressions/expression_parser.hpp"

#include <algorithm>
#include <numbers>
#include <optional>
#include <utility>

#include "base/nearest_word.hpp"

namespace flexloop::math {
namespace {

// Keeps the recursion far away from the end of the call stack.
constexpr int kDeepestLevel = 200;

constexpr std::pair<std::string_view, double> kConstants[] = {{"pi", std::numbers::pi},
                                                              {"e", std::numbers::e}};

std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string suggest(const std::string& word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> nearest = base::findNearestWord(word, candidates);
  return nearest ? "did you mean " + quote(*nearest) + "?" : std::string();
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

class ExpressionParser::Level {
 public:
  explicit Level(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.level_ > kDeepestLevel) parser_.failOnDepth();
  }
  ~Level() { --parser_.level_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  ExpressionParser& parser_;
};

base::Result<Expression> ExpressionParser::parse() {
  try {
    if (cursor_.atEnd()) cursor_.fail("the expression is empty", "", 0);
    parseChoice();
    if (!cursor_.atEnd()) cursor_.failOnRest();
    return expression_;
  } catch (const ExpressionCursor::Stop& stop) {
    return stop.failure;
  }
}

void ExpressionParser::parseChoice() {
  const Level level(*this);
  parseOr();
  if (!cursor_.accept("?")) return;
  const int toElse = emitJump(Operation::kJumpIfFalse);
  parseChoice();
  cursor_.expect(":", "between the two branches of '?'");
  const int toEnd = emitJump(Operation::kJump);
  --height_;  // only one of the branches leaves its value
  land(toElse);
  parseChoice();
  land(toEnd);
}

void ExpressionParser::parseOr() {
  parseAnd();
  while (cursor_.accept("||")) {
    const int toSecond = emitJump(Operation::kJumpIfFalse);
    emit(Operation::kConstant, 0, 1.0);
    const int toEnd = emitJump(Operation::kJump);
    --height_;
    land(toSecond);
    parseAnd();
    emit(Operation::kTruth);
    land(toEnd);
  }
}

void ExpressionParser::parseAnd() {
  parseComparison();
  while (cursor_.accept("&&")) {
    const int toFalse = emitJump(Operation::kJumpIfFalse);
    parseComparison();
    emit(Operation::kTruth);
    const int toEnd = emitJump(Operation::kJump);
    --height_;
    land(toFalse);
    emit(Operation::kConstant, 0, 0.0);
    land(toEnd);
  }
}

void ExpressionParser::parseComparison() {
  const auto acceptSign = [this]() -> std::optional<Operation> {
    if (cursor_.accept("<=")) return Operation::kLessEqual;
    if (cursor_.accept(">=")) return Operation::kGreaterEqual;
    if (cursor_.accept("==")) return Operation::kEqual;
    if (cursor_.accept("!=")) return Operation::kNotEqual;
    if (cursor_.accept("<")) return Operation::kLess;
    if (cursor_.accept(">")) return Operation::kGreater;
    return std::nullopt;
  };
  parseSum();
  const std::optional<Operation> sign = acceptSign();
  if (!sign) return;
  parseSum();
  emit(*sign);
  const std::size_t next = cursor_.position();
  if (acceptSign()) {
    cursor_.fail("comparisons cannot be chained", "write 'a < b && b < c'", next);
  }
}

void ExpressionParser::parseSum() {
  parseProduct();
  for (;;) {
    const bool plus = cursor_.accept("+");
    if (!plus && !cursor_.accept("-")) return;
    parseProduct();
    emit(plus ? Operation::kAdd : Operation::kSubtract);
  }
}

void ExpressionParser::parseProduct() {
  parseUnary();
  for (;;) {
    if (cursor_.startsWith("**")) {
      cursor_.fail("unexpected '**'", "a power is written '^'", cursor_.position());
    }
    const bool times = cursor_.accept("*");
    if (!times && !cursor_.accept("/")) return;
    parseUnary();
    emit(times ? Operation::kMultiply : Operation::kDivide);
  }
}

void ExpressionParser::parseUnary() {
  const Level level(*this);
  if (cursor_.accept("-")) {
    parseUnary();
    emit(Operation::kNegate);
  } else if (cursor_.accept("+")) {
    parseUnary();
  } else if (cursor_.accept("!")) {
    parseUnary();
    emit(Operation::kNot);
  } else {
    parsePower();
  }
}

void ExpressionParser::parsePower() {
  parsePrimary();
  if (!cursor_.accept("^")) return;
  parseUnary();
  emit(Operation::kPower);
}

void ExpressionParser::parsePrimary() {
  if (cursor_.accept("(")) {
    parseChoice();
    cursor_.expect(")", "to close a parenthesis");
    return;
  }
  const char next = cursor_.next();
  if (isNameStart(next)) return parseName();
  if (isNamePart(next) || next == '.') {
    const double number = cursor_.takeNumber();
    const std::optional<base::Dimension> unit = cursor_.takeUnit();
    if (unit) expression_.units_.push_back(*unit);
    return emit(Operation::kConstant, unit ? static_cast<int>(expression_.units_.size()) : 0,
                number);
  }
  cursor_.fail("expected a number, a name or a parenthesis, found " + cursor_.describeNext(), "",
               cursor_.position());
}

void ExpressionParser::parseName() {
  const std::size_t start = cursor_.position();
  const std::string name = cursor_.takeName();
  if (cursor_.accept("(")) {
    parseCall(name, start);
  } else {
    emitVariable(name, start);
  }
}

void ExpressionParser::emitVariable(const std::string& name, std::size_t start) {
  if (names_ == nullptr) {
    uses_.push_back({name, start});
    return emit(Operation::kConstant);
  }
  const int index = names_->find(name);
  if (index >= 0) return emit(Operation::kVariable, index);
  for (const auto& [constant, value] : kConstants) {
    if (name == constant) return emit(Operation::kConstant, 0, value);
  }
  if (findExpressionFunction(name) != nullptr || name == "if") {
    cursor_.fail("the function " + quote(name) + " needs its arguments in parentheses", "", start);
  }
  std::vector<std::string> candidates = names_->names();
  candidates.emplace_back("pi");
  cursor_.fail("unknown name " + quote(name), suggest(name, candidates), start);
}

void ExpressionParser::parseCall(const std::string& name, std::size_t start) {
  if (name == "if") return parseIf();
  const ExpressionFunction* function = findExpressionFunction(name);
  if (function == nullptr) {
    std::vector<std::string> candidates = expressionFunctionNames();
    candidates.emplace_back("if");
    std::string hint = suggest(name, candidates);
    if (hint.empty()) hint = "the functions are " + join(candidates);
    cursor_.fail("unknown function " + quote(name), std::move(hint), start);
  }
  int arguments = 0;
  if (!cursor_.accept(")")) {
    do {
      parseChoice();
      ++arguments;
      // The least and the greatest of many are taken pair by pair, so that the stack stays low.
      const bool folds = function->name == "min" || function->name == "max";
      if (folds && arguments > 1) emitCall(*function, 2, start);
    } while (cursor_.accept(","));
    cursor_.expect(")", "after the arguments of a function");
  }
  const bool folded = arguments > 1 && (function->name == "min" || function->name == "max");
  if (!folded) emitCall(*function, arguments, start);
}

void ExpressionParser::parseIf() {
  parseChoice();
  cursor_.expect(",", "after the condition of 'if'");
  const int toElse = emitJump(Operation::kJumpIfFalse);
  parseChoice();
  cursor_.expect(",", "between the two branches of 'if'");
  const int toEnd = emitJump(Operation::kJump);
  --height_;
  land(toElse);
  parseChoice();
  cursor_.expect(")", "after the arguments of a function");
  land(toEnd);
}

void ExpressionParser::emitCall(const ExpressionFunction& function, int arguments,
                                std::size_t start) {
  const int needed = function.one != nullptr ? 1 : 2;
  if (arguments != needed) {
    cursor_.fail(quote(function.name) + " takes " +
                     (needed == 1 ? "one argument" : "two arguments") + ", not " +
                     std::to_string(arguments),
                 "", start);
  }
  emit(needed == 1 ? Operation::kFunction1 : Operation::kFunction2, 0, 0.0, &function);
}

void ExpressionParser::emit(Operation operation, int index, double constant,
                            const ExpressionFunction* function) {
  const bool pushes = operation == Operation::kConstant || operation == Operation::kVariable;
  const bool keeps = operation == Operation::kNegate || operation == Operation::kNot ||
                     operation == Operation::kTruth || operation == Operation::kFunction1 ||
                     operation == Operation::kJump;
  height_ += pushes ? 1 : (keeps ? 0 : -1);
  expression_.stackSize_ = std::max(expression_.stackSize_, height_);
  if (height_ > Expression::kLargestStack) failOnDepth();
  expression_.code_.push_back({operation, index, constant, function});
}

int ExpressionParser::emitJump(Operation operation) {
  emit(operation);
  return static_cast<int>(expression_.code_.size()) - 1;
}

void ExpressionParser::land(int jump) {
  expression_.code_[jump].index = static_cast<int>(expression_.code_.size());
}

void ExpressionParser::failOnDepth() const {
  cursor_.fail("the expression is nested too deeply", "split it into parameters of its own",
               cursor_.position());
}

}  // namespace flexloop::math
