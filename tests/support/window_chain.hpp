// A chain of N four-bar windows (benchmark A02 of the IFToMM library): N + 1 uprights on the ground and N couplers
// between their tops, rods of one length and mass, planar but joined by spatial hinges. All uprights stay parallel,
// so that
//
//     θ″ = g (P/I) sin θ,     I = (N+1)/3 + N,     P = (N+1)/2 + N      (rods of 1 m).
//
// Twice in a turn all rods lie in one line, where a constraint of every window becomes dependent.
#pragma once

#include <string>

namespace flexloop::test {

struct WindowChain {
  int windows = 2;
  double length = 1.0, mass = 1.0;
  // With 1 m/s at the tops and gravity of 9.81 m/s², both times the length: the angle is the same for all lengths.
  // The normal of the plane: gravity and the uprights are along y where it is z.
  bool isTilted = false;  // or some direction in space

  // Without the first line and without an analysis; sensors are `angle` of the first upright and `force`, `torque` of
  // its hinge.
  std::string text() const;
  // θ after a time, from zero, by the equation above.
  double calcAngle(double time) const;
};

}  // namespace flexloop::test
