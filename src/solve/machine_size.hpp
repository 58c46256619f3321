// The size of a machine, by which moves and turns are compared, and what its constraints measure.
#pragma once

#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

// The largest distance of a node from the origin [m], by which positions are rounded; one if all are there.
double findFarthestNode(const system::State& state);
// The same, or the largest radius of inertia, whichever is larger: a machine whose nodes all are at the
// origin has a size too.
double findMachineSize(const system::System& system, const system::State& state,
                       const linalg::SparseMatrix& M);

// Of moves and of turns that have one; zero where none has.
struct MeanMasses {
  double move = 0.0, turn = 0.0;
};
MeanMasses findMeanMasses(const system::System& system, const linalg::SparseMatrix& M);

// The largest turn [rad], or move relative to the size of the machine; infinite if it is no number.
double calcLargestMove(const system::System& system, const Eigen::VectorXd& increment,
                       double machineSize);

// Of each constraint, how much it changes by a move over one unit of length, or by the turn that moves as much
// over the size of the machine: what is open of it, divided by this, is a length, and its multiplier, times this,
// a force. Zero for all other unknowns.
void calcGradientSizes(const system::System& system, const linalg::SparseMatrix& K,
                       double machineSize, Eigen::VectorXd& sizes);
// With a size for the motion of every unknown, as of the part that it belongs to.
void calcGradientSizes(const system::System& system, const linalg::SparseMatrix& K,
                       const Eigen::VectorXd& machineSizes, Eigen::VectorXd& sizes);

}  // namespace flexloop::solve
