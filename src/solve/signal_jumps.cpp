#include "solve/signal_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "solve/consistent_accelerations.hpp"
#include "solve/machine_size.hpp"

namespace flexloop::solve {

using system::Kind;
using system::UnknownIndex;

namespace {

// Relative changes of signals and rates from which on accelerations are found anew. Forces of smaller jumps count
// too (9.16), but accelerations that are recorded at that instant do not show them.
constexpr double kJump = 1e-6;
constexpr double kSamePosition = 1e-6;  // of a driven joint, relative to the size of the machine

bool haveJumped(const std::vector<Kind>& kinds, const system::State& a, const system::State& b) {
  for (int u = 0; u < a.value.size(); ++u) {
    if (kinds[u] != Kind::kSignal) continue;
    const double size = std::max(std::abs(a.value[u]), std::abs(b.value[u]));
    if (std::abs(a.value[u] - b.value[u]) > kJump * size) return true;
  }
  return false;
}

// Where a branch has ended, as that of an integrator at its limit, states may take another rate though
// no signal jumps.
bool haveRatesJumped(const std::vector<Kind>& kinds, const system::State& state,
                     const Eigen::VectorXd& residual) {
  for (int u = 0; u < residual.size(); ++u) {
    if (kinds[u] != Kind::kState) continue;
    const double now = state.rate[u] - residual[u];
    if (std::abs(residual[u]) > kJump * std::max(std::abs(now), std::abs(state.rate[u]))) {
      return true;
    }
  }
  return false;
}

// The joint whose prescribed position is elsewhere after a jump, with what helps; or nothing.
std::optional<base::Failure> describeDriveJump(const system::System& system, MassSystem& massSystem,
                                               const system::State& before,
                                               const system::State& after) {
  const std::vector<SignalSystem::Drive>& drives = massSystem.signals().drives();
  if (drives.empty()) return {};
  constexpr MassSystem::Use kUse = MassSystem::Use::kKinematics;
  if (!massSystem.reuse(kUse) && !massSystem.update(before, kUse).ok) return {};
  const double size = findMachineSize(system, after, massSystem.matrix());
  Eigen::VectorXd gradients;
  calcGradientSizes(system, massSystem.matrix(), size, gradients);
  for (const SignalSystem::Drive& drive : drives) {
    const double from = before.value[drive.signal], to = after.value[drive.signal];
    const double reach = gradients[drive.constraint] * size;
    const double allowed = kSamePosition * std::max({reach, std::abs(from), std::abs(to)});
    if (std::abs(to - from) <= allowed) continue;
    char text[64];
    std::snprintf(text, sizeof text, " jumps from %.6g to %.6g", from, to);
    return base::numericalFailure(
        "the prescribed position of '" + system.equationName(UnknownIndex{drive.constraint}) +
            "' (signal '" + system.equationName(UnknownIndex{drive.signal}) + "')" + text,
        "no finite force can do this: prescribe a smooth motion (s_curve, sine, a table, a filter "
        "after the jump), or let an actuator follow the signal");
  }
  return {};
}

}  // namespace

JumpReport restartAfterJump(PreparedMachine& machine, system::State& state,
                            const std::vector<bool>& dueClocks, bool mustRestart) {
  system::Assembler& assembler = machine.assembler();
  MassSystem& massSystem = machine.massSystem();
  const std::vector<Kind>& kinds = assembler.system().kinds();
  SignalSystem& signals = massSystem.signals();
  system::State next = state;
  JumpReport report;
  report.failure = dueClocks.empty() ? signals.solve(next) : signals.sample(next, dueClocks);
  if (report.failure || (report.failure = signals.solve(next))) return report;
  report.failure = describeDriveJump(assembler.system(), massSystem, state, next);
  if (report.failure) return report;
  Eigen::VectorXd r;
  assembler.calcResidual(next, r);
  // A drive that sets out from rest with an acceleration has the same value before and after.
  report.restarted = mustRestart || signals.hasDrives() || next.value != state.value;
  const bool isMaterial = mustRestart || signals.hasDrives() || haveJumped(kinds, state, next) ||
                          haveRatesJumped(kinds, next, r);
  if (isMaterial) {
    system::State consistent = next;
    if (calcAccelerations(machine, consistent)) next = std::move(consistent);
  }
  state = std::move(next);
  return report;
}

std::vector<double> calcDriveRates(PreparedMachine& machine, system::State state) {
  MassSystem& massSystem = machine.massSystem();
  std::vector<double> rates;
  if (massSystem.signals().solve(state)) return rates;
  massSystem.signals().calcRates(state);
  for (const auto& drive : massSystem.signals().drives()) rates.push_back(state.rate[drive.signal]);
  return rates;
}

bool haveDriveRatesJumped(const std::vector<double>& before, const std::vector<double>& after) {
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const double size = std::max(std::abs(before[i]), std::abs(after[i]));
    if (std::abs(after[i] - before[i]) > kJump * size) return true;
  }
  return false;
}

}  // namespace flexloop::solve
