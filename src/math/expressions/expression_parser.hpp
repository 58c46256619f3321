// Translates the text of a formula into instructions by recursive descent. A part of
// expression.hpp, which states the grammar and is what others use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "math/expressions/expression.hpp"
#include "math/expressions/expression_cursor.hpp"

namespace flexloop::math {

class ExpressionParser {
 public:
  // Without names, every name is accepted and only recorded.
  ExpressionParser(std::string_view text, const NameIndex* names) : cursor_(text), names_(names) {
    expression_.text_ = text;
  }

  base::Result<Expression> parse();
  const std::vector<NameUse>& uses() const { return uses_; }

 private:
  using Operation = Expression::Operation;

  class Level;

  void parseChoice();
  void parseOr();
  void parseAnd();
  void parseComparison();
  void parseSum();
  void parseProduct();
  void parseUnary();
  void parsePower();
  void parsePrimary();
  void parseName();
  void parseCall(const std::string& name, std::size_t start);
  void parseIf();
  void emitCall(const ExpressionFunction& function, int arguments, std::size_t start);
  void emitVariable(const std::string& name, std::size_t start);

  void emit(Operation operation, int index = 0, double constant = 0.0,
            const ExpressionFunction* function = nullptr);
  int emitJump(Operation operation);
  void land(int jump);
  [[noreturn]] void failOnDepth() const;

  ExpressionCursor cursor_;
  const NameIndex* names_;
  int level_ = 0;
  int height_ = 0;  // values on the stack at this point of the code
  Expression expression_;
  std::vector<NameUse> uses_;
};

}  // namespace flexloop::math
