#include "language/parameter_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text_format.hpp"
#include "language/parameter_order.hpp"

namespace flexloop::language {
namespace {

constexpr std::size_t kLongestNumber = 500;  // keeps messages readable

bool isParameterName(const std::string& name) {
  return math::isExpressionName(name) && name != "pi";
}

}  // namespace

bool checkParameterName(const std::string& owner, const RawEntry& entry, ErrorList& errors) {
  if (isParameterName(entry.key)) return true;
  const char* hint = "a name consists of letters, digits and '_' and does not start with a digit";
  if (entry.key == "pi") hint = "it is a constant";
  if (entry.key.find_first_of("()") != std::string::npos) hint = kCommaHint;
  errors.add(entry.place, owner + ": " + quote(entry.key) + " cannot be the name of a parameter",
             hint);
  return false;
}

std::string Subject::text() const {
  return std::string(owner) + (owner.empty() || key.empty() ? "" : ".") + std::string(key);
}

bool isCutByComma(const RawNode& node) {
  const RawScalar* scalar = node.scalar();
  if (scalar == nullptr || scalar->quoted) return false;
  const std::string& text = scalar->text;
  return std::count(text.begin(), text.end(), '(') > std::count(text.begin(), text.end(), ')');
}

std::optional<std::string> findFormula(const RawNode& node) {
  const RawScalar* scalar = node.scalar();
  if (scalar == nullptr) return std::nullopt;
  const std::size_t start = scalar->text.find_first_not_of(" \t\n");
  if (start == std::string::npos || scalar->text[start] != '=') return std::nullopt;
  return scalar->text.substr(start + 1);
}

ParameterTable::ParameterTable(const RawSection& section, ErrorList& errors) {
  std::vector<const RawEntry*> entries;
  for (const RawEntry& entry : section.entries) {
    if (!checkParameterName("parameters", entry, errors)) continue;
    names_.add(entry.key);
    entries.push_back(&entry);
  }
  values_.assign(entries.size(), 0.0);
  units_.resize(entries.size());
  calcInOrder(entries, errors);
}

ParameterTable::ParameterTable(const RawMap& defaults, const Given& given,
                               const ParameterTable& model, const std::vector<std::string>& names,
                               ErrorList& errors)
    : model_(&model) {
  std::vector<const RawEntry*> entries;
  for (const RawEntry& entry : defaults) {
    if (!isParameterName(entry.key)) continue;  // reported with the diagram
    const auto value = given.find(entry.key);
    const bool isGiven = value != given.end();
    add(entry.key, isGiven ? value->second : base::Quantity{});
    entries.push_back(isGiven ? nullptr : &entry);
  }
  for (const std::string& name : names) {
    const int index = model.names_.find(name);
    if (index < 0 || names_.find(name) >= 0) continue;
    const bool isWrong =
        std::find(model.wrong_.begin(), model.wrong_.end(), index) != model.wrong_.end();
    add(name, isWrong ? std::nullopt : std::optional(model.quantity(index)));
    entries.push_back(nullptr);
  }
  calcInOrder(entries, errors);
}

void ParameterTable::add(const std::string& name, const std::optional<base::Quantity>& value) {
  const int index = names_.add(name);
  values_.push_back(0.0);
  units_.emplace_back();
  set(index, value);
}

void ParameterTable::set(int index, const std::optional<base::Quantity>& value) {
  if (!value) return wrong_.push_back(index);
  values_[index] = value->value;
  if (value->hasUnit) units_[index] = math::Measured::quantity(value->dimension);
}

base::Quantity ParameterTable::quantity(int index) const {
  const bool hasUnit = units_[index].kind == math::Measured::Kind::kQuantity;
  return {values_[index], units_[index].dimension, hasUnit};
}

void ParameterTable::calcInOrder(const std::vector<const RawEntry*>& entries, ErrorList& errors) {
  std::vector<std::vector<int>> needs(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] == nullptr) continue;
    const std::optional<std::string> formula = findFormula(entries[i]->value);
    if (!formula) continue;
    const base::Result<std::vector<math::NameUse>> uses = math::findExpressionNames(*formula);
    if (!uses) continue;  // reported where it is evaluated
    for (const math::NameUse& use : uses.value()) {
      const int index = names_.find(use.name);
      if (index >= 0) needs[i].push_back(index);
    }
  }
  const DependencyOrder order = calcDependencyOrder(needs);
  for (const int i : order.order) {
    if (entries[i] == nullptr) continue;
    set(i, readQuantity(entries[i]->value, {"parameters", entries[i]->key}, errors));
  }
  for (const std::vector<int>& cycle : order.cycles) {
    const std::string& first = names()[cycle.front()];
    std::string message = "parameters: " + quote(first) + " depends on itself: ";
    for (const int i : cycle) message.append(names()[i]).append(" -> ");
    errors.add(entries[cycle.front()]->place, message.append(first), "give one of them a number");
  }
  wrong_.insert(wrong_.end(), order.blocked.begin(), order.blocked.end());
}

std::optional<double> ParameterTable::find(const std::string& name) const {
  const int index = names_.find(name);
  return index < 0 ? std::nullopt : std::optional<double>(values_[index]);
}

std::optional<base::Quantity> ParameterTable::readQuantity(const RawNode& node,
                                                           const Subject& subject,
                                                           ErrorList& errors) const {
  const RawScalar* scalar = node.scalar();
  if (scalar == nullptr) {
    errors.add(node.place, subject.text() + ": expected a number",
               node.isNull() ? "its value is missing" : "write a single number");
    return std::nullopt;
  }
  if (const std::optional<std::string> formula = findFormula(node)) {
    return evaluate(*formula, node, subject, errors);
  }
  if (scalar->text.size() > kLongestNumber) {
    errors.add(node.place,
               subject.text() + ": " + quote(scalar->text) + " is too long for a number");
    return std::nullopt;
  }
  const base::Result<base::Quantity> quantity = base::parseQuantity(scalar->text);
  if (quantity) return quantity.value();
  errors.add(node.place, subject.text(), explain(scalar->text, quantity.failure()));
  return std::nullopt;
}

// A forgotten sign `=` gets its own message.
base::Failure ParameterTable::explain(const std::string& text, const base::Failure& failure) const {
  const std::string sign = "an expression starts with '=': write '= " + text + "'";
  if (math::Expression::parse(text, names_)) return {failure.message, sign};
  return failure;
}

base::Failure ParameterTable::explainUnknown(const std::string& formula,
                                             const base::Failure& failure) const {
  if (!failure.hint.empty() || !failure.message.starts_with("unknown name")) return failure;
  if (model_ != nullptr) {  // the name may be near to one of the model that is not in use here
    math::NameIndex all = names_;
    for (const std::string& name : model_->names()) all.add(name);
    const base::Result<math::Expression> again = math::Expression::parse(formula, all);
    if (!again && !again.failure().hint.empty()) return again.failure();
  }
  return {failure.message, "define it under 'parameters:'"};
}

std::optional<base::Quantity> ParameterTable::evaluate(const std::string& formula,
                                                       const RawNode& node, const Subject& subject,
                                                       ErrorList& errors) const {
  const base::Result<math::Expression> expression = math::Expression::parse(formula, names_);
  if (!expression) {
    const base::Failure failure = explainUnknown(formula, expression.failure());
    errors.add(node.place, subject.text() + ": in " + quote("=" + formula) + ": " + failure.message,
               isCutByComma(node) ? kCommaHint : failure.hint);
    return std::nullopt;
  }
  const auto isUsed = [&](int index) { return expression.value().uses(index); };
  if (std::any_of(wrong_.begin(), wrong_.end(), isUsed)) return std::nullopt;
  const double value = expression.value().evaluate<double>(values_);
  if (std::isfinite(value)) {
    const base::Result<math::Measured> unit = math::findUnitOf(expression.value(), values_, units_);
    if (unit) {
      const bool hasUnit = unit.value().kind == math::Measured::Kind::kQuantity;
      return base::Quantity{value, unit.value().dimension, hasUnit};
    }
    errors.add(node.place,
               subject.text() + ": in " + quote("=" + formula) + ": " + unit.failure().message,
               describeUnits(expression.value()));
    return std::nullopt;
  }
  errors.add(
      node.place,
      subject.text() + ": " + quote("=" + formula) + " gives " +
          (std::isnan(value) ? "not a number" : base::numberText(value) + ", which is not finite"),
      "check for divisions by zero, and for roots or logarithms of negative numbers");
  return std::nullopt;
}

std::string ParameterTable::describeUnits(const math::Expression& expression) const {
  std::string text;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].kind != math::Measured::Kind::kQuantity) continue;
    if (!expression.uses(static_cast<int>(i))) continue;
    text += (text.empty() ? "" : ", ") + quote(names()[i]) + " is " +
            base::describe(units_[i].dimension);
  }
  return text;
}

std::string ParameterTable::describeUnits(const RawNode& node) const {
  const std::optional<std::string> formula = findFormula(node);
  if (!formula) return {};
  const base::Result<math::Expression> expression = math::Expression::parse(*formula, names_);
  return expression ? describeUnits(expression.value()) : std::string();
}

std::optional<std::string> ParameterTable::readFormula(const RawNode& node,
                                                       const std::vector<std::string>& variables,
                                                       const Subject& subject,
                                                       ErrorList& errors) const {
  if (node.scalar() == nullptr) {
    errors.add(node.place, subject.text() + ": expected an expression");
    return std::nullopt;
  }
  std::string formula = findFormula(node).value_or(node.scalar()->text);
  const base::Result<std::vector<math::NameUse>> uses = math::findExpressionNames(formula);
  if (!uses) {
    errors.add(node.place,
               subject.text() + ": in " + quote(formula) + ": " + uses.failure().message,
               isCutByComma(node) ? kCommaHint : uses.failure().hint);
    return std::nullopt;
  }
  // From the end, so that the places of the others stay right.
  for (std::size_t i = uses.value().size(); i > 0; --i) {
    const math::NameUse& use = uses.value()[i - 1];
    const int index = names_.find(use.name);
    const bool isVariable =
        std::find(variables.begin(), variables.end(), use.name) != variables.end();
    if (index < 0 || isVariable) continue;
    if (std::find(wrong_.begin(), wrong_.end(), index) != wrong_.end()) return std::nullopt;
    const bool hasUnit = units_[index].kind == math::Measured::Kind::kQuantity;
    formula.replace(use.offset, use.name.size(),
                    hasUnit ? math::writeConstant(values_[index], units_[index].dimension)
                            : "(" + base::numberText(values_[index]) + ")");
  }
  return formula;
}

}  // namespace flexloop::language
