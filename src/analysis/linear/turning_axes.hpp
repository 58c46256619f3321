// The axes in which increments of nodes are measured, so that the linear equations of a turning machine do not
// depend on time (docs/theory/18_eigenproblem.md, section 18.1).
#pragma once

#include <vector>

#include "linalg/roots/quadratic_pencil.hpp"
#include "solve/prepared_machine.hpp"
#include "system/assembler.hpp"

namespace flexloop::analysis {

enum class Axes {
  kBodies,  // each node's own: blades, arms, machines that turn as a whole
  kGround,  // a symmetric rotor on supports that differ by direction
};

// By node; empty: all have those of the bodies.
using NodeAxes = std::vector<Axes>;
inline Axes axesOf(const NodeAxes& axes, std::size_t node) {
  return axes.empty() ? Axes::kBodies : axes[node];
}

// Of one node, on its unknowns: what δrate has beside δ', and δacceleration beside δ'' with δ' and with δ; (18.3).
struct NodeBrackets {
  Eigen::Matrix<double, 6, 6> rate, accelerationByRate, acceleration;
};
NodeBrackets calcBrackets(const system::System& system, std::size_t node,
                          const system::State& state, Axes axes);

// The tangents of the whole system at a consistent state, moving nodes included, on all its unknowns.
linalg::QuadraticPencil makePencil(system::Assembler& assembler, const system::State& state,
                                   const NodeAxes& axes = {});

struct Turning {
  NodeAxes axes;            // each part of the machine has its own
  double speed = 0.0;       // [rad/s] of the fastest node
  bool isSteady = true;     // in these axes the equations do not change while the machine turns on
  bool isInBoth = false;    // nor in those of the ground: a symmetric rotor on equal supports
  bool isInGround = false;  // the axes of all that turns
  bool isMixed = false;     // some turn in the axes of their bodies, others in those of the ground
};
// The machine is turned on by one radian, and its equations are compared.
Turning findTurning(solve::PreparedMachine& machine, const system::State& state);

}  // namespace flexloop::analysis
