#include "analysis/balance/switch_notes.hpp"

#include "system/switching.hpp"

namespace flexloop::analysis {

std::vector<std::string> describeSwitches(const system::System& system,
                                          const system::State& state) {
  using Branch = system::Switching::Branch;
  std::vector<std::string> notes;
  for (const system::Switch& s : system::findSwitches(system)) {
    if (s.isLatch()) {
      if (!s.set->leads(s.index)) continue;
      const bool isClosed = s.branch(state) == Branch::kClosed;
      notes.push_back("the " + s.name() + (isClosed ? " is closed" : " is open") +
                      ", whatever its signal does");
      continue;
    }
    switch (s.branch(state)) {
      case Branch::kClosed:
        notes.push_back(
            "the " + s.name() +
            (s.isStop() ? " is touched: the joint cannot move" : " sticks: the joint cannot move"));
        break;
      case Branch::kForward:
      case Branch::kBackward:
        notes.push_back("the " + s.name() + " slips: its slope at the present rate counts");
        break;
      case Branch::kFree:
        break;
    }
  }
  return notes;
}

}  // namespace flexloop::analysis
