#include "analysis/balance/equilibrium_analysis.hpp"

#include "analysis/balance/equilibrium_stability.hpp"
#include "analysis/balance/rest_branches.hpp"
#include "analysis/balance/resting_switches.hpp"
#include "analysis/balance/sampled_rest.hpp"
#include "analysis/time/bend_watch.hpp"
#include "model/equilibrium_settings.hpp"
#include "solve/prepared_machine.hpp"
#include "system/bounded.hpp"
#include "system/touching.hpp"

namespace flexloop::analysis {
namespace {

// Friction holds what it holds at the rest that was found.
void rememberRest(system::Assembler& assembler, system::State& state) {
  const system::Motion& motion = assembler.calcMotion(state);
  for (const system::ElementSet* set : assembler.sets()) {
    const auto* gripping = dynamic_cast<const system::Gripping*>(set);
    if (gripping != nullptr) gripping->rememberRest(motion, state);
  }
}

EquilibriumResult findWithLists(const model::Model& model, const system::State& start) {
  EquilibriumResult result;
  result.state = start;
  const solve::MachineLoan machine = model.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  assembler.forgetPast(result.state);
  static_cast<void>(assembler.calcMotion(result.state));  // with its list
  const auto redundancy = machine->redundancy(result.state);
  solve::EquilibriumOptions options;
  options.wanted = model::readEquilibriumSettings(model.description()).wanted;
  options.judge = [&](const system::State& state) {
    return judgeByModes(findDecidingModes(model, state));
  };
  const control::BlockSet* blocks = control::findBlocks(model.system());
  if (blocks != nullptr && !blocks->sampled().empty()) {
    SampledRest sampled(assembler, *blocks, redundancy->compliance);
    const auto search = [&](system::State& state) { return sampled.find(state, options); };
    result.report = settleAtRest(assembler, search, result.state, result.notes);
    result.notes.insert(result.notes.end(), sampled.notes().begin(), sampled.notes().end());
  } else {
    const auto search = [&](system::State& state) {
      return solve::findEquilibrium(assembler, state, redundancy->compliance, options);
    };
    result.report = settleAtRest(assembler, search, result.state, result.notes);
  }
  if (result.report.ok()) {
    result.report.failure = system::findFault(system::findBounded(model.system()), result.state);
  }
  if (result.report.ok() && !result.report.neutral.empty()) {
    result.notes.push_back(
        "nothing holds the " + result.report.neutral +
        ", and nothing drives it: the machine is in equilibrium at any value of it");
  }
  if (result.report.ok()) {
    rememberRest(assembler, result.state);
    BendWatch bends(model.system());
    bends.look(result.state);
    for (std::string& note : bends.notes(false)) result.notes.push_back(std::move(note));
  }
  model.outputs().calc(assembler.calcMotion(result.state), result.outputs);
  return result;
}

// Whether the lists of what may touch hold at the rest; if not, the state gets others.
bool areListsRight(const model::Model& model, system::State& state) {
  const solve::MachineLoan machine = model.borrowMachine();
  system::Assembler& assembler = machine->assembler();
  const auto& gatherings = assembler.gatherings();
  if (gatherings.empty()) return true;
  const system::Motion& motion = assembler.calcMotion(state);
  if (system::areListsSufficient(gatherings, motion, 0.0)) return true;
  system::renewLists(gatherings, motion, 0.0, state);
  return false;
}

// On the branches of the start, of what comes and goes.
EquilibriumResult findOnBranches(const model::Model& model, const system::State& start) {
  constexpr int kMostRounds = 20;
  EquilibriumResult result = findWithLists(model, start);
  for (int round = 0; result.report.ok() && !areListsRight(model, result.state); ++round) {
    if (round < kMostRounds) {
      result = findWithLists(model, result.state);
      continue;
    }
    result.report.failure = base::numericalFailure(
        "the spheres of a group meet others again and again on the way to a rest",
        "start nearer to it: `run` shows where they come to rest");
  }
  return result;
}

}  // namespace

EquilibriumResult findEquilibrium(const model::Model& model) {
  RestingSwitches switches(model);
  for (;;) {
    EquilibriumResult result = findOnBranches(model, switches.start());
    if (switches.isEmpty()) return result;
    if (!result.report.ok()) {
      if (switches.catchFall()) continue;
      return result;
    }
    if (switches.release(result.state)) continue;
    result.report.failure = switches.describeContradiction(result.state);
    if (!result.report.ok()) return result;
    const std::vector<std::string> notes = switches.holdAt(result.state);
    // What has slipped is now held by a constraint, and its force is that of it.
    if (!notes.empty()) result = findOnBranches(model, switches.start());
    result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
    const std::vector<std::string> caught = switches.describeCaught(result.state);
    result.notes.insert(result.notes.end(), caught.begin(), caught.end());
    return result;
  }
}

}  // namespace flexloop::analysis
