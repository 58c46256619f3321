// Static equilibrium: r(value, 0, 0, t) = 0 for positions, states, multipliers and signals
// (docs/theory/10_equilibrium.md). Newton's method with steps of limited turn and corrections after
// each, the loads brought on in steps where needed; a machine that can swing (its stiffness comes
// from gravity alone) is led to rest by a pseudo-transient, (K + μM) δ = −r with μ falling as r does.
#pragma once

#include <string>

#include "system/assembler.hpp"

namespace flexloop::solve {

struct EquilibriumOptions {
  double tolerance = 1e-11;  // of corrections, relative to the size of the machine
  int maxIterations = 200;   // per load step
};

struct EquilibriumReport {
  bool ok = false;
  std::string trouble;  // by the user's names
  std::string hint;     // what helps, where that is known
  int iterations = 0;   // in all
  int loadSteps = 0;
};

// Rates and accelerations of the state are set to zero. A state that failed is unchanged.
[[nodiscard]] EquilibriumReport findEquilibrium(system::Assembler& assembler, system::State& state,
                                                const Eigen::VectorXd& compliance,
                                                const EquilibriumOptions& options = {});

}  // namespace flexloop::solve
