#include "analysis/equilibrium_analysis.hpp"

#include "solve/redundancy.hpp"

namespace flexloop::analysis {

EquilibriumResult findEquilibrium(const model::Model& model) {
  EquilibriumResult result;
  result.state = model.system().start();
  system::Assembler assembler(model.system());
  assembler.forgetPast(result.state);
  const solve::RedundancyReport redundancy = solve::analyzeRedundancy(assembler, result.state);
  result.report = solve::findEquilibrium(assembler, result.state, redundancy.compliance);
  model.outputs().calc(assembler.calcMotion(result.state), result.outputs);
  return result;
}

}  // namespace flexloop::analysis
