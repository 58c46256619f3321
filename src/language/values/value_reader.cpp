#include "language/values/value_reader.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace flexloop::language {

using system::Shape;
using system::ValueList;
using system::ValueMap;

namespace {

bool isFormula(const system::Parameter& parameter) {
  if (parameter.shape == Shape::kExpression) return true;
  return parameter.shape == Shape::kByName && parameter.fields.front().shape == Shape::kExpression;
}

}  // namespace

std::optional<system::Value> ValueReader::read(const RawNode& node, const Parameter& parameter,
                                               const Subject& subject) {
  switch (parameter.shape) {
    case Shape::kNumber:
      if (node.map() != nullptr && !parameter.fields.empty()) {
        return readNested(node, parameter, subject);
      }
      return readNumber(node, parameter, subject, parameter.dimension);
    case Shape::kInteger:
      return readInteger(node, parameter, subject);
    case Shape::kBoolean:
      return readBoolean(node, subject);
    case Shape::kText:
      return parameter.anyDimension ? readAny(node, parameter, subject)
                                    : readText(node, subject, "a text");
    case Shape::kChoice:
      return readChoice(node, parameter, subject);
    case Shape::kVector:
    case Shape::kNumbers:
      return readNumbers(node, parameter, subject);
    case Shape::kMatrix:
      return readMatrix(node, parameter, subject);
    case Shape::kNode:
      return readText(node, subject, "the name of a node");
    case Shape::kNodePair:
      return readNodePair(node, subject);
    case Shape::kName:
      return readText(node, subject, "a name");
    case Shape::kSignal:
      return readSignal(node, parameter, subject);
    case Shape::kNamedSignals:
      return readNamedSignals(node, parameter, subject);
    case Shape::kExpression:
      return readExpression(node, parameter, subject);
    case Shape::kMap:
      return readNested(node, parameter, subject);
    case Shape::kByName:
      return readByName(node, parameter, subject);
    case Shape::kSignals:
    case Shape::kTexts:
    case Shape::kChoices:
    case Shape::kNames:
    case Shape::kNodes:
      return readList(node, parameter, subject);
  }
  return std::nullopt;
}

std::optional<system::Value> ValueReader::readText(const RawNode& node, const Subject& subject,
                                                   const char* expected) {
  const RawScalar* scalar = node.scalar();
  if (scalar != nullptr) return Value{node.place, scalar->text};
  errors_.add(
      node.place, subject.text() + ": " + expected + " is expected",
      node.isNull() ? "its value is missing" : "write a single word or text, not a list or a map");
  return std::nullopt;
}

std::optional<system::Value> ValueReader::readAny(const RawNode& node, const Parameter& parameter,
                                                  const Subject& subject) {
  if (const RawList* list = node.list()) {
    ValueList values;
    for (const RawNode& entry : *list) {
      std::optional<Value> value = readAny(entry, parameter, subject);
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    return Value{node.place, std::move(values)};
  }
  const RawScalar* scalar = node.scalar();
  const bool isPlain = scalar != nullptr && !scalar->quoted;
  if (isPlain && (scalar->text == "true" || scalar->text == "false")) {
    return Value{node.place, scalar->text == "true"};
  }
  if (findFormula(node) || (isPlain && isConstantSignal(node))) {
    return readNumber(node, parameter, subject, base::kDimensionless);
  }
  return readText(node, subject, "a number, true, false or a text");
}

std::optional<system::Value> ValueReader::readChoice(const RawNode& node,
                                                     const Parameter& parameter,
                                                     const Subject& subject) {
  if (node.map() != nullptr && !parameter.fields.empty()) {
    return readNested(node, parameter, subject);
  }
  std::optional<Value> value =
      readText(node, subject, ("one of " + listOf(parameter.choices)).c_str());
  if (!value) return std::nullopt;
  const std::string& word = std::get<std::string>(value->data);
  const auto& choices = parameter.choices;
  if (std::find(choices.begin(), choices.end(), word) != choices.end()) return value;
  errors_.addUnknown(node.place, subject.text() + ": " + quote(word) + " is not allowed here", word,
                     choices);
  return std::nullopt;
}

std::optional<system::Value> ValueReader::readBoolean(const RawNode& node, const Subject& subject) {
  if (findFormula(node)) {
    const std::optional<base::Quantity> quantity =
        scope_.parameters->readQuantity(node, subject, errors_);
    if (!quantity) return std::nullopt;
    return Value{node.place, quantity->value != 0.0};
  }
  std::string word = node.scalar() != nullptr ? node.scalar()->text : std::string();
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
  for (const char* yes : {"true", "yes", "on"}) {
    if (word == yes) return Value{node.place, true};
  }
  for (const char* no : {"false", "no", "off"}) {
    if (word == no) return Value{node.place, false};
  }
  errors_.add(node.place, subject.text() + ": expected true or false");
  return std::nullopt;
}

std::optional<system::Value> ValueReader::readNested(const RawNode& node,
                                                     const Parameter& parameter,
                                                     const Subject& subject) {
  const RawMap* map = node.map();
  if (map == nullptr) {
    errors_.add(node.place, subject.text() + ": expected entries 'name: value' in { }");
    return std::nullopt;
  }
  return Value{node.place, readMap(*map, parameter.fields, subject.text(), node.place)};
}

std::optional<system::Value> ValueReader::readByName(const RawNode& node,
                                                     const Parameter& parameter,
                                                     const Subject& subject) {
  const RawMap* map = node.map();
  if (map == nullptr) {
    errors_.add(node.place, subject.text() + ": expected entries 'name: value' in { }");
    return std::nullopt;
  }
  ValueMap values;
  for (const RawEntry& entry : *map) {
    auto value = read(entry.value, parameter.fields.front(), {subject.text(), entry.key});
    if (value) values.push_back({entry.key, std::move(*value)});
  }
  return Value{node.place, std::move(values)};
}

ValueMap ValueReader::readMap(const RawMap& map, const std::vector<Parameter>& parameters,
                              const std::string& owner, const base::Place& place,
                              std::string_view skip) {
  ValueMap values;
  std::vector<std::string> meant;  // keys that are there but misspelt are not missing too
  for (const RawEntry& entry : map) {
    if (entry.key == skip) continue;
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& p) { return p.name == entry.key; });
    if (parameter == parameters.end()) {
      meant.push_back(reportUnknownKey(entry, parameters, owner, skip));
    } else if (auto value = isFormula(*parameter)
                                ? readFormula(entry, map, *parameter, parameters, owner)
                                : read(entry.value, *parameter, {owner, entry.key})) {
      values.push_back({entry.key, std::move(*value)});
      if (auto unit = readUnit(entry, *parameter, {owner, entry.key})) values.push_back(*unit);
    }
  }
  for (const Parameter& parameter : parameters) {
    if (findEntry(map, parameter.name) != nullptr) continue;
    if (std::find(meant.begin(), meant.end(), parameter.name) != meant.end()) continue;
    if (parameter.required) {
      errors_.add(place, owner + ": " + quote(parameter.name) + " is missing",
                  parameter.doc.empty() ? "" : parameter.name + ": " + parameter.doc);
    } else if (!parameter.defaultText.empty()) {
      Value value = defaultOf(parameter, {owner, parameter.name});
      value.place = place;
      values.push_back({parameter.name, std::move(value)});
    }
  }
  return values;
}

std::string ValueReader::reportUnknownKey(const RawEntry& entry,
                                          const std::vector<Parameter>& parameters,
                                          const std::string& owner, std::string_view skip) {
  const std::string message = owner + ": unknown key " + quote(entry.key);
  if (entry.key.find(':') != std::string::npos) {
    errors_.add(entry.place, message, "write a space after the colon: 'key: value'");
    return entry.key.substr(0, entry.key.find(':'));
  }
  if (entry.value.isNull() && entry.key.find_first_of("()") != std::string::npos) {
    errors_.add(entry.place, message, kCommaHint);
    return {};
  }
  if (entry.value.isNull() && entry.key.find_first_not_of("0123456789") == std::string::npos) {
    errors_.add(entry.place, message, "use a point as the decimal separator: 1.5");
    return {};
  }
  std::vector<std::string> known;
  if (!skip.empty()) known.emplace_back(skip);
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  return errors_.addUnknown(entry.place, message, entry.key, known);
}

// Defaults are written in the model language, so that the manual shows what is filled in.
const system::Value& ValueReader::defaultOf(const Parameter& parameter, const Subject& subject) {
  const auto known = defaults_.find(&parameter);
  if (known != defaults_.end()) return known->second;
  ErrorList errors;
  std::optional<Value> value;
  try {
    const RawNode node = parseYaml(parameter.defaultText, nullptr, errors, false);
    const ParameterTable none;
    value = ValueReader(none, errors).read(node, parameter, subject);
    errors.raiseIfAny();
  } catch (const base::InputError& error) {
    throw std::logic_error("the default of " + subject.text() + " cannot be read: " + error.what());
  }
  return defaults_.emplace(&parameter, std::move(*value)).first->second;
}

}  // namespace flexloop::language
