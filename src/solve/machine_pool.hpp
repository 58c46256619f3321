// The prepared machines of one system. One serves for all that is asked of a model one after the other. Another one is made only
// where somebody asks while the first is in use: in the middle of a run, or in another thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "system/system.hpp"

namespace flexloop::solve {

class PreparedMachine;

class MachinePool {
 public:
  explicit MachinePool(const system::System& system);
  ~MachinePool();
  MachinePool(const MachinePool&) = delete;
  MachinePool& operator=(const MachinePool&) = delete;

  const system::System& system() const { return system_; }

  struct Return {
    MachinePool* pool = nullptr;
    void operator()(PreparedMachine* machine) const;
  };
  using Loan = std::unique_ptr<PreparedMachine, Return>;
  // Goes back to the pool, which has to outlive it, when the loan ends.
  [[nodiscard]] Loan borrow();

 private:
  const system::System& system_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<PreparedMachine>> idle_;
};

using MachineLoan = MachinePool::Loan;

}  // namespace flexloop::solve
