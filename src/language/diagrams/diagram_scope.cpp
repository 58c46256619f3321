#include "language/diagrams/diagram_scope.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/nearest_word.hpp"
#include "base/text_format.hpp"
#include "language/item_reader.hpp"
#include "language/signal_formula.hpp"

namespace flexloop::language {

using system::Shape;
using system::ValueList;
using system::ValueMap;

namespace {

bool hasSignal(const RawModel& model, const std::string& name) {
  return std::any_of(model.sections.begin(), model.sections.end(), [&](const RawSection& section) {
    return sharesSignalNames(section.name) && findEntry(section.entries, name) != nullptr;
  });
}

}  // namespace

SignalMeaning DiagramScope::find(const std::string& name, const base::Place& place,
                                 const Subject& subject) const {
  const bool hasSign = name.starts_with('-');
  const std::string whole = name.substr(hasSign ? 1 : 0);
  const std::size_t dot = std::min(whole.find('.'), whole.size());
  const std::string owner = whole.substr(0, dot);
  const std::string rest = whole.substr(dot);
  SignalMeaning meaning;
  meaning.isNegative = hasSign;
  if (const int input = diagram_.findInput(owner); input >= 0) {
    meaning = inputs[input];
    meaning.isNegative = meaning.isNegative != hasSign;
    if (!meaning.signal.empty()) {
      meaning.signal += rest;
    } else if (rest == ".rate") {
      meaning.number = {};
    } else if (!rest.empty() && !meaning.isWrong) {
      errors_.add(place,
                  subject.text() + ": " + quote(owner) + " is a number here and has no " +
                      quote(rest.substr(1)),
                  "connect the input " + quote(owner) + " to a signal that has it");
      meaning.isWrong = true;
    }
  } else if (diagram_.findBlock(owner) != nullptr) {
    meaning.signal = path_ + "." + whole;
  } else {
    reportUnknown(owner, place, subject);
    meaning.isWrong = true;
  }
  return meaning;
}

void DiagramScope::reportUnknown(const std::string& name, const base::Place& place,
                                 const Subject& subject) const {
  std::vector<std::string> known = diagram_.inputs;
  for (const Diagram::Block& block : diagram_.blocks) known.push_back(block.entry->key);
  const std::optional<std::string> nearest = base::findNearestWord(name, known);
  const bool isOutside = hasSignal(model_, name);
  std::string hint =
      "a diagram can read only its inputs and its own blocks: add an input to 'inputs' of "
      "'diagrams." +
      diagram_.name + "' and connect " + (isOutside ? quote(name) : "the signal") + " to it";
  if (nearest && !isOutside) hint = "did you mean " + quote(*nearest) + "?";
  errors_.add(
      place,
      subject.text() + ": " + quote(name) +
          (isOutside ? " is a signal outside the diagram" : " is not a signal of the diagram"),
      std::move(hint));
}

void DiagramScope::replaceSignals(ValueMap& values, const std::vector<Parameter>& fields,
                                  std::string_view owner) const {
  ValueMap right;
  right.reserve(values.size());
  for (system::NamedValue& entry : values) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const Parameter& p) { return p.name == entry.name; });
    const bool isRight = field == fields.end() || replace(entry.value, *field, {owner, entry.name});
    if (isRight) right.push_back(std::move(entry));
  }
  values = std::move(right);
}

bool DiagramScope::replace(Value& value, const Parameter& parameter, const Subject& subject) const {
  if (ValueMap* map = std::get_if<ValueMap>(&value.data)) {
    if (parameter.shape == Shape::kNamedSignals) return replaceNamed(*map, parameter, subject);
    if (parameter.shape == Shape::kByName) {
      bool isRight = true;
      for (system::NamedValue& entry : *map) {
        isRight = replace(entry.value, parameter.fields.front(), subject) && isRight;
      }
      return isRight;
    }
    replaceSignals(*map, parameter.fields, subject.text());
    return true;
  }
  if (parameter.shape == Shape::kExpression && parameter.namesSignals) {
    return replaceInFormula(value, parameter, subject);
  }
  if (parameter.shape != Shape::kSignal && parameter.shape != Shape::kSignals) return true;
  ValueList* list = std::get_if<ValueList>(&value.data);
  if (list == nullptr) return replaceSignal(value, parameter, subject);
  bool isRight = true;
  for (Value& entry : *list) isRight = replaceSignal(entry, parameter, subject) && isRight;
  return isRight;
}

// The names that the formula knows stay; only their meaning changes.
bool DiagramScope::replaceNamed(ValueMap& signals, const Parameter& parameter,
                                const Subject& subject) const {
  bool isRight = true;
  for (system::NamedValue& signal : signals) {
    isRight = replaceSignal(signal.value, parameter, subject) && isRight;
  }
  return isRight;
}

bool DiagramScope::replaceSignal(Value& value, const Parameter& parameter,
                                 const Subject& subject) const {
  const std::string* name = std::get_if<std::string>(&value.data);
  if (name == nullptr) return true;  // a number
  const bool signAllowed = parameter.shape != Shape::kSignal;
  const bool hasSign = name->starts_with('-');
  const SignalMeaning meaning = find(*name, value.place, subject);
  if (meaning.isWrong) return false;
  if (!signAllowed && (hasSign || (meaning.isNegative && !meaning.signal.empty()))) {
    errors_.add(
        value.place,
        subject.text() + ": a sign is not allowed here" +
            (hasSign ? ""
                     : ", but " + quote(*name) + " is connected to " + quote("-" + meaning.signal)),
        "negate " + quote(hasSign ? name->substr(1) : meaning.signal) + " with a block");
    return false;
  }
  if (!meaning.signal.empty()) {
    value.data = (meaning.isNegative ? "-" : "") + meaning.signal;
    return true;
  }
  const bool isFree = parameter.anyDimension || parameter.dimension == base::kDimensionless;
  const base::Result<double> number =
      isFree ? meaning.number.value : base::convertToSi(meaning.number, parameter.dimension);
  if (!number) {
    errors_.add(meaning.place, subject.text(), number.failure());
    return false;
  }
  value.data = meaning.isNegative ? -number.value() : number.value();
  return true;
}

bool DiagramScope::replaceInFormula(Value& value, const Parameter& parameter,
                                    const Subject& subject) const {
  bool isRight = true;
  const auto textOf = [&](const std::string& name) {
    const bool isInside = diagram_.findInput(name) >= 0 || diagram_.findBlock(name) != nullptr;
    const std::optional<double> constant = findConstant(name);
    // As a number, so that no signal outside takes its place.
    if (constant && !isInside) return "(" + base::numberText(*constant) + ")";
    const SignalMeaning meaning = find(name, value.place, subject);
    isRight = isRight && !meaning.isWrong;
    if (!canStandInFormula(meaning.signal)) {
      errors_.add(value.place,
                  subject.text() + ": " + quote(meaning.signal) + " cannot be used in a formula",
                  "rename it, using only letters, digits and '_'");
      isRight = false;
    }
    if (!meaning.isNegative && !meaning.signal.empty()) return meaning.signal;
    return (meaning.isNegative ? "(-" : "(") +
           (meaning.signal.empty() ? base::numberText(meaning.number.value) : meaning.signal) + ")";
  };
  replaceSignalNames(std::get<std::string>(value.data), parameter.choices, textOf);
  return isRight;
}

}  // namespace flexloop::language
