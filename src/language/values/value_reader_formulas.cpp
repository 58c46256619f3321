// The part of ValueReader that reads formulas and the signals that they use.
#include <algorithm>
#include <utility>

#include "language/values/value_reader.hpp"

namespace flexloop::language {

using system::NamedValue;
using system::Shape;
using system::ValueMap;

namespace {

// Names are given by the keys of a map, or are those of the signals in a list.
std::vector<std::pair<std::string, const RawNode*>> namedNodes(const RawNode& node) {
  std::vector<std::pair<std::string, const RawNode*>> result;
  const auto add = [&](const RawNode& signal) {
    result.emplace_back(signal.scalar() != nullptr ? signal.scalar()->text : "", &signal);
  };
  if (const RawMap* map = node.map()) {
    for (const RawEntry& entry : *map) result.emplace_back(entry.key, &entry.value);
  } else if (const RawList* list = node.list()) {
    for (const RawNode& entry : *list) add(entry);
  } else {
    add(node);
  }
  return result;
}

bool isFormulaName(const std::string& name) {
  return !name.empty() && math::isNameStart(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return math::isNamePart(c) || c == '.'; });
}

}  // namespace

std::optional<NamedValue> ValueReader::readNamedSignal(const std::string& name, const RawNode& node,
                                                       const Parameter& parameter,
                                                       const Subject& subject) {
  std::optional<Value> value = read(node, parameter, subject);
  if (!value) return std::nullopt;
  if (name == "t") {
    errors_.add(node.place, subject.text() + ": 't' is reserved for time in formulas",
                "give the signal another name: {a: NAME}");
  } else if (!isFormulaName(name)) {
    errors_.add(node.place,
                subject.text() + ": " + quote(name) + " cannot be used as a name in a formula",
                "give it a name of letters, digits and '_': {a: " + name + "}");
  } else {
    return NamedValue{name, std::move(*value)};
  }
  return std::nullopt;
}

std::optional<system::Value> ValueReader::readNamedSignals(const RawNode& node,
                                                           const Parameter& parameter,
                                                           const Subject& subject) {
  Parameter single = parameter;
  single.shape = Shape::kSignal;
  ValueMap signals;
  bool isRight = true;
  for (const auto& [name, signal] : namedNodes(node)) {
    std::optional<NamedValue> named = readNamedSignal(name, *signal, single, subject);
    isRight = isRight && named.has_value();
    if (!named) continue;
    const auto isSame = [&](const NamedValue& other) { return other.name == named->name; };
    if (std::any_of(signals.begin(), signals.end(), isSame)) {
      errors_.add(signal->place, subject.text() + ": " + quote(named->name) + " is given twice");
      isRight = false;
    }
    signals.push_back(std::move(*named));
  }
  if (!isRight) return std::nullopt;
  return Value{node.place, std::move(signals)};
}

std::optional<system::Value> ValueReader::readFormula(const RawEntry& entry, const RawMap& map,
                                                      const Parameter& parameter,
                                                      const std::vector<Parameter>& parameters,
                                                      const std::string& owner) {
  Parameter whole = parameter;
  const bool isEach = parameter.shape == Shape::kByName;
  Parameter& formula = isEach ? whole.fields.front() : whole;
  for (const Parameter& other : parameters) {
    const RawEntry* names = findEntry(map, other.name);
    const bool namesVariables = other.shape == Shape::kNamedSignals || other.namesVariables;
    if (!namesVariables || names == nullptr) continue;
    for (const auto& [name, node] : namedNodes(names->value)) formula.choices.push_back(name);
  }
  if (isEach) return readByName(entry.value, whole, {owner, entry.key});
  return readExpression(entry.value, formula, {owner, entry.key});
}

// Names that are no parameters of the model stay; the maker of the item knows them.
std::optional<system::Value> ValueReader::readExpression(const RawNode& node,
                                                         const Parameter& parameter,
                                                         const Subject& subject) {
  std::vector<std::string> variables = parameter.choices;
  if (parameter.namesSignals && scope_.signals != nullptr) {
    variables.insert(variables.end(), scope_.signals->begin(), scope_.signals->end());
  }
  std::optional<std::string> formula =
      scope_.parameters->readFormula(node, variables, subject, errors_);
  if (!formula) return std::nullopt;
  return Value{node.place, std::move(*formula)};
}

}  // namespace flexloop::language
