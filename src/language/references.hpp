// Checks that every name in a model names something: the one place where references are resolved.
//
// A node is `ground`, the name of a node, an inner node `beam.k` with k = 1 … elements·order − 1, a
// point `beam@fraction` of a beam, or NAME.PART of a thing that owns nodes. A signal is the name of
// a sensor, block or actuator, with `.PORT` or `.rate` where there is one. Signals of a diagram's use
// are replaced by those of its blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "language/assemblies/instance_expander.hpp"
#include "language/diagrams/diagram_uses.hpp"
#include "language/error_list.hpp"
#include "language/parameter_table.hpp"
#include "language/raw_model.hpp"
#include "model/description.hpp"
#include "system/node_names.hpp"
#include "system/registry.hpp"

namespace flexloop::language {

class References {
 public:
  // What the file contains counts as present, even if it could not be read.
  References(const RawModel& model, model::Description& description,
             const system::Registry& registry, const DiagramUses& uses,
             const InstanceExpander& instances, ErrorList& errors);

  // Reports every reference of the items and outputs to something that is not there.
  void check();

 private:
  // Where a name is used, for messages.
  struct Use {
    const base::Place& place;
    const Subject& subject;
    std::string_view scope = {};  // the use of a diagram around it; empty: the model itself
    bool isRecording = false;     // it may look inside diagrams
    const InstanceScope* instance = nullptr;  // of an assembly, around it
  };

  void collectNames(const RawModel& model);
  void collectSignal(const std::string& name, const base::Place& place);
  void checkConnections();
  void checkOutputs();
  void checkItem(system::Item& item);
  // What is around an item.
  struct Around {
    std::string_view scope;                   // the use of a diagram; empty: none
    const InstanceScope* instance = nullptr;  // of an assembly
  };

  void checkValues(system::Item& item, const std::string& owner, const Around& around);
  void checkValue(system::Value& value, const system::Parameter& parameter, const Subject& subject,
                  const Around& around);
  void checkFormula(std::string& formula, const system::Parameter& parameter, const Use& use);
  void checkNode(const std::string& name, const Use& use);
  void checkInnerNode(const system::Item& beam, const system::NodeName& node, const Use& use);
  void checkFraction(const std::string& name, std::optional<double> fraction, const Use& use);
  void checkName(const std::string& name, const std::string& section, const Use& use);
  // These give the name of a signal after diagrams are expanded.
  std::string checkSignal(const std::string& name, bool signAllowed, const Use& use);
  std::string checkUnsigned(const std::string& name, const Use& use);
  void checkPort(const std::string& name, const std::string& port, const Use& use);
  void checkPortInside(const std::string& signal, const Use& use);
  void reportInUse(const std::string& name, const UseSignal& found, const Use& use);
  std::string withOnlyPort(const std::string& name) const;
  std::string findSignalOwner(const std::string& name) const;
  bool ownsNodes(const std::string& name) const;
  bool has(const std::string& section, const std::string& name) const;
  void reportUnknown(const char* kind, const std::string& name, std::vector<std::string> known,
                     const Use& use);

  model::Description& description_;
  const system::Registry& registry_;
  const DiagramUses& uses_;
  const InstanceExpander& instances_;
  ErrorList& errors_;
  std::unordered_map<std::string, std::vector<std::string>> namesOf_;  // by section
  std::unordered_set<std::string> isThere_;                            // `section.name`
  std::unordered_map<std::string, base::Place> signals_;
  std::vector<std::string> signalNames_;
  std::unordered_map<std::string, const system::Item*> items_;  // by `section.name`
  std::unordered_set<std::string> forgiven_;
  std::unordered_set<std::string> wrongConnections_;  // signals that uses of diagrams connect
};

}  // namespace flexloop::language
