// A black box in a run: it knows which memory the box holds, and keeps the first fault, after which
// the box is not called again and all results are not-a-number. That a derivative or an output is no number is a
// fault only for the arguments that it was asked with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "control/box.hpp"

namespace flexloop::control {

class BoxRunner {
 public:
  explicit BoxRunner(std::shared_ptr<Box> box);

  const BoxSettings& settings() const { return settings_; }
  bool canRestore() const { return canRestore_; }
  bool hasJacobian() const { return hasJacobian_; }
  // Of block_output since the box was opened.
  double calls() const { return calls_; }

  // These tell whether it went well.
  bool output(double t, std::span<const double> u, std::span<double> y);
  // The same of a box without memory at inputs that it need not have a result for.
  bool probe(double t, std::span<const double> u, std::span<double> y);
  bool derivative(double t, std::span<const double> x, std::span<const double> u,
                  std::span<double> dx);
  bool nonlinearOutput(double t, std::span<const double> x, std::span<const double> u,
                       std::span<double> y);
  bool jacobian(double t, std::span<const double> x, std::span<const double> u,
                const Box::Jacobian& jacobian);
  // Memory as numbers (packBytes); nothing is done if the box holds it already.
  bool restore(std::span<const double> memory);
  bool save(std::vector<double>& memory);
  // Makes it anew, as it was before its first call.
  bool reopen();

  // Ends the run with a fault that the block has found.
  bool fail(const std::string& what, std::string hint);
  const BoxFault& firstFault() const {
    return fault_ ? fault_ : outsideRates_ ? outsideRates_ : outside_;
  }
  // The same in words: the message and, in a second line, the remedy; empty if all is well.
  std::string fault() const;

 private:
  bool accept(BoxFault fault);
  bool accept(BoxFault fault, std::span<double> results);
  bool acceptTrial(BoxFault fault, std::span<double> results, BoxFault& outside);

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
