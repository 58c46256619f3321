// Angles over many turns are counted by the motion itself: what both nodes of a joint turn in a step is
// known from its increments, however far that is (docs/theory/06_joints.md, section 6.6).
#pragma once

#include <vector>

#include "system/system.hpp"

namespace flexloop::system {

// A move of the machine, such as a time step, towards a state whose frames are known.
struct Move {
  const System& system;
  const State& from;
  const Eigen::VectorXd& increment;
  const State& to;
  bool isInTime = true;
};

// The rotation of a node in a move: about the same vector, in the axes of the node and in ground.
struct NodeTurn {
  Vec3<double> inBody, inGround;
};
NodeTurn calcNodeTurn(const Move& move, NodeIndex node);

// Of sets whose elements remember angles.
class TurnCounting {
 public:
  virtual ~TurnCounting() = default;
  // What they expect to remember at the end of the move, in the history of `to`.
  virtual void advance(const Move& move, State& to) const = 0;
  // Where a drive, a lock or a thread prescribes an angle at the start, its turns count.
  virtual void start(State& state) const = 0;
};

using TurnCounters = std::vector<const TurnCounting*>;
TurnCounters findTurnCounters(const System& system);
void advanceTurns(const TurnCounters& counters, const Move& move, State& to);
// The same for a correction in a search for rest, after its retraction.
void countTurns(const System& system, const State& from, const Eigen::VectorXd& dq, State& to);

}  // namespace flexloop::system
