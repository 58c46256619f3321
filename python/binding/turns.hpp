// A black box is one process, or one Python function, which holds the memory of one analysis at a time. So threads that compute with one
// and the same machine take turns where it has black boxes; otherwise, and with other machines, they go on side by side.
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
