#include "mechanics/joints/turn_counters.hpp"

#include <algorithm>

#include "mechanics/sensors/measures.hpp"

namespace flexloop::mechanics {

using system::State;

int AngleCounters::add(Counter counter) {
  counters_.push_back(std::move(counter));
  return size() - 1;
}

void AngleCounters::copy(const Counter& counter, State& state) {
  for (const int to : counter.copies) {
    std::copy_n(state.history.begin() + counter.history, kTurnSlots, state.history.begin() + to);
  }
}

void AngleCounters::updateHistory(const system::Motion& motion, State& state) const {
  for (const Counter& c : counters_) {
    const auto relative = calcRelative<double, double>(
        c.frames, motion.nodes[c.nodes[0].value].frame, motion.nodes[c.nodes[1].value].frame);
    double* history = state.history.data() + c.history;
    history[kAngleSlot] =
        math::nearestTurn<double>(RotationCoordinate::calcValue(relative), history[kAngleSlot]);
    history[kCountingSlot] = 0.0;
    copy(c, state);
  }
}

// Along the common axis of the joint the angle grows by what the second node turns about it more than
// the first (6.11); the arc tangent corrects the rest.
void AngleCounters::advance(const system::Move& move, State& to) const {
  for (const Counter& c : counters_) {
    const auto z_A = c.frames.D_A.R.col(2), z_B = c.frames.D_B.R.col(2);
    const double* from = move.from.history.data() + c.history;
    double* next = to.history.data() + c.history;
    next[kAngleSlot] = from[kAngleSlot] + z_B.dot(calcNodeTurn(move, c.nodes[1]).inBody) -
                       z_A.dot(calcNodeTurn(move, c.nodes[0]).inBody);
    next[kCountingSlot] = move.isInTime ? 1.0 : 0.0;
    // A signal may jump by whole turns between steps; in a step it is followed with all its turns.
    if (c.drive) {
      next[kOffsetSlot] =
          math::rounded((from[kAngleSlot] - move.from.value[c.drive->value]) / kTurn);
    }
    copy(c, to);
  }
}

void AngleCounters::start(State& state) const {
  for (const Counter& c : counters_) {
    if (!c.drive && !c.lock && c.thread.isThere == 0.0) continue;
    const auto relative = calcRelative<double, double>(c.frames, state.frames[c.nodes[0].value],
                                                       state.frames[c.nodes[1].value]);
    const double target = c.drive ? state.value[c.drive->value] : c.lock.value_or(0.0);
    double* history = state.history.data() + c.history;
    history[kAngleSlot] = calcUncounted<double, double>(relative, c.thread, target);
    history[kCountingSlot] = 0.0;
    copy(c, state);
  }
}

void RotationCounters::updateHistory(const system::Motion& motion, State& state) const {
  for (const Counter& c : counters_) {
    double* history = state.history.data() + c.history;
    const math::Vec3<double> w = calcRotation<double, double>(
        motion.nodes[c.node.value].frame.R, c.R0, {history[0], history[1], history[2]});
    for (int i = 0; i < 3; ++i) history[i] = w[i];
  }
}

void RotationCounters::advance(const system::Move& move, State& to) const {
  for (const Counter& c : counters_) {
    const math::Vec3<double> turn = calcNodeTurn(move, c.node).inGround;
    const double* from = move.from.history.data() + c.history;
    for (int i = 0; i < 3; ++i) to.history[c.history + i] = from[i] + turn[i];
  }
}

}  // namespace flexloop::mechanics
