// Watches whether the steps of a run are short enough for its contacts (docs/theory/34_contact.md, section 34.6): shapes that pass
// through each other within one step are not noticed by the equations, and an impact of few steps is not resolved.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "system/assembler.hpp"
#include "system/touching.hpp"

namespace flexloop::analysis {

class ContactWatch {
 public:
  explicit ContactWatch(const system::System& system);

  // An accepted step.
  void addStep(const system::State& from, const system::State& to, system::Assembler& assembler);
  // What is said about the run; nothing where all is well.
  std::vector<std::string> notes() const;

 private:
  struct Contact {
    const system::ElementSet* set = nullptr;
    const system::Touching* touching = nullptr;
    int element = 0;
    double before = 0.0, depth = 0.0;  // before and after the last step [m]
    int steps = 0;                     // since they touch
  };
  using Key = std::tuple<std::string, std::string_view, int, int>;  // name, type and nodes
  // The worst contact of a kind.
  struct Finding {
    std::string name;
    int steps = 0;
    double time = 0.0, step = 0.0;
  };
  void takeListed(const system::State& from, system::Assembler& assembler);
  void judge(Contact& contact, const system::State& from, const system::State& to,
             system::Assembler& assembler);
  bool arePassed(const Contact& contact, const system::State& from, const system::State& to,
                 system::Assembler& assembler) const;

  std::vector<Contact> contacts_;  // those that come and go are the last ones
  std::size_t lasting_ = 0;        // how many others
  std::vector<Key> keys_;          // of those that come and go
  int patternCount_ = 0;           // of the assembler, when they were taken
  bool isFirst_ = true;            // of the steps
  Finding missed_, brief_;
};

}  // namespace flexloop::analysis
