// Turns what is written in a file into values of the form that a parameter of the registry asks
// for.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "language/error_list.hpp"
#include "language/parameter_table.hpp"
#include "language/values/number_files.hpp"
#include "language/yaml/yaml_tree.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// Whether a signal is given as a number: `3`, `-3 mm` or `= expression`.
bool isConstantSignal(const RawNode& node);

class ValueReader {
 public:
  // The place of the values that are read: what their expressions may use.
  struct Scope {
    const ParameterTable* parameters = nullptr;
    // Names that mean signals in a formula, though the model may have a parameter of that name.
    const std::vector<std::string>* signals = nullptr;
  };

  ValueReader(const ParameterTable& table, ErrorList& errors)
      : scope_{&table, nullptr}, errors_(errors) {}

  // Gives the scope until now, for the way back.
  Scope enter(const Scope& scope) { return std::exchange(scope_, scope); }

  // Where numbers may come from files.
  void setFiles(NumberFiles& files) { files_ = &files; }

  // Nothing if the value is wrong; the errors say why.
  std::optional<system::Value> read(const RawNode& node, const system::Parameter& parameter,
                                    const Subject& subject);

  // The values of an item or of a map inside it: unknown keys and missing ones are reported,
  // defaults filled in. `owner` is the item's path in messages. The key `skip` has been read by the
  // caller.
  system::ValueMap readMap(const RawMap& map, const std::vector<system::Parameter>& parameters,
                           const std::string& owner, const base::Place& place,
                           std::string_view skip = {});

 private:
  using Value = system::Value;
  using Parameter = system::Parameter;

  std::optional<Value> readNumber(const RawNode&, const Parameter&, const Subject&,
                                  const base::Dimension&);
  std::optional<Value> readInteger(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readBoolean(const RawNode&, const Subject&);
  std::optional<Value> readText(const RawNode&, const Subject&, const char* expected);
  // A number with whatever unit, true or false, or a text: what is in quotes is one.
  std::optional<Value> readAny(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readChoice(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readNumbers(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readMatrix(const RawNode&, const Parameter&, const Subject&);
  // Numbers out of a file, at the place of its name.
  std::optional<Value> readNumbersOfFile(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readMatrixOfFile(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> checkNumbersOfFile(const std::vector<double>&, const RawNode&,
                                          const Parameter&, const Subject&);
  std::optional<Value> readNodePair(const RawNode&, const Subject&);
  std::optional<Value> readSignal(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readNamedSignals(const RawNode&, const Parameter&, const Subject&);
  std::optional<system::NamedValue> readNamedSignal(const std::string& name, const RawNode&,
                                                    const Parameter&, const Subject&);
  // The formula that `entry` of the map is, or the formulas by name; they may use the names of signals and of other
  // variables that the map gives.
  std::optional<Value> readFormula(const RawEntry& entry, const RawMap& map, const Parameter&,
                                   const std::vector<Parameter>& parameters,
                                   const std::string& owner);
  std::optional<Value> readExpression(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readNested(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readByName(const RawNode&, const Parameter&, const Subject&);
  std::optional<Value> readList(const RawNode&, const Parameter&, const Subject&);

  std::optional<double> readChecked(const RawNode&, const Parameter&, const Subject&,
                                    const base::Dimension&);
  // Of a number that may have one of several dimensions, the unit that was stated, as an entry beside it; of values by name, those
  // of each.
  std::optional<system::NamedValue> readUnit(const RawEntry& entry, const Parameter&,
                                             const Subject&);
  void listUnits(const RawNode&, const Subject&, system::ValueList& units);
  void reportUnit(const base::Failure& failure, const base::Quantity& quantity, const RawNode&,
                  const Parameter&, const Subject&, const base::Dimension& needed);
  bool isInRange(double value, const RawNode&, const Parameter&, const Subject&);
  bool hasRightCount(std::size_t count, const RawNode&, const Parameter&, const Subject&);
  bool isDifferent(const system::ValueList& list, const Subject&);
  const Value& defaultOf(const Parameter& parameter, const Subject& subject);
  // Gives the key that was probably meant, or an empty text.
  std::string reportUnknownKey(const RawEntry& entry, const std::vector<Parameter>& parameters,
                               const std::string& owner, std::string_view skip);

  Scope scope_;
  ErrorList& errors_;
  NumberFiles* files_ = nullptr;
  std::unordered_map<const Parameter*, Value> defaults_;  // read once per parameter
};

}  // namespace flexloop::language
