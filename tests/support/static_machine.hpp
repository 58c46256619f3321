// A model whose static equilibrium a test wants: read from its text, solved by Newton's method with
// load steps. It uses the assembler and nothing of the solver layer.
#pragma once

#include <string>

#include "model/model.hpp"
#include "system/assembler.hpp"

namespace flexloop::test {

class StaticMachine {
 public:
  // Sections `materials`, `sections`, `nodes`, `bodies`, `beams` and `loads`, and sensors of beams.
  explicit StaticMachine(const std::string& text);

  // Applies the loads in equal steps; whether every step converged.
  [[nodiscard]] bool solve(int steps = 1);

  const math::Frame<double>& frame(const std::string& node) const;
  const system::State& state() const { return state_; }
  system::State& state() { return state_; }
  const model::Model& model() const { return model_; }
  system::Assembler& assembler() { return assembler_; }
  double output(const std::string& name);
  Eigen::VectorXd calcResidual();
  int iterations() const { return iterations_; }

 private:
  bool solveStep();

  model::Model model_;
  system::Assembler assembler_;
  system::State state_;
  int iterations_ = 0;
};

}  // namespace flexloop::test
