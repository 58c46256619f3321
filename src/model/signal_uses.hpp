// Which items read which signals, as the registry describes their parameters.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/description.hpp"
#include "system/registry.hpp"

namespace flexloop::model {

// The names of all signals that an item reads, without signs.
std::vector<std::string> findSignalsOf(const system::Item& item, const system::TypeEntry& type);

class SignalUses {
 public:
  SignalUses(const Description& description, const system::Registry& registry);

  // The block, sensor or actuator that gives a signal; -1 if none does. Indices are those of Description::items.
  int findOwner(const std::string& signal) const;
  // Items that read a signal of this one, and those whose signals it reads.
  const std::vector<int>& readersOf(int item) const { return readers_[item]; }
  const std::vector<int>& readBy(int item) const { return reads_[item]; }
  // Whether `outputs:` names a signal of it.
  bool isRecorded(int item) const { return recorded_[item]; }

 private:
  std::unordered_map<std::string, int> owners_;
  std::unordered_map<std::string, std::string> aliases_;
  std::vector<std::vector<int>> readers_, reads_;
  std::vector<bool> recorded_;
};

}  // namespace flexloop::model
