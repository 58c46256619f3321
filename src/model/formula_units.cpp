#include "model/formula_units.hpp"

#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.hpp"
#include "math/expressions/expression_units.hpp"

namespace flexloop::model {
namespace {

using math::Measured;
using system::Item;
using system::Parameter;
using system::Shape;
using system::Value;

using UnitOf = std::function<std::string(const std::string&)>;

// Of a signal, whose sign does not matter.
Measured measure(std::string signal, const UnitOf& unitOf) {
  if (signal.starts_with('-')) signal.erase(0, 1);
  const std::string text = unitOf(signal);
  const base::Result<base::Unit> unit = base::parseUnit(text);
  if (text.empty() || !unit) return {};
  return Measured::quantity(unit.value().dimension);
}

class ItemFormulas {
 public:
  ItemFormulas(const Item& item, const system::TypeEntry& type, const UnitOf& unitOf,
               base::Diagnostics& diagnostics)
      : item_(item), type_(type), unitOf_(unitOf), diagnostics_(diagnostics) {
    for (const Parameter& parameter : type.parameters) {
      if (parameter.shape != Shape::kNamedSignals || !item.has(parameter.name)) continue;
      for (const auto& [name, signal] : item.namedSignals(parameter.name)) signals_[name] = signal;
    }
  }

  void check() {
    for (const Parameter& parameter : type_.parameters) {
      const Value* value = item_.find(parameter.name);
      if (value == nullptr) continue;
      const auto* map = std::get_if<system::ValueMap>(&value->data);
      if (parameter.shape == Shape::kExpression) {
        checkFormula(parameter.name, *value, parameter);
      } else if (map != nullptr && parameter.shape == Shape::kByName &&
                 parameter.fields.front().shape == Shape::kExpression) {
        for (const auto& [name, formula] : *map) {
          checkFormula(parameter.name + "." + name, formula, parameter.fields.front());
        }
      }
    }
  }

 private:
  void checkFormula(const std::string& key, const Value& value, const Parameter& parameter) {
    const std::string* text = std::get_if<std::string>(&value.data);
    const auto uses = math::findExpressionNames(text == nullptr ? std::string() : *text);
    if (!uses) return;  // it has been reported
    math::NameIndex names;
    for (const math::NameUse& use : uses.value()) names.add(use.name);
    const auto expression = math::Expression::parse(*text, names);
    if (!expression) return;
    std::vector<Measured> units;
    std::string known;
    for (const std::string& name : names.names()) {
      const auto signal = signals_.find(name);
      if (signal == signals_.end() && !parameter.namesSignals) {
        units.emplace_back();
        continue;
      }
      units.push_back(measure(signal == signals_.end() ? name : signal->second, unitOf_));
      if (units.back().kind != Measured::Kind::kQuantity) continue;
      known +=
          (known.empty() ? "'" : ", '") + name + "' is " + base::describe(units.back().dimension);
    }
    report(key, value, expression.value(), units, known);
  }

  // What is not evaluated is not looked at: other values reach other branches.
  void report(const std::string& key, const Value& value, const math::Expression& expression,
              const std::vector<Measured>& units, const std::string& known) {
    for (const double trial : {1.0, 0.0, -1.0}) {
      const std::vector<double> values(units.size(), trial);
      const auto unit =
          math::findUnitOf(expression, values, units, math::PlainNumbers::kMayBeGains);
      if (unit) continue;
      const base::Place& place = value.place.file != nullptr ? value.place : item_.place();
      return diagnostics_.addWarning(
          place, item_.section() + "." + item_.name() + "." + key + ": " + unit.failure().message,
          known.empty() ? "check the units of its parameters" : known);
    }
  }

  const Item& item_;
  const system::TypeEntry& type_;
  const UnitOf& unitOf_;
  base::Diagnostics& diagnostics_;
  std::map<std::string, std::string> signals_;  // by their names in formulas
};

}  // namespace

void checkFormulaUnits(const Description& description, const system::Registry& registry,
                       const UnitOf& unitOf, base::Diagnostics& diagnostics) {
  for (const Item& item : description.items) {
    const system::TypeEntry* type = registry.find(item.section(), item.type());
    if (type != nullptr) ItemFormulas(item, *type, unitOf, diagnostics).check();
  }
}

}  // namespace flexloop::model
