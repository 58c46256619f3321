#include "math/expressions/expression.hpp"

#include <algorithm>

#include "base/text_format.hpp"
#include "math/expressions/expression_parser.hpp"

namespace flexloop::math {

NameIndex::NameIndex(std::initializer_list<std::string> names) {
  for (const std::string& name : names) add(name);
}

NameIndex::NameIndex(const std::vector<std::string>& names) {
  for (const std::string& name : names) add(name);
}

int NameIndex::add(const std::string& name) {
  const auto [entry, isNew] = indices_.try_emplace(name, static_cast<int>(names_.size()));
  if (isNew) names_.push_back(name);
  return entry->second;
}

int NameIndex::find(const std::string& name) const {
  const auto entry = indices_.find(name);
  return entry == indices_.end() ? -1 : entry->second;
}

base::Result<Expression> Expression::parse(std::string_view text, const NameIndex& names) {
  return ExpressionParser(text, &names).parse();
}

bool Expression::uses(int index) const {
  return std::any_of(code_.begin(), code_.end(), [&](const Instruction& instruction) {
    return instruction.operation == Operation::kVariable && instruction.index == index;
  });
}

std::string writeConstant(double value, const base::Dimension& unit) {
  std::string text = "(" + base::numberText(value);
  char separator = '[';
  for (const int exponent : {unit.length, unit.mass, unit.time, unit.current, unit.temperature,
                             unit.angle, unit.cycle}) {
    text += separator + std::to_string(exponent);
    separator = ',';
  }
  return text + "])";
}

base::Result<std::vector<NameUse>> findExpressionNames(std::string_view text) {
  ExpressionParser parser(text, nullptr);
  const base::Result<Expression> result = parser.parse();
  if (!result) return result.failure();
  return parser.uses();
}

bool isExpressionName(std::string_view name) {
  return !name.empty() && isNameStart(name.front()) &&
         std::all_of(name.begin(), name.end(), isNamePart);
}

}  // namespace flexloop::math
