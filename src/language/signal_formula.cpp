#include "language/signal_formula.hpp"

#include <algorithm>
#include <numbers>

#include "math/expressions/expression.hpp"

namespace flexloop::language {

void replaceSignalNames(std::string& formula, const std::vector<std::string>& variables,
                        const std::function<std::string(const std::string&)>& replace) {
  const base::Result<std::vector<math::NameUse>> uses = math::findExpressionNames(formula);
  if (!uses) return;  // it has been reported where it was read
  // From the end, so that the places of the others stay right.
  for (std::size_t i = uses.value().size(); i > 0; --i) {
    const math::NameUse& use = uses.value()[i - 1];
    if (std::find(variables.begin(), variables.end(), use.name) != variables.end()) continue;
    formula.replace(use.offset, use.name.size(), replace(use.name));
  }
}

std::optional<double> findConstant(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  return std::nullopt;
}

bool canStandInFormula(std::string_view signal) {
  return std::all_of(signal.begin(), signal.end(),
                     [](char c) { return c == '.' || math::isNamePart(c); });
}

}  // namespace flexloop::language
