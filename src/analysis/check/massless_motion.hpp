// Motions that no equation determines: those without inertia that neither a joint nor a spring, a beam, a damper or a
// controller holds. With Q the motions of the nodes without inertia, M Q = 0, and B the gradients of the constraints,
// they are the vectors y with
//
//     B Q y = 0,    Qᵀ K Q y = 0,    Qᵀ C Q y = 0.                                              (5.4)
//
// Massless nodes as such are fine: between a spring and a damper in series, along a beam without density, or on a rigid
// joint.
#pragma once

#include <vector>

#include "solve/prepared_machine.hpp"

namespace flexloop::analysis {

// Motions of nodes that depend on each other.
struct MasslessMotion {
  std::vector<int> nodes;     // ascending
  std::vector<int> freedoms;  // unknowns that take part, ascending
  int count = 0;              // of motions that are independent of each other
  bool isRotation = false;    // nothing but rotations takes part
};

// At a start, which need not be consistent.
std::vector<MasslessMotion> findMasslessMotions(solve::PreparedMachine& machine,
                                                const system::State& start);

}  // namespace flexloop::analysis
