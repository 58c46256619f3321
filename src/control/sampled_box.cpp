#include "control/sampled_box.hpp"

namespace flexloop::control {

// Makes the box what it was after the last call of this State.
bool SampledBox::prepare(double calls, const std::vector<double>* record) const {
  if (runner_.canRestore()) return runner_.restore(*record);
  if (runner_.calls() == calls) return true;
  if (calls == 0.0) return runner_.reopen();
  return runner_.fail("cannot go back to an earlier time: it has no block_save and block_restore",
                      "export both from the library");
}

void SampledBox::sample(const BlockPorts<double>& p, BlockMemory m) const {
  double& calls = m.memory[p.y.size()];
  if (!prepare(calls, m.record) || !runner_.output(p.t, p.u, p.y)) return;
  std::copy(p.y.begin(), p.y.end(), m.memory);
  calls += 1.0;
  if (runner_.canRestore()) static_cast<void>(runner_.save(*m.record));
}

}  // namespace flexloop::control
