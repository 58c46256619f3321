// The registry: every type that a model may name, with its documentation, its parameters, a maker
// that turns an item into elements, and samples. The reader checks files against it; the manual and
// the JSON Schema are generated from it; the conformance test runs over its samples.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "system/item.hpp"

namespace flexloop::system {

class Builder;

enum class Shape {
  kNumber,  // 3, `3 mm`, `= expression`
  kInteger,
  kBoolean,
  kText,
  kChoice,    // one of `choices`; a map too where `fields` are given, as in `about: {time: 1.5}`
  kVector,    // three numbers
  kNumbers,   // list of numbers; `count` entries where count > 0
  kMatrix,    // list of rows
  kNode,      // a node, `ground`, an inner node `beam.3` or a point `beam@0.5`
  kNodePair,  // [first, second]
  kName,      // a thing of section `refersTo`
  kSignal,    // the name of a signal, or a number (a constant signal)
  kSignals,   // list of signals, each with an optional sign `-`
  kNamedSignals,  // signals for a formula: {a: theta1, b: 2}, or [theta1, ref] by their own names
  kExpression,    // expression of `choices` and of the item's named signals, kept as text
  kMap,           // a nested map, described by `fields`
  kByName,   // a map from names of the user's choice to values, each as the one of `fields` says
  kTexts,    // list of texts; a text counts as a list of one, here and in the next two
  kChoices,  // list of different words out of `choices`
  kNames,    // list of things of section `refersTo`
  kNodes,    // list of nodes
};

// What becomes of a value when the thing that it describes is placed somewhere else, as an instance of an assembly is.
enum class Placing : std::uint8_t {
  kUnstated,   // of a vector a mistake: every one says in which axes it is
  kNone,       // it is given in axes of its own: those of a node, of a section, of a mesh
  kPoint,      // a point in ground axes: it moves and turns along
  kDirection,  // a direction or a velocity in ground axes: it turns along
  kRotation,  // a map {axis, angle} that starts from ground axes: the turn comes first, also where it is absent
};

struct Parameter {
  std::string name;
  Shape shape = Shape::kNumber;
  std::string doc;              // one sentence: meaning, frame and sign
  base::Dimension dimension{};  // of the number or of every entry
  bool required = false;
  std::string defaultText{};  // in the model language; filled in where absent; empty: none
  int count = 0;
  std::string refersTo{};
  std::vector<std::string> choices{};
  std::vector<Parameter> fields{};
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lowerOpen = false;     // true: strictly greater than `lower`
  bool anyDimension = false;  // a unit of any dimension is taken, as for a constant signal
  bool nonZero = false;       // not zero; of a vector or a list: not all zero
  std::vector<int> counts{};  // the possible numbers of entries of kNumbers, where several are
  std::vector<base::Dimension> dimensions{};  // of the entries one by one, where they differ
  std::string defaultNote{};                  // what happens without it, in words: `at the node`
  bool namesSignals = false;  // of an expression: names beyond `choices` and parameters are signals
  // What takes energy from the machine or gives some to it: a damping that is not zero, a drive by a signal.
  bool changesEnergy = false;
  Placing placing = Placing::kUnstated;
  // Keys beside it that put a vector into other axes: a word that is not `ground`, or true.
  std::vector<std::string> axesKeys{};
  bool namesVariables = false;  // of kByName: expressions of the item may use its names
};

struct TypeEntry {
  std::string section;
  std::string type;  // empty where the section has only one type
  std::string doc;
  std::vector<Parameter> parameters;
  std::function<void(const Item&, Builder&)> make;
  std::vector<std::string> samples;  // small models in the model language that use the type
  TypeFacts facts{};                 // what others need to know of its items
  bool ownsNodes = false;            // nodes NAME.PART belong to its items; the maker knows which
  bool changesEnergy = false;        // as Parameter::changesEnergy, by its mere presence
  // Its lists of numbers that may come from the columns of one file, in the order of the columns.
  std::vector<std::string> fileColumns{};
};

// Whether an item takes energy from the machine or gives some to it, as its type and its parameters say.
bool changesEnergy(const TypeEntry& type, const Item& item);

class Registry {
 public:
  void add(TypeEntry entry);  // throws std::logic_error if the type is there already
  const std::vector<TypeEntry>& entries() const { return entries_; }
  const TypeEntry* find(std::string_view section, std::string_view type) const;
  std::vector<std::string> typesOf(std::string_view section) const;
  // Of a section, those of which a fact is true, in words: `hinge, cylindrical and screw`.
  std::string listTypes(std::string_view section, bool TypeFacts::*fact) const;
  bool hasSection(std::string_view section) const;
  std::vector<std::string> sections() const;  // in the order of registration

 private:
  std::vector<TypeEntry> entries_;
};

}  // namespace flexloop::system
