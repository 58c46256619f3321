// The size of a machine, by which moves are judged.
#pragma once

#include "linalg/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

// The largest coordinate of a node [m]; one if all are at the origin.
double findMachineSize(const system::State& state);

// The largest turn [rad], or move relative to the size of the machine; infinite if it is no number.
double calcLargestMove(const system::System& system, const Eigen::VectorXd& increment,
                       double machineSize);

// What a machine measures itself by [m]; zero where it has nothing of the kind.
struct MachineLengths {
  double place = 0.0;  // largest distance of a node from the origin, which no turn of the axes changes
  double arm = 0.0;    // longest radius of gyration, or arm of a constraint about its node

  double size() const { return place > arm ? place : arm; }
  // A turn [rad] that moves the machine as far as its size; one where turns move nothing.
  double turn() const { return arm > 0.0 ? size() / arm : 1.0; }
};

// With the gradients of the constraints in the rows of K, and the mass M.
MachineLengths findMachineLengths(const system::System& system, const system::State& state,
                                  const linalg::SparseMatrix& K, const linalg::SparseMatrix& M);

// By unknown, for multipliers: how much a constraint with its gradient in a row of K opens where the machine moves by one metre,
// or turns so far that its arm does.
void calcGradientSizes(const system::System& system, const linalg::SparseMatrix& K, double arm,
                       Eigen::VectorXd& sizes);

}  // namespace flexloop::solve
