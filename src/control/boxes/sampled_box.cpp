#include "control/boxes/sampled_box.hpp"

#include <limits>

#include "control/boxes/host/box_code.hpp"

namespace flexloop::control {

// A box that cannot be restored must be what it was after the last call of this State.
bool SampledBox::canContinue(double calls) const {
  if (runner_.calls() == calls) return true;
  if (calls == 0.0) return runner_.reopen();
  return runner_.fail("cannot return to an earlier time: it has no block_save and block_restore",
                      "export both from the library");
}

void SampledBox::sample(const BlockPorts<double>& p, BlockMemory m) const {
  double& calls = m.memory[p.y.size()];
  const BoxTrial trial{p.t, {}, p.u, p.y};
  const bool ok = runner_.canRestore() ? runner_.outputAndSave(trial, *m.record, *m.record)
                                       : canContinue(calls) && runner_.output(trial, {});
  if (!ok) return;
  std::copy(p.y.begin(), p.y.end(), m.memory);
  calls += 1.0;
}

double SampledBox::precision() const {
  const auto& form = runner_.settings().form;
  return form != nullptr ? form->precision() : std::numeric_limits<double>::epsilon();
}

}  // namespace flexloop::control
