// The inside of one use of a diagram: what the names of signals there mean in the whole model.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "language/diagrams/diagram.hpp"
#include "language/error_list.hpp"
#include "language/parameter_table.hpp"
#include "language/raw_model.hpp"
#include "system/item.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

// A signal of the model, its negative, or a number.
struct SignalMeaning {
  bool isWrong = false;  // it has been reported
  bool isNegative = false;
  std::string signal;  // empty: a number
  base::Quantity number;
  base::Place place;  // where it is connected
};

class DiagramScope {
 public:
  DiagramScope(const Diagram& diagram, std::string path, const RawModel& model, ErrorList& errors)
      : diagram_(diagram), path_(std::move(path)), model_(model), errors_(errors) {}

  const Diagram& diagram() const { return diagram_; }
  const std::string& path() const { return path_; }  // of the use: `axis1`, `axis1.inner`

  ParameterTable parameters;
  std::vector<SignalMeaning> inputs;  // what is connected, input by input

  // The meaning of a name inside, with its sign; reports one that is not there.
  SignalMeaning find(const std::string& name, const base::Place& place,
                     const Subject& subject) const;

  // Replaces the signals in the values of a block inside. What cannot be is reported and left out.
  void replaceSignals(system::ValueMap& values, const std::vector<system::Parameter>& fields,
                      std::string_view owner) const;

 private:
  using Value = system::Value;
  using Parameter = system::Parameter;

  bool replace(Value& value, const Parameter& parameter, const Subject& subject) const;
  bool replaceNamed(system::ValueMap& signals, const system::Parameter& parameter,
                    const Subject& subject) const;
  bool replaceSignal(Value& value, const Parameter& parameter, const Subject& subject) const;
  bool replaceInFormula(Value& value, const Parameter& parameter, const Subject& subject) const;
  void reportUnknown(const std::string& name, const base::Place& place,
                     const Subject& subject) const;

  const Diagram& diagram_;
  std::string path_;
  const RawModel& model_;  // for messages
  ErrorList& errors_;
};

}  // namespace flexloop::language
