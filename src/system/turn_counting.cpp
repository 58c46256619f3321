#include "system/turn_counting.hpp"

namespace flexloop::system {

NodeTurn calcNodeTurn(const Move& move, NodeIndex index) {
  const Node& node = move.system.node(index);
  if (node.map == NodeMap::kHeld) return {Vec3<double>::Zero(), Vec3<double>::Zero()};
  const Frame<double>& from = move.from.frames[index.value];
  const Vec3<double> turn =
      calcTurn(node, from, move.to.frames[index.value], move.increment.data() + node.firstUnknown);
  return {turn, from.R * turn};
}

TurnCounters findTurnCounters(const System& system) {
  TurnCounters counters;
  for (const auto& set : system.sets()) {
    if (const auto* counter = dynamic_cast<const TurnCounting*>(set.get()); counter != nullptr) {
      counters.push_back(counter);
    }
  }
  return counters;
}

void countTurns(const System& system, const State& from, const Eigen::VectorXd& dq, State& to) {
  advanceTurns(findTurnCounters(system), {system, from, dq, to, false}, to);
}

void advanceTurns(const TurnCounters& counters, const Move& move, State& to) {
  for (const TurnCounting* counter : counters) counter->advance(move, to);
}

}  // namespace flexloop::system
