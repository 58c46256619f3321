// The uses of diagrams in a model and what their signals are called after the diagrams are expanded.
//
// The block `limited` of the diagram that `axis1` uses becomes the block `axis1.limited`. The port
// `torque` of the diagram is then only another name, `axis1.torque`, of that block's signal, and so
// is `axis1` if the diagram has no other output. Uses inside uses have paths: `axis1.inner`.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostics.hpp"
#include "language/diagrams/diagram.hpp"

namespace flexloop::language {

// What a name means that starts with a use of a diagram.
struct UseSignal {
  enum class State {
    kElsewhere,  // it does not start with a use
    kFound,
    kSeveral,  // the use has several outputs and none is named
    kUnknown,  // the use has no such output or block
    kWrong,    // the use is wrong and has been reported
  };
  State state = State::kElsewhere;
  std::string signal;  // found: of a block
  std::string scope;   // found: the use inside of which the name is visible; empty: the whole model
  std::string use;     // several, unknown: the use
  std::string part;    // unknown: the word that names nothing
};

class DiagramUses {
 public:
  // A signal that a use connects to an input, for the check that it is there.
  struct Connection {
    base::Place place;
    std::string use;  // its path
    std::string input;
    std::string signal;
  };

  void add(const std::string& path, const Diagram& diagram) { diagrams_.emplace(path, &diagram); }
  // After all that is inside the use has been added.
  void addOutputs(const std::string& path);
  void addConnection(Connection connection) { connections_.push_back(std::move(connection)); }

  bool empty() const { return diagrams_.empty(); }
  const std::vector<Connection>& connections() const { return connections_; }
  const Diagram* findDiagram(const std::string& path) const;
  UseSignal find(const std::string& name) const;
  // The use around the last part of a name, or an empty text: an instance of an assembly is none.
  std::string_view scopeOf(std::string_view name) const;

  // Further names of signals: `axis1.torque` -> `axis1.limited`, in the order of the file.
  const std::vector<std::pair<std::string, std::string>>& names() const { return names_; }

  // How messages start inside a use, empty outside of all: `blocks.axis1 (diagram robot): inner (diagram servo): `
  std::string contextOf(std::string_view path) const;

 private:
  // `length` characters of the name are the path of a use.
  UseSignal findInside(const std::string& name, std::size_t length) const;
  UseSignal findPort(const std::string& path, const std::string& port,
                     const std::string& rest) const;

  std::unordered_map<std::string, const Diagram*> diagrams_;  // by path
  std::unordered_map<std::string, std::string> ports_;        // `axis1.torque` -> `axis1.limited`
  std::vector<std::pair<std::string, std::string>> names_;
  std::vector<Connection> connections_;
};

// The path around the last part of a name, or an empty text: `axis1.inner` of `axis1.inner.law`.
std::string_view parentOf(std::string_view path);

}  // namespace flexloop::language
