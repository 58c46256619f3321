#include "control/boxes/fmu/co_simulation_box.hpp"

#include <algorithm>

namespace flexloop::control {

std::vector<double> CoSimulationBox::makeMemory(int outputs,
                                                const std::vector<double>& startInputs) {
  std::vector<double> memory(outputs + 1, 0.0);
  memory.insert(memory.end(), startInputs.begin(), startInputs.end());
  return memory;
}

// An FMU that cannot be restored must be what it was after the last call of this State.
bool CoSimulationBox::canContinue(double calls) const {
  if (runner_.calls() == calls) return true;
  if (calls == 0.0) return runner_.reopen();
  return runner_.fail("cannot return to an earlier time: it has no functions for its state",
                      "export it with canGetAndSetFMUState");
}

void CoSimulationBox::sample(const BlockPorts<double>& p, BlockMemory m) const {
  double& calls = m.memory[p.y.size()];
  const std::span<const double> last(m.memory + p.y.size() + 1, p.u.size());
  const bool isFirst = calls == 0.0;
  const BoxTrial trial{p.t, {}, isFirst && hasFeedthrough_ ? p.u : last, p.y};
  const bool ok = runner_.canRestore() ? runner_.outputAndSave(trial, *m.record, *m.record)
                                       : canContinue(calls) && runner_.output(trial, {});
  if (!ok) return;
  std::copy(p.y.begin(), p.y.end(), m.memory);
  calls += 1.0;
}

void CoSimulationBox::updateSample(const BlockPorts<double>& p, BlockMemory m) const {
  std::copy(p.u.begin(), p.u.end(), m.memory + p.y.size() + 1);
}

}  // namespace flexloop::control
