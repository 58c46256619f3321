// Elements that come and go with the state. A set that gathers has none of its own: the records of the State list those that are at
// work, as pairs of shapes near each other, and what they remember lies in the history behind all that lasts. An assembler makes the
// elements of the state that it is given, and makes them and its pattern anew where the list has changed. So a list is one of the facts
// of a state, wherever it is kept: copies, checkpoints and analyses need nothing more.
#pragma once

#include <memory>
#include <vector>

#include "system/element_set.hpp"

namespace flexloop::system {

class System;

class Gathering {
 public:
  virtual ~Gathering() = default;
  using Records = std::vector<std::vector<double>>;
  using Sets = std::vector<std::unique_ptr<ElementSet>>;

  // Where the history of the listed elements begins; negative where nothing has been listed yet.
  virtual int tail(const Records& records) const = 0;
  // How many numbers of history the listed elements have, from `tail` on. Negative: the records are not of this set.
  virtual int historySize(const Records& records, int tail) const = 0;
  // The listed elements, which have two nodes and no scalars.
  virtual Sets gather(const Records& records) const = 0;
  // Appends what the elements follow from: two states with the same numbers have the same elements.
  virtual void addList(const Records& records, std::vector<int>& list) const = 0;

  // Whether the list holds all that may touch in the motion, and will do so for the time h.
  virtual bool isSufficient(const Motion& motion, double h) const = 0;
  // Lists what is near in the motion, for steps of about h, in the records of the state, and appends what the elements
  // remember to its history. What stays keeps its memory.
  virtual void renew(const Motion& motion, double h, State& state) const = 0;
};

std::vector<const Gathering*> findGatherings(const System& system);

// Of all sets together: numbers of history that the state must have; negative where its records do not fit.
int findHistorySize(const System& system, const State& state);
bool areListsSufficient(const std::vector<const Gathering*>& gatherings, const Motion& motion,
                        double h);
// The motion is that of the state.
void renewLists(const std::vector<const Gathering*>& gatherings, const Motion& motion, double h,
                State& state);

}  // namespace flexloop::system
