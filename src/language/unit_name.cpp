#include "language/unit_name.hpp"

#include <vector>

namespace flexloop::language {
namespace {

std::string unitNameOf(const base::Dimension& dimension) {
  if (dimension == base::kDimensionless && dimension.angle == 0) return {};
  const std::string text = base::describe(dimension);
  // `a length (m)` or `a quantity in kg*s`
  const std::size_t bracket = text.rfind('(');
  if (bracket != std::string::npos) return text.substr(bracket + 1, text.size() - bracket - 2);
  return text.substr(text.rfind(' ') + 1);
}

}  // namespace

std::string unitNameOf(const system::Parameter& parameter) {
  if (parameter.anyDimension) return "any";
  if (parameter.dimensions.empty()) return unitNameOf(parameter.dimension);
  std::string names;
  for (const base::Dimension& dimension : parameter.dimensions) {
    const std::string name = unitNameOf(dimension);
    if (names.size() >= name.size() && names.ends_with(name) && !name.empty()) continue;
    names += (names.empty() ? "" : ", ") + (name.empty() ? "1" : name);
  }
  return names;
}

}  // namespace flexloop::language
