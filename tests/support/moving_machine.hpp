// A model that a test lets go: read from its text, made consistent, and stepped.
#pragma once

#include <memory>
#include <string>

#include "solve/time/time_stepper.hpp"
#include "support/built_sample.hpp"

namespace flexloop::test {

class MovingMachine {
 public:
  // Throws std::runtime_error with the reason if the start is not consistent.
  explicit MovingMachine(const std::string& text);

  // Steps to the time `end`; throws std::runtime_error if a step fails.
  void run(double end, double step);

  double measure(const std::string& name);  // `p1`, `p1.x`
  double rate(const std::string& name);
  Eigen::Vector3d vector(const std::string& name);
  double signal(system::UnknownIndex unknown) const { return state_.value[unknown.value]; }

  const system::System& system() const { return built_.system; }
  const system::State& state() const { return state_; }
  system::Energy energy() { return machine_.assembler().calcEnergy(state_); }

 private:
  BuiltSample built_;
  solve::PreparedMachine machine_;
  system::State state_;
};

}  // namespace flexloop::test
