// Elements of a machine have workspaces, so threads that compute with one and the same machine take turns; those with other
// machines go on beside them.
#pragma once

#include <memory>
#include <mutex>

#include "model/model.hpp"

namespace flexloop::python {

class Turn {
 public:
  // Waits for its turn; without a machine there is nothing to wait for.
  explicit Turn(const model::Model* machine);

 private:
  std::shared_ptr<std::recursive_mutex>
      mutex_;  // a function of the user may compute while a run does
  std::unique_lock<std::recursive_mutex> lock_;
};

// When the machine is gone.
void forgetTurns(const model::Model* machine);

}  // namespace flexloop::python
