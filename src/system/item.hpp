// What the model language says about one named thing, after reading: a tree of plain values with
// their places in the file. Numbers are SI; units and expressions are already resolved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "base/diagnostics.hpp"
#include "system/type_facts.hpp"

namespace flexloop::system {

struct Value;
struct NamedValue;
using ValueList = std::vector<Value>;
using ValueMap = std::vector<NamedValue>;  // in the order of the file

struct Value {
  base::Place place;
  std::variant<std::monostate, bool, double, std::string, ValueList, ValueMap> data;
};

struct NamedValue {
  std::string name;
  Value value;
};

// One entry of a section, for example the hinge1 of `joints: {hinge1: {type: hinge, …}}`.
// The reader has checked shape, unit and presence against the type's parameters and filled in the
// defaults, so what the typed readers below do not find is a mistake in the program: they throw
// std::logic_error and report nothing.
class Item {
 public:
  Item() = default;
  Item(std::string section, std::string name, std::string type, base::Place place, ValueMap values);

  const std::string& section() const { return section_; }
  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  const base::Place& place() const { return place_; }
  // What is true of its type; of items of a built model, and of those that a maker is given.
  const TypeFacts& facts() const { return facts_; }
  template <class T>
  T fact(Fact<T> TypeFacts::*which) const {
    return (facts_.*which).of(*this);
  }
  void setFacts(const TypeFacts& facts) { facts_ = facts; }

  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Value* find(std::string_view key) const;
  const Value& at(std::string_view key) const;
  const base::Place& placeOf(std::string_view key) const;

  double number(std::string_view key) const;
  double number(std::string_view key, double fallback) const;
  int integer(std::string_view key) const;
  bool boolean(std::string_view key, bool fallback) const;
  const std::string& text(std::string_view key) const;
  Eigen::Vector3d vector(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;     // a number counts as a list of one
  Eigen::MatrixXd matrix(std::string_view key) const;          // list of rows
  std::vector<std::string> names(std::string_view key) const;  // a number among signals as its text
  std::vector<std::pair<std::string, std::string>> namedSignals(std::string_view key) const;
  Item child(std::string_view key) const;  // a nested map as an item of its own

  // For the reader, which can say what a name means only after it has read all items.
  ValueMap& values() { return values_; }

 private:
  std::string section_, name_, type_;
  base::Place place_;
  ValueMap values_;
  TypeFacts facts_;
};

std::vector<double> numbersOf(const Value& value);

}  // namespace flexloop::system
