#include "solve/machine_pool.hpp"

#include <utility>

#include "solve/prepared_machine.hpp"

namespace flexloop::solve {

MachinePool::MachinePool(const system::System& system) : system_(system) {}
MachinePool::~MachinePool() = default;

MachineLoan MachinePool::borrow() {
  std::unique_ptr<PreparedMachine> machine;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      machine = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (machine == nullptr) machine = std::make_unique<PreparedMachine>(system_);
  return {machine.release(), Return{this}};
}

void MachinePool::Return::operator()(PreparedMachine* machine) const {
  std::unique_ptr<PreparedMachine> back(machine);
  back->assembler().setLoadFactor(1.0);
  back->assembler().setAugmentation(1.0, 0.0);
  const std::lock_guard lock(pool->mutex_);
  pool->idle_.push_back(std::move(back));
}

}  // namespace flexloop::solve
