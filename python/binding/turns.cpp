#include "turns.hpp"

#include <unordered_map>

#include "control/blocks/block_set.hpp"

namespace flexloop::python {
namespace {

struct Turns {
  std::mutex guard;
  std::unordered_map<const model::Model*, std::shared_ptr<std::recursive_mutex>> mutexes;
};

bool hasBoxes(const model::Model& machine) {
  const control::BlockSet* blocks = control::findBlocks(machine.system());
  for (int e = 0; blocks != nullptr && e < blocks->size(); ++e) {
    if (blocks->block(e).isBox()) return true;
  }
  return false;
}

Turns& turns() {
  static Turns all;
  return all;
}

std::shared_ptr<std::recursive_mutex> mutexOf(const model::Model* machine) {
  const std::lock_guard lock(turns().guard);
  std::shared_ptr<std::recursive_mutex>& mutex = turns().mutexes[machine];
  if (!mutex) mutex = std::make_shared<std::recursive_mutex>();
  return mutex;
}

}  // namespace

Turn::Turn(const model::Model* machine) {
  if (machine == nullptr || !hasBoxes(*machine)) return;
  mutex_ = mutexOf(machine);
  lock_ = std::unique_lock(*mutex_);
}

void forgetTurns(const model::Model* machine) {
  const std::lock_guard lock(turns().guard);
  turns().mutexes.erase(machine);
}

}  // namespace flexloop::python
