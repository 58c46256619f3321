// The vectors of a time step in axes where they can be added (docs/theory/03_nodes.md, section 3.5).
//
// A state holds rates and accelerations in the unknowns of the nodes. For nodes that go straight these
// are components, in axes that turn, of velocities x' and accelerations x'' that the scheme adds and
// averages as vectors. In the axes that the node has at the start of the step they are
//
//     E V,   E (V' + ω × V),   E a      with  E = R₀ᵀR.                                          (3.8)
//
// Everything that is no translation of such a node stays as it is.
#pragma once

#include <vector>

#include "system/assembler.hpp"

namespace flexloop::system {

class StepAxes {
 public:
  explicit StepAxes(const System& system);

  // E of every node.
  void setTurns(const State& from, const State& to);
  // Components at the end of the turn become those at its start, and back.
  void toStart(Eigen::VectorXd& x) const;
  void toEnd(Eigen::VectorXd& x) const;
  // The components of vectors about the axes of a body that turns under them by the rotations of dq, as the angular
  // acceleration of a fast top does. Small turns are left out.
  void turnUnder(const Eigen::VectorXd& dq, Eigen::VectorXd& x) const;
  // A change of the increment `dq` of a step becomes that of the motion at its end, T x. Small turns are left out.
  void applyTangents(const StepIncrement& dq, Eigen::VectorXd& x) const;
  // Rates of components become accelerations, and back, in axes that turn with the ω of `rate`.
  void addTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const;
  void removeTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const;

 private:
  void addTurnOf(const Eigen::VectorXd& rate, double sign, Eigen::VectorXd& acceleration) const;

  // A node that goes straight; most of them have a body twist, which is read where it stands.
  struct Place {
    int index, first;  // of the node and its unknowns
    bool isBody;
  };
  const System& system_;
  std::vector<Place> nodes_;
  std::vector<int> rotations_;         // the first of three about the axes of a node
  std::vector<int> turning_;           // nodes with three rotations
  std::vector<math::Mat3<double>> E_;  // by place in nodes_
};

}  // namespace flexloop::system
