// The parameters of a model, and the numbers that are written with their help.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/units.hpp"
#include "language/error_list.hpp"
#include "language/raw_model.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "math/expressions/expression_units.hpp"

namespace flexloop::language {

// Whose value is read, for messages: `joints.hinge1` and `axis`.
struct Subject {
  std::string_view owner;
  std::string_view key;

  std::string text() const;
};

class ParameterTable {
 public:
  ParameterTable() = default;

  // Parameters may use others in any order. One that is wrong is reported once; expressions that
  // use it then have no value and are not reported again.
  ParameterTable(const RawSection& section, ErrorList& errors);

  // What a use of a diagram gives to the diagram's parameters; nothing where it is wrong.
  using Given = std::unordered_map<std::string, std::optional<base::Quantity>>;

  // The parameters inside a diagram: `given` ones, `defaults` of the others, and those of the model
  // that the diagram uses by `names` and does not hide.
  ParameterTable(const RawMap& defaults, const Given& given, const ParameterTable& model,
                 const std::vector<std::string>& names, ErrorList& errors);

  const std::vector<std::string>& names() const { return names_.names(); }
  const std::vector<double>& values() const { return values_; }
  std::optional<double> find(const std::string& name) const;
  base::Quantity quantity(int index) const;
  // In words, the parameters that a formula uses and their units; empty if none has one.
  std::string describeUnits(const RawNode& node) const;

  // `3`, `3 mm` or `= expression`. Nothing if it is wrong, which is reported, or uses a wrong
  // parameter.
  std::optional<base::Quantity> readQuantity(const RawNode& node, const Subject& subject,
                                             ErrorList& errors) const;

  // The text of a formula with the parameters replaced by their values, except the `variables`.
  // Nothing as above.
  std::optional<std::string> readFormula(const RawNode& node,
                                         const std::vector<std::string>& variables,
                                         const Subject& subject, ErrorList& errors) const;

 private:
  std::optional<base::Quantity> evaluate(const std::string& formula, const RawNode& node,
                                         const Subject& subject, ErrorList& errors) const;
  // Which parameters with a unit an expression uses: `'L' is a length (m)`.
  std::string describeUnits(const math::Expression& expression) const;
  base::Failure explain(const std::string& text, const base::Failure& failure) const;
  base::Failure explainUnknown(const std::string& formula, const base::Failure& failure) const;
  void add(const std::string& name, const std::optional<base::Quantity>& value);
  void set(int index, const std::optional<base::Quantity>& value);
  // Null entries have their value already.
  void calcInOrder(const std::vector<const RawEntry*>& entries, ErrorList& errors);

  math::NameIndex names_;
  std::vector<double> values_;
  std::vector<math::Measured> units_;
  std::vector<int> wrong_;                 // indices of the parameters that have no value
  const ParameterTable* model_ = nullptr;  // of a table inside a diagram
};

// Reports what cannot be the name of a parameter of `owner`: `parameters` or those of a diagram.
bool checkParameterName(const std::string& owner, const RawEntry& entry, ErrorList& errors);

// The remedy for a formula that YAML has cut at a comma.
inline constexpr const char* kCommaHint =
    "inside [ ] and { } a comma ends a value: put the expression in quotes";
bool isCutByComma(const RawNode& node);

// Whether a scalar is a formula; its text without the sign `=` then.
std::optional<std::string> findFormula(const RawNode& node);

}  // namespace flexloop::language
