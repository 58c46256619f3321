#include "model/start/drive_signals.hpp"

#include <cmath>
#include <vector>

#include "system/turn_counting.hpp"

namespace flexloop::model {

DriveSignals::DriveSignals(solve::PreparedMachine& machine)
    : assembler_(machine.assembler()), signals_(machine.massSystem().signals()) {}

bool DriveSignals::read(const system::State& state) {
  state_ = state;
  if (signals_.solve(state_)) return false;
  // A driven angle counts as what drives it, and another drive may follow from it.
  for (const auto* counter : system::findTurnCounters(assembler_.system())) counter->start(state_);
  if (signals_.solve(state_)) return false;
  calcStateRates();
  signals_.calcRates(state_);
  for (const auto& drive : signals_.drives()) {
    if (!std::isfinite(state_.value[drive.signal]) || !std::isfinite(state_.rate[drive.signal])) {
      return false;
    }
  }
  return true;
}

void DriveSignals::calcStateRates() {
  const std::vector<system::Kind>& kinds = assembler_.system().kinds();
  Eigen::VectorXd r;
  assembler_.calcResidual(state_, r);
  for (int u = 0; u < r.size(); ++u) {
    if (kinds[u] == system::Kind::kState) state_.rate[u] -= r[u];
  }
}

}  // namespace flexloop::model
