// The part of ValueReader that reads numbers and lists.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text_format.hpp"
#include "language/unit_name.hpp"
#include "language/values/value_reader.hpp"
#include "system/stated_unit.hpp"

namespace flexloop::language {

using system::Shape;
using system::ValueList;

namespace {

// What the value must be, or nothing if it is so.
std::string calcComplaint(double value, const system::Parameter& parameter) {
  if (value < parameter.lower || (parameter.lowerOpen && value == parameter.lower)) {
    if (parameter.lower == 0.0) return parameter.lowerOpen ? "be positive" : "not be negative";
    return (parameter.lowerOpen ? "be greater than " : "be at least ") +
           base::numberText(parameter.lower);
  }
  if (value > parameter.upper) return "be at most " + base::numberText(parameter.upper);
  return {};
}

std::string describe(const RawNode& node, double value) {
  const std::string text = quote(node.scalar()->text);
  return findFormula(node) ? text + " gives " + base::numberText(value) : "is " + text;
}

bool isAllZero(const ValueList& list) {
  return std::all_of(list.begin(), list.end(), [](const system::Value& value) {
    return std::get<double>(value.data) == 0.0;
  });
}

// The one of several dimensions that the quantity has, if there is a choice.
const base::Dimension& dimensionOf(const system::Parameter& parameter,
                                   const base::Quantity& quantity,
                                   const base::Dimension& dimension) {
  if (!system::hasSeveralDimensions(parameter)) return dimension;
  const auto found =
      std::find(parameter.dimensions.begin(), parameter.dimensions.end(), quantity.dimension);
  return found == parameter.dimensions.end() ? dimension : *found;
}

}  // namespace

bool isConstantSignal(const RawNode& node) {
  const RawScalar* scalar = node.scalar();
  if (scalar == nullptr) return false;
  if (findFormula(node)) return true;
  const std::string& text = scalar->text;
  const std::size_t first = text.find_first_not_of("+-");
  return first != std::string::npos &&
         ((text[first] >= '0' && text[first] <= '9') || text[first] == '.');
}

bool ValueReader::isInRange(double value, const RawNode& node, const Parameter& parameter,
                            const Subject& subject) {
  const std::string complaint = calcComplaint(value, parameter);
  if (complaint.empty()) return true;
  errors_.add(node.place, subject.text() + ": " + describe(node, value) + ", but must " + complaint,
              parameter.doc.empty() ? "" : parameter.name + ": " + parameter.doc);
  return false;
}

void ValueReader::reportUnit(const base::Failure& failure, const base::Quantity& quantity,
                             const RawNode& node, const Parameter& parameter,
                             const Subject& subject, const base::Dimension& dimension) {
  if (system::hasSeveralDimensions(parameter)) {
    std::string all;
    for (const base::Dimension& one : parameter.dimensions) {
      all += (all.empty() ? "" : " or ") + base::describe(one);
    }
    return errors_.add(node.place, subject.text() + ": the unit is that of " +
                                       base::describe(quantity.dimension) + ", but " + all +
                                       " is needed");
  }
  if (!findFormula(node) || quantity.dimension == dimension) {
    return errors_.add(node.place, subject.text(), failure);
  }
  errors_.add(node.place,
              subject.text() + ": " + quote(node.scalar()->text) + " is " +
                  base::describe(quantity.dimension) + ", but " + base::describe(dimension) +
                  " is needed",
              scope_.parameters->describeUnits(node));
}

namespace {

// Whether the values by name are numbers of any dimension, which their maker may know.
bool haveAnyUnits(const system::Parameter& parameter) {
  return parameter.shape == Shape::kByName && parameter.fields.front().shape == Shape::kText &&
         parameter.fields.front().anyDimension;
}

// An angle has no dimension, but where a ratio or a coefficient is meant it is a mistake.
bool isAngleForNumber(const base::Quantity& quantity, const base::Dimension& needed) {
  return quantity.hasUnit && quantity.dimension == base::kDimensionless &&
         quantity.dimension.angle != 0 && needed == base::kDimensionless && needed.angle == 0;
}

}  // namespace

std::optional<double> ValueReader::readChecked(const RawNode& node, const Parameter& parameter,
                                               const Subject& subject,
                                               const base::Dimension& dimension) {
  const std::optional<base::Quantity> quantity =
      scope_.parameters->readQuantity(node, subject, errors_);
  if (!quantity) return std::nullopt;
  const base::Dimension& needed = dimensionOf(parameter, *quantity, dimension);
  if (isAngleForNumber(*quantity, needed) && !parameter.anyDimension && !findFormula(node)) {
    errors_.add(node.place,
                subject.text() + ": the unit is that of an angle, but " + base::describe(needed) +
                    " is needed",
                "an angle is no pure number here: leave out the unit");
    return std::nullopt;
  }
  const base::Result<double> value =
      parameter.anyDimension ? quantity->value : base::convertToSi(*quantity, needed);
  if (!value) {
    reportUnit(value.failure(), *quantity, node, parameter, subject, needed);
    return std::nullopt;
  }
  if (!isInRange(value.value(), node, parameter, subject)) return std::nullopt;
  return value.value();
}

std::optional<system::NamedValue> ValueReader::readUnit(const RawEntry& entry,
                                                        const Parameter& parameter,
                                                        const Subject& subject) {
  if (haveAnyUnits(parameter)) {
    system::ValueMap units;
    for (const RawEntry& one : *entry.value.map()) {
      system::ValueList stated;
      listUnits(one.value, {subject.text(), one.key}, stated);
      if (!stated.empty()) units.push_back({one.key, Value{one.value.place, std::move(stated)}});
    }
    if (units.empty()) return std::nullopt;
    return system::NamedValue{system::unitKeyOf(entry.key),
                              Value{entry.value.place, std::move(units)}};
  }
  if (!system::hasSeveralDimensions(parameter)) return std::nullopt;
  const auto quantity = scope_.parameters->readQuantity(entry.value, subject, errors_);
  if (!quantity || !quantity->hasUnit) return std::nullopt;
  Parameter stated = parameter;
  stated.dimensions = {dimensionOf(parameter, *quantity, parameter.dimension)};
  return system::NamedValue{system::unitKeyOf(entry.key),
                            Value{entry.value.place, unitNameOf(stated)}};
}

// Of the numbers in a value that have one, each in units of SI.
void ValueReader::listUnits(const RawNode& node, const Subject& subject, system::ValueList& units) {
  if (const RawList* list = node.list()) {
    for (const RawNode& entry : *list) listUnits(entry, subject, units);
    return;
  }
  const RawScalar* scalar = node.scalar();
  const bool isNumber =
      findFormula(node) || (scalar != nullptr && !scalar->quoted && isConstantSignal(node));
  if (!isNumber) return;
  const auto quantity = scope_.parameters->readQuantity(node, subject, errors_);
  if (!quantity || !quantity->hasUnit) return;
  Parameter stated;
  stated.dimensions = {quantity->dimension};
  units.push_back(Value{node.place, unitNameOf(stated)});
}

std::optional<system::Value> ValueReader::readNumber(const RawNode& node,
                                                     const Parameter& parameter,
                                                     const Subject& subject,
                                                     const base::Dimension& dimension) {
  const std::optional<double> value = readChecked(node, parameter, subject, dimension);
  if (!value) return std::nullopt;
  if (parameter.nonZero && *value == 0.0) {
    errors_.add(node.place, subject.text() + ": must not be zero");
    return std::nullopt;
  }
  return Value{node.place, *value};
}

std::optional<system::Value> ValueReader::readInteger(const RawNode& node,
                                                      const Parameter& parameter,
                                                      const Subject& subject) {
  const std::optional<double> value = readChecked(node, parameter, subject, parameter.dimension);
  if (!value) return std::nullopt;
  constexpr double kLargest = std::numeric_limits<int>::max();
  const bool whole = *value == std::round(*value);
  if (whole && std::abs(*value) <= kLargest) return Value{node.place, *value};
  errors_.add(node.place, subject.text() + ": " + describe(node, *value) +
                              (whole ? ", which is too large" : ", but must be a whole number"));
  return std::nullopt;
}

bool ValueReader::hasRightCount(std::size_t count, const RawNode& node, const Parameter& parameter,
                                const Subject& subject) {
  std::vector<int> possible = parameter.counts;
  if (parameter.shape == Shape::kVector) possible = {3};
  if (possible.empty() && parameter.count > 0) possible = {parameter.count};
  if (possible.empty()) return true;
  if (std::find(possible.begin(), possible.end(), static_cast<int>(count)) != possible.end()) {
    return true;
  }
  const RawList* list = node.list();
  const bool cut = list != nullptr && std::any_of(list->begin(), list->end(), isCutByComma);
  std::string hint = parameter.shape == Shape::kVector ? "a vector is written as [x, y, z]" : "";
  if (cut) hint = kCommaHint;
  std::vector<std::string> words;
  for (const int n : possible) words.push_back(std::to_string(n));
  errors_.add(
      node.place,
      subject.text() + ": " + listOf(words) + " numbers are expected, not " + std::to_string(count),
      hint);
  return false;
}

std::optional<system::Value> ValueReader::readNumbers(const RawNode& node,
                                                      const Parameter& parameter,
                                                      const Subject& subject) {
  if (files_ != nullptr && namesFile(node)) return readNumbersOfFile(node, parameter, subject);
  const RawList* list = node.list();
  const bool single = node.scalar() != nullptr && parameter.shape == Shape::kNumbers;
  if (list == nullptr && !single) {
    errors_.add(node.place, subject.text() + ": expected a list of numbers",
                parameter.shape == Shape::kVector ? "a vector is written as [x, y, z]"
                                                  : "a list is written as [1, 2, 3]");
    return std::nullopt;
  }
  const std::size_t count = single ? 1 : list->size();
  if (!hasRightCount(count, node, parameter, subject)) return std::nullopt;
  ValueList values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool own = i < parameter.dimensions.size();
    const base::Dimension& dimension = own ? parameter.dimensions[i] : parameter.dimension;
    const RawNode& entry = single ? node : (*list)[i];
    // A direction may be made of lengths, such as those of a triangle.
    const bool isDirection = parameter.shape == Shape::kVector && parameter.nonZero &&
                             dimension == base::kDimensionless && findFormula(entry);
    Parameter any;
    if (isDirection) any = parameter, any.anyDimension = true;
    const std::optional<double> value =
        readChecked(entry, isDirection ? any : parameter, subject, dimension);
    if (value) values.push_back({entry.place, *value});
  }
  if (values.size() != count) return std::nullopt;
  if (parameter.nonZero && isAllZero(values)) {
    errors_.add(node.place, subject.text() + ": must not be zero",
                parameter.doc.empty() ? "" : parameter.name + ": " + parameter.doc);
    return std::nullopt;
  }
  return Value{node.place, std::move(values)};
}

std::optional<system::Value> ValueReader::checkNumbersOfFile(const std::vector<double>& numbers,
                                                             const RawNode& node,
                                                             const Parameter& parameter,
                                                             const Subject& subject) {
  if (!hasRightCount(numbers.size(), node, parameter, subject)) return std::nullopt;
  ValueList values;
  values.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (const std::string complaint = calcComplaint(numbers[i], parameter); !complaint.empty()) {
      errors_.add(node.place, subject.text() + ": number " + std::to_string(i + 1) +
                                  " of the file is " + base::numberText(numbers[i]) +
                                  ", but must " + complaint);
      return std::nullopt;
    }
    values.push_back({node.place, numbers[i]});
  }
  if (parameter.nonZero && isAllZero(values)) {
    errors_.add(node.place, subject.text() + ": must not be zero");
    return std::nullopt;
  }
  return Value{node.place, std::move(values)};
}

std::optional<system::Value> ValueReader::readNumbersOfFile(const RawNode& node,
                                                            const Parameter& parameter,
                                                            const Subject& subject) {
  const auto numbers = files_->readColumn(*node.map(), subject, errors_);
  if (!numbers) return std::nullopt;
  return checkNumbersOfFile(*numbers, node, parameter, subject);
}

std::optional<system::Value> ValueReader::readMatrixOfFile(const RawNode& node,
                                                           const Parameter& parameter,
                                                           const Subject& subject) {
  const auto rows = files_->readRows(*node.map(), subject, errors_);
  if (!rows) return std::nullopt;
  Parameter row = parameter;
  row.shape = Shape::kNumbers;
  row.count = 0;
  ValueList values;
  for (const std::vector<double>& numbers : *rows) {
    std::optional<Value> value = checkNumbersOfFile(numbers, node, row, subject);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return Value{node.place, std::move(values)};
}

std::optional<system::Value> ValueReader::readMatrix(const RawNode& node,
                                                     const Parameter& parameter,
                                                     const Subject& subject) {
  if (files_ != nullptr && namesFile(node)) return readMatrixOfFile(node, parameter, subject);
  Parameter row = parameter;
  row.shape = Shape::kNumbers;
  row.count = 0;
  // Entries in SI of whatever dimension: that of the matrix as a whole is none.
  row.anyDimension = parameter.anyDimension || parameter.dimension == base::kDimensionless;
  if (node.scalar() != nullptr) {  // one number is a matrix of one entry
    std::optional<Value> value = readNumbers(node, row, subject);
    if (!value) return std::nullopt;
    return Value{node.place, ValueList{std::move(*value)}};
  }
  const RawList* list = node.list();
  const bool hasRows =
      list != nullptr &&
      std::all_of(list->begin(), list->end(), [](const RawNode& n) { return n.list() != nullptr; });
  if (!hasRows) {
    errors_.add(node.place, subject.text() + ": expected a matrix",
                "a matrix is a list of rows: [[1, 0], [0, 1]]");
    return std::nullopt;
  }
  ValueList rows;
  for (const RawNode& entry : *list) {
    if (entry.list()->size() != list->front().list()->size()) {
      errors_.add(entry.place, subject.text() + ": the rows have different lengths");
      return std::nullopt;
    }
    std::optional<Value> value = readNumbers(entry, row, subject);
    if (value) rows.push_back(std::move(*value));
  }
  if (rows.size() != list->size()) return std::nullopt;
  return Value{node.place, std::move(rows)};
}

std::optional<system::Value> ValueReader::readSignal(const RawNode& node,
                                                     const Parameter& parameter,
                                                     const Subject& subject) {
  if (isConstantSignal(node)) {
    Parameter number = parameter;
    number.anyDimension = parameter.anyDimension || parameter.dimension == base::kDimensionless;
    return readNumber(node, number, subject, parameter.dimension);
  }
  return readText(node, subject, "the name of a signal, or a number,");
}

std::optional<system::Value> ValueReader::readNodePair(const RawNode& node,
                                                       const Subject& subject) {
  const RawList* list = node.list();
  if (list == nullptr || list->size() != 2) {
    errors_.add(node.place, subject.text() + ": expected two nodes",
                "write [first, second], for example [ground, A]");
    return std::nullopt;
  }
  ValueList pair;
  for (const RawNode& entry : *list) {
    std::optional<Value> value = readText(entry, subject, "the name of a node");
    if (value) pair.push_back(std::move(*value));
  }
  if (pair.size() != 2 || !isDifferent(pair, subject)) return std::nullopt;
  return Value{node.place, std::move(pair)};
}

bool ValueReader::isDifferent(const ValueList& list, const Subject& subject) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::get<std::string>(list[i].data) != std::get<std::string>(list[j].data)) continue;
      errors_.add(
          list[i].place,
          subject.text() + ": " + quote(std::get<std::string>(list[i].data)) + " is given twice");
      return false;
    }
  }
  return true;
}

std::optional<system::Value> ValueReader::readList(const RawNode& node, const Parameter& parameter,
                                                   const Subject& subject) {
  if (node.map() != nullptr || node.isNull()) {
    errors_.add(node.place, subject.text() + ": expected a list", "a list is written as [a, b]");
    return std::nullopt;
  }
  Parameter single = parameter;
  single.fields.clear();
  single.shape = parameter.shape == Shape::kSignals   ? Shape::kSignal
                 : parameter.shape == Shape::kChoices ? Shape::kChoice
                 : parameter.shape == Shape::kNodes   ? Shape::kNode
                                                      : Shape::kText;
  const std::size_t count = node.list() != nullptr ? node.list()->size() : 1;
  ValueList values;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<Value> value =
        read(node.list() != nullptr ? (*node.list())[i] : node, single, subject);
    if (value) values.push_back(std::move(*value));
  }
  if (values.size() != count) return std::nullopt;
  if (parameter.shape == Shape::kChoices && !isDifferent(values, subject)) return std::nullopt;
  return Value{node.place, std::move(values)};
}

}  // namespace flexloop::language
