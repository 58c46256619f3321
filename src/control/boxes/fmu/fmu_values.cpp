#include "control/boxes/fmu/fmu_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <sstream>

namespace flexloop::control {

using system::Value;

namespace {

double numberOf(const std::string& text) {
  if (text == "true") return 1.0;
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::isfinite(value) ? value : 0.0;
}

// The entries of a list of lists, one after the other. False: it has another shape than the array.
bool flatten(const Value& value, std::span<const FmuVariable::Extent> extents,
             std::vector<const Value*>& entries) {
  const auto* list = std::get_if<system::ValueList>(&value.data);
  if (extents.empty()) {
    entries.push_back(&value);
    return list == nullptr;
  }
  if (list == nullptr || std::ssize(*list) != extents.front().length) return false;
  return std::all_of(list->begin(), list->end(), [&](const Value& inner) {
    return flatten(inner, extents.subspan(1), entries);
  });
}

// Adds the number. What the variable is, if the value is none of that kind.
std::string addNumber(const FmuVariable& variable, const Value& value,
                      std::vector<double>& numbers) {
  const auto* number = std::get_if<double>(&value.data);
  const auto* truth = std::get_if<bool>(&value.data);
  if (variable.type == FmuType::kBoolean) {
    const bool isTruth =
        truth != nullptr || (number != nullptr && (*number == 0.0 || *number == 1.0));
    if (!isTruth) return "is true or false";
    numbers.push_back(truth != nullptr ? (*truth ? 1.0 : 0.0) : *number);
    return {};
  }
  if (number == nullptr) return std::string("is a number of type ") + nameOf(variable.type);
  if (!isFloat(variable.type) && *number != std::round(*number)) return "is a whole number";
  numbers.push_back(*number);
  return {};
}

}  // namespace

std::vector<double> startsOf(const FmuVariable& variable) {
  std::vector<double> numbers;
  std::istringstream text(variable.start.value_or(""));
  for (std::string word; text >> word;) numbers.push_back(numberOf(word));
  const auto count = static_cast<std::size_t>(variable.count());
  if (numbers.size() != count) numbers.assign(count, 0.0);
  return numbers;
}

std::string shapeOf(const FmuVariable& variable) {
  std::string text;
  for (const FmuVariable::Extent& extent : variable.extents) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent.length);
  }
  return text;
}

base::Result<std::vector<double>> numbersOf(const FmuVariable& variable, const Value& value) {
  std::vector<const Value*> entries;
  const std::string hint =
      variable.isArray() ? "write it as a list, a matrix as a list of its rows" : "";
  if (!flatten(value, variable.extents, entries)) {
    return base::Failure{
        variable.isArray() ? "is an array of " + shapeOf(variable) : "is one value", hint};
  }
  std::vector<double> numbers;
  for (const Value* entry : entries) {
    if (const std::string why = addNumber(variable, *entry, numbers); !why.empty()) {
      return base::Failure{why, hint};
    }
  }
  return numbers;
}

}  // namespace flexloop::control
