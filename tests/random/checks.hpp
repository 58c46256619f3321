// What every machine must satisfy. Each check throws Failure; `false` says that it does not apply to this machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "random/study.hpp"

namespace flexloop::analysis {
struct Mode;
}

namespace flexloop::random {

bool checkStart(Study& study);         // constraints, their rates and accelerations at the start
bool checkOrder(Study& study);         // equal steps
bool checkUnequalSteps(Study& study);  // order 2 with steps cut at random
bool checkEnergy(Study& study);        // change of energy = work
bool checkModes(Study& study);         // small motions are those of the modes
bool checkFormulations(Study& study);  // of nodes and of constraints
bool checkRotated(Study& study);
bool checkReordered(Study& study);
bool checkScaled(Study& study);     // other units of mass, length and time
bool checkIdleParts(Study& study);  // clocks, events and jumps that touch nothing
bool checkRestart(Study& study);    // from a checkpoint, bit for bit

// A motion that starts in the mode goes on in it.
void expectMode(const model::Model& model, const system::State& rest, const analysis::Mode& mode,
                double rho);

struct Check {
  std::string name;
  std::function<bool(Study&)> run;
};
const std::vector<Check>& allChecks();

}  // namespace flexloop::random
