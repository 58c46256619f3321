#include "analysis/equilibrium_analysis.hpp"

#include "analysis/equilibrium_stability.hpp"
#include "model/equilibrium_settings.hpp"
#include "solve/redundancy.hpp"

namespace flexloop::analysis {

EquilibriumResult findEquilibrium(const model::Model& model) {
  EquilibriumResult result;
  result.state = model.system().start();
  system::Assembler assembler(model.system());
  assembler.forgetPast(result.state);
  const solve::RedundancyReport redundancy = solve::analyzeRedundancy(assembler, result.state);
  solve::EquilibriumOptions options;
  options.wanted = model::readEquilibriumSettings(model.description()).wanted;
  options.judge = [&](const system::State& state) {
    return judgeByModes(findDecidingModes(model, state));
  };
  result.report = solve::findEquilibrium(assembler, result.state, redundancy.compliance, options);
  model.outputs().calc(assembler.calcMotion(result.state), result.outputs);
  return result;
}

}  // namespace flexloop::analysis
