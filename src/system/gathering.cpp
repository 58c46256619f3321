#include "system/gathering.hpp"

#include <algorithm>

#include "system/system.hpp"

namespace flexloop::system {
namespace {

// Numbers of history that every state has.
int findLastingHistory(const std::vector<const Gathering*>& gatherings, const State& state) {
  const auto size = static_cast<int>(state.history.size());
  if (gatherings.empty()) return size;
  const int tail = gatherings.front()->tail(state.records);
  return tail < 0 ? size : tail;
}

}  // namespace

std::vector<const Gathering*> findGatherings(const System& system) {
  std::vector<const Gathering*> found;
  for (const auto& set : system.sets()) {
    const auto* gathering = dynamic_cast<const Gathering*>(set.get());
    if (gathering != nullptr) found.push_back(gathering);
  }
  return found;
}

int findHistorySize(const System& system, const State& state) {
  const std::vector<const Gathering*> gatherings = findGatherings(system);
  int size = findLastingHistory(gatherings, system.start());
  for (const Gathering* gathering : gatherings) {
    const int own = gathering->historySize(state.records, size);
    if (own < 0) return -1;
    size += own;
  }
  return size;
}

bool areListsSufficient(const std::vector<const Gathering*>& gatherings, const Motion& motion,
                        double h) {
  return std::all_of(gatherings.begin(), gatherings.end(), [&](const Gathering* gathering) {
    return gathering->isSufficient(motion, h);
  });
}

void renewLists(const std::vector<const Gathering*>& gatherings, const Motion& motion, double h,
                State& state) {
  State next = state;
  next.history.resize(findLastingHistory(gatherings, state));
  for (const Gathering* gathering : gatherings) gathering->renew(motion, h, next);
  state = std::move(next);
}

}  // namespace flexloop::system
