// A black box in a run: it knows which memory the box holds, and keeps the first fault, after which
// the box is not called again and all results are not-a-number. That a derivative or an output is no number is a
// fault only for the arguments that it was asked with.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/boxes/box.hpp"

namespace flexloop::control {

// One evaluation of a box.
struct BoxTrial {
  double t = 0.0;
  std::span<const double> x{}, u{};
  std::span<double> results{};  // y; of a nonlinear box x' and y, one behind the other
};

class BoxRunner {
 public:
  explicit BoxRunner(std::shared_ptr<Box> box);

  const BoxSettings& settings() const { return settings_; }
  bool canRestore() const { return canRestore_; }
  bool hasJacobian() const { return hasJacobian_; }
  // Of block_output since the box was opened.
  double calls() const { return calls_; }

  // These say whether all went well. Results are not-a-number where it did not.
  //
  // Memory is given as numbers (packBytes). A box that can be restored begins every trial with this
  // memory; for others it does not matter. What is no number at one of them is a fault only of the last,
  // if it may happen at all: with `areTrials`, or where the box can be restored.
  using Memory = std::span<const double>;
  bool outputs(std::span<const BoxTrial> trials, Memory memory, bool areTrials);
  bool output(const BoxTrial& trial, Memory memory) { return outputs({&trial, 1}, memory, false); }
  // One output that counts, and the memory after it.
  bool outputAndSave(const BoxTrial& trial, Memory memory, std::vector<double>& after);
  // Of a nonlinear box.
  bool evaluate(std::span<const BoxTrial> trials, Memory memory = {});
  bool jacobian(double t, std::span<const double> x, std::span<const double> u,
                const Box::Jacobian& jacobian, Memory memory = {});
  // Of a box with events: the states at its start, or the indicators of its events.
  bool ask(BoxFunction function, const BoxTrial& trial, Memory memory);
  // An event or the end of a step: the results, what comes after them, and the memory afterwards, if it can be
  // saved. An event counts as a call.
  bool advance(BoxFunction function, const BoxTrial& trial, std::span<double> further,
               Memory memory, std::vector<double>* after);
  bool save(std::vector<double>& memory);
  // After a question whose answer, all in order, was known already.
  void forgetOutside() { outside_ = outsideRates_ = {}; }
  // Makes it anew, as it was before its first call.
  bool reopen();

  // Ends the run with a fault that the block has found.
  bool fail(const std::string& what, std::string hint);
  const BoxFault& firstFault() const {
    return fault_ ? fault_ : outsideRates_ ? outsideRates_ : outside_;
  }
  // The same in words.
  std::optional<base::Failure> fault() const;

 private:
  bool accept(BoxFault fault);
  // States and inputs of a trial may lie outside of the domain of the box, and the next trial within it.
  bool acceptTrial(BoxFault fault, BoxFault& outside);
  bool fails(std::span<const BoxTrial> trials);
  bool holds(Memory memory) const;
  void giveMemory(Memory memory);
  // Restores the memory if the box does not hold it.
  bool recall(Memory memory);
  void addOutput(const BoxTrial& trial, Memory memory);
  bool readOutput(const BoxTrial& trial, bool isTrial);

  std::shared_ptr<Box> box_;
  BoxSettings settings_;
  bool canRestore_, hasJacobian_;
  double calls_ = 0.0;
  BoxFault fault_;
  BoxFault outside_, outsideRates_;  // of the last calls, if their results were no numbers
  std::vector<double> held_;         // the memory of the box; empty: unknown
  std::vector<unsigned char> bytes_;
};

}  // namespace flexloop::control
