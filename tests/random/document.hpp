// A model as items with keys, before it is text: every number knows its dimension and every vector whether it turns
// with the machine, so that the same machine can be written turned, in other units, or in another order.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "random/dimension.hpp"

namespace flexloop::random {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Number {
  double value = 0.0;
  Dimension dimension = kNone;
};

struct Vector {
  Vector3d value;
  Dimension dimension = kNone;
  bool turns = true;  // in ground axes; false: in the axes of a node
};

struct Text {
  std::string text;
};
struct Rotation {  // of a node, from ground axes
  Matrix3d R;
};
struct Freedoms {  // of a node: x y z rx ry rz, in this order
  std::array<bool, 6> free{};
};

struct Value;
using List = std::vector<Value>;
using Map = std::vector<std::pair<std::string, Value>>;
struct Value {
  std::variant<Number, Vector, Text, Rotation, Freedoms, List, Map> data;

  Value(Number v) : data(v) {}
  Value(double v) : data(Number{v}) {}
  Value(Vector v) : data(std::move(v)) {}
  Value(const char* v) : data(Text{v}) {}
  Value(std::string v) : data(Text{std::move(v)}) {}
  Value(Rotation v) : data(std::move(v)) {}
  Value(Freedoms v) : data(v) {}
  Value(List v) : data(std::move(v)) {}
  Value(Map v) : data(std::move(v)) {}
};

// In which writing an item or a key appears.
enum class When { kAlways, kNotInEnergyBalance };

struct Entry {
  std::string key;
  Value value;
  When when = When::kAlways;
};

struct Item {
  std::string section, name;
  std::vector<Entry> entries;
  std::optional<Number> atStart;  // of a source: its value at the start

  Item& with(std::string key, Value value, When when = When::kAlways) {
    entries.push_back({std::move(key), std::move(value), when});
    return *this;
  }
};

// Numbers of one dimension.
inline List listOf(const std::vector<double>& values, Dimension dimension = kNone) {
  List list;
  for (const double v : values) list.emplace_back(Number{v, dimension});
  return list;
}
inline List namesOf(const std::vector<std::string>& names) {
  List list;
  for (const std::string& name : names) list.emplace_back(name);
  return list;
}
inline Vector ground(const Vector3d& v, Dimension d = kNone) {
  return {v, d, true};
}
inline Vector body(const Vector3d& v, Dimension d = kNone) {
  return {v, d, false};
}

}  // namespace flexloop::random
