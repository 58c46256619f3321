// The builder: what makers of the registry use to turn items into nodes, unknowns and elements, and
// what keeps the names on the way. It collects diagnostics instead of throwing.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.hpp"
#include "system/item.hpp"
#include "system/measure.hpp"
#include "system/system.hpp"

namespace flexloop::system {

class Registry;
template <class E>
class Elements;  // elements.hpp

class Builder {
 public:
  // The registry, if there is one, must outlive the builder.
  explicit Builder(base::Diagnostics& diagnostics, const Registry* registry = nullptr);

  base::Diagnostics& diagnostics() { return diagnostics_; }
  void error(const base::Place& place, std::string message, std::string hint = {});

  // Items by section and name, so that makers can look up what they refer to.
  void declare(const Item& item);
  const Item* findItem(const std::string& section, const std::string& name) const;
  // See Registry::listTypes.
  std::string listTypes(std::string_view section, bool TypeFacts::*fact) const;

  void setGravity(const Vec3<double>& gravity) { system_.gravity_ = gravity; }
  void setFormulation(Formulation formulation) { formulation_ = formulation; }

  // Twist in body axes. The formulation is that of the builder unless given. A node without a name
  // gets one by addNodeRange.
  NodeIndex addNode(const std::string& name, const Frame<double>& frame, FreeSet free = {},
                    const Vec6<double>& twist = Vec6<double>::Zero(),
                    std::optional<Formulation> formulation = std::nullopt);
  // Further name of a node, such as link1@0.5.
  void addNodeName(const std::string& name, NodeIndex node) { system_.nodeNames_.add(name, node); }
  // The names prefix.1 … prefix.count for consecutive nodes.
  void addNodeRange(const std::string& prefix, NodeIndex first, int count);
  // The points `beam@fraction` that the model refers to. They are collected before beams are made, so
  // that each becomes a node.
  void addPointReference(const std::string& beam, double fraction);
  std::vector<double> pointReferences(const std::string& beam) const;  // ascending, each once
  // The node named by `key` of the item (or by entry `k` of a pair); reports if there is none.
  NodeIndex node(const Item& item, std::string_view key);
  std::array<NodeIndex, 2> nodePair(const Item& item, std::string_view key);
  NodeIndex findNode(const std::string& name) const { return system_.nodeNames_.find(name); }
  const Frame<double>& frame(NodeIndex node) const { return system_.nodes_[node.value].start; }
  const std::string& nodeName(NodeIndex node) const { return system_.nodes_[node.value].name; }
  // Body twist at the start.
  Vec6<double> twist(NodeIndex node) const;
  bool isHeld(NodeIndex node) const { return system_.nodes_[node.value].count == 0; }

  UnknownIndex addScalar(Kind kind, std::string name, std::string equation, double value = 0.0,
                         double rate = 0.0);
  int addHistory(int count, double value = 0.0);

  void setHistory(int slot, double value) { system_.start_.history[slot] = value; }
  int addRecord(std::vector<double> start = {});

  // Signals by name. Whoever asks first makes the unknown, so that loops can be built in any order;
  // the owner of the name gives it its equation. What nobody owns stays open.
  UnknownIndex signal(const std::string& name, const base::Place& place);
  UnknownIndex signal(const Item& item, std::string_view key);
  UnknownIndex defineSignal(const std::string& name, std::string equation, double start = 0.0);
  UnknownIndex findSignal(const std::string& name) const;
  // A further name of a signal that exists; others are not known either.
  void addSignalName(const std::string& name, const std::string& signal);
  struct OpenSignal {
    std::string name;
    UnknownIndex unknown;
    base::Place place;  // of the first use
  };
  std::vector<OpenSignal> openSignals() const;
  std::vector<std::string> signalNames() const;  // of those that have an owner

  // The one set of this type, made at the first call.
  template <class Set>
  Set& elementSet() {
    auto& set = setsByType_[std::type_index(typeid(Set))];
    if (set == nullptr) {
      auto made = std::make_unique<Set>();
      set = made.get();
      system_.sets_.push_back(std::move(made));
    }
    return static_cast<Set&>(*set);
  }
  template <class E>
  Elements<E>& elements() {
    return elementSet<Elements<E>>();
  }

  // A time at which an applied load or a prescribed motion is not smooth.
  void addBreak(double time) { system_.breaks_.push_back(time); }
  void addBreaks(const Clock& times) { system_.periodicBreaks_.push_back(times); }
  // The index of the clock; equal clocks are one.
  int addClock(const Clock& clock);

  void addMeasure(const std::string& name, std::unique_ptr<Measure> measure);
  const std::map<std::string, std::unique_ptr<Measure>>& measures() const { return measures_; }

  // Where each joint's coordinate and reaction live, for sensors, drives and actuators.
  struct Attachment {
    const ElementSet* set = nullptr;
    int element = -1;  // the first
    int count = 1;
  };
  void attach(const std::string& section, const std::string& name, Attachment attachment);
  const Attachment* findAttachment(const std::string& section, const std::string& name) const;

  // What has been built so far.
  const System& system() const { return system_; }

  // The finished system; measures are handed over by name.
  System finish(std::map<std::string, std::unique_ptr<Measure>>& measures);

 private:
  NodeIndex node(const std::string& name, const base::Place& place);

  base::Diagnostics& diagnostics_;
  const Registry* registry_;
  System system_;
  Formulation formulation_ = Formulation::kLocal;
  std::vector<double> values_, rates_;                        // at the start, by unknown
  std::unordered_map<std::string, std::set<double>> points_;  // fractions by beam
  std::unordered_map<std::string, Item> items_;
  struct Signal {
    UnknownIndex unknown;
    base::Place place;
    bool defined = false;
  };
  std::unordered_map<std::string, Signal> signals_;
  std::vector<std::string> signalOrder_;  // names as they came
  std::unordered_map<std::string, Attachment> attachments_;
  std::unordered_map<std::type_index, ElementSet*> setsByType_;
  std::map<std::string, std::unique_ptr<Measure>> measures_;
};

}  // namespace flexloop::system
