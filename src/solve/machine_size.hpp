// The size of a machine, by which moves are judged.
#pragma once

#include "system/system.hpp"

namespace flexloop::solve {

// The largest coordinate of a node [m]; one if all are at the origin.
double findMachineSize(const system::State& state);

// The largest turn [rad], or move relative to the size of the machine; infinite if it is no number.
double calcLargestMove(const system::System& system, const Eigen::VectorXd& increment,
                       double machineSize);

}  // namespace flexloop::solve
