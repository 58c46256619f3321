// What sticks at a rest (docs/theory/32_friction.md, section 4). All friction sticks where the machine is placed, unless that takes more force than it can
// hold: such a joint slides, one after the other, to where sliding friction holds the balance, and stays there. Stops are open at first: one that is
// passed at the rest closes, and so does the one that a machine without rest moves to; one that would pull opens (33_impacts.md, section 4).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/model.hpp"
#include "solve/prepared_machine.hpp"
#include "system/assembler.hpp"
#include "system/switching.hpp"

namespace flexloop::analysis {

class RestingSwitches {
 public:
  explicit RestingSwitches(const model::Model& model);

  bool isEmpty() const { return switches_.empty(); }
  // Where the search for rest begins, with the branches to be tried.
  const system::State& start() const { return start_; }
  // Lets go the joint whose force exceeds its limit most; false if none does.
  bool release(const system::State& rest);
  // Without a rest on the present branches: closes the open stop that the machine would hit first from its start; false if there is none.
  bool catchFall();
  // A stop that is passed or pulls at the rest, though all have been tried both open and closed.
  [[nodiscard]] std::optional<base::Failure> describeContradiction(const system::State& rest) const;
  // The stops that were closed so and are touched at the rest.
  std::vector<std::string> describeCaught(const system::State& rest) const;
  // Everything stays where it is: the start is then that rest. Tells what has slipped.
  std::vector<std::string> holdAt(const system::State& rest);

 private:
  enum class Fault { kNone, kPassed, kPulls };
  Fault judgeStop(const system::Switch& s, system::Assembler& assembler, const system::State& rest,
                  double tolerance) const;
  bool changeStop(const system::State& rest);
  void setStop(std::size_t which, bool isClosed, system::Assembler& assembler);
  void obeyCommands(solve::PreparedMachine& machine);
  bool isDisobeyed(const system::Switch& s, system::Assembler& assembler,
                   const system::State& at) const;
  void toggle(const system::Switch& s, system::Assembler& assembler);
  bool isHeldByStop(const system::Switch& friction, solve::PreparedMachine& machine) const;

  const model::Model& model_;
  std::vector<system::Switch> switches_;
  system::State start_;
  std::vector<int> changes_;    // of each stop
  std::vector<bool> isCaught_;  // those that have been closed without a rest
  int shares_ = 0;  // how often contacts that stick have been given other shares of what they hold
};

// The branches of a machine as it moves at the start, in a state that is otherwise unchanged.
[[nodiscard]] std::optional<base::Failure> chooseByMotion(const model::Model& model,
                                                          system::State& state);

}  // namespace flexloop::analysis
