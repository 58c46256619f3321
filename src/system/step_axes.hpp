// The vectors of a time step in axes where they can be added (docs/theory/03_nodes.md, section 3.5).
//
// A state holds rates and accelerations in the unknowns of the nodes. For nodes that go straight these
// are components, in axes that turn, of velocities x' and accelerations x'' that the scheme adds and
// averages as vectors. In the axes that the node has at the start of the step they are
//
//     E V,   E (V' + ω × V),   E a      with  E = R₀ᵀR.                                          (3.8)
//
// They are those of the centre of mass of the node, at c in its axes, where that is another point: of V the velocity
// V + ω × c, and so on. A node that spins about its centre would otherwise be led by the error of the circle that it
// runs on. Everything that is no translation of such a node stays as it is.
#pragma once

#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/step_increment.hpp"
#include "system/system.hpp"

namespace flexloop::system {

class StepAxes {
 public:
  explicit StepAxes(const System& system);

  // c of every node, from the mass matrix M in the unknowns: where translations and rotations do not couple. None where M couples
  // the node with others.
  void setCentres(const linalg::SparseMatrix& M);
  // By node; empty where all are zero.
  const std::vector<Vec3<double>>& centres() const { return centres_; }
  void setCentres(const std::vector<Vec3<double>>& centres);

  // E of every node. Moves that were given to its centre of mass become those of the node.
  void setTurns(const State& from, State& to);
  // Components of the node at the end of the turn become those of its centre of mass at the start, and back.
  void toStart(Eigen::VectorXd& x) const;
  void toEnd(Eigen::VectorXd& x) const;
  // The same without a turn.
  void toCentre(Eigen::VectorXd& x) const { shift(x, 1.0); }
  void fromCentre(Eigen::VectorXd& x) const { shift(x, -1.0); }
  // The same turn, without a change of the point.
  void turnToEnd(Eigen::VectorXd& x) const;
  // The components of vectors about the axes of a body that turns under them by the rotations of dq, as the angular
  // acceleration of a fast top does. Small turns are left out.
  void turnUnder(const Eigen::VectorXd& dq, Eigen::VectorXd& x) const;
  // A change of the increment `dq` of a step becomes that of the motion at its end, T x. Small turns are left out.
  void applyTangents(const StepIncrement& dq, Eigen::VectorXd& x) const;
  // Rates of components become accelerations of the node, but for the ω' × c of its centre, and back, in axes that turn with the ω of
  // `rate`.
  void addTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const;
  void removeTurnOf(const Eigen::VectorXd& rate, Eigen::VectorXd& acceleration) const;

 private:
  void addTurnOf(const Eigen::VectorXd& rate, double sign, Eigen::VectorXd& acceleration) const;
  // Adds ω × c, with the rotations of x for ω.
  void shift(Eigen::VectorXd& x, double sign) const;
  void turnToStart(Eigen::VectorXd& x) const;

  // A node that goes straight; most of them have a body twist, which is read in place.
  struct Place {
    int index, first;  // of the node and its unknowns
    bool isBody;
  };
  const System& system_;
  std::vector<Place> nodes_;
  std::vector<int> rotations_;         // the first of three about the axes of a node
  std::vector<int> turning_;           // nodes with three rotations
  std::vector<math::Mat3<double>> E_;  // by place in nodes_
  std::vector<Vec3<double>> centres_;
  std::vector<int> shifted_;  // places in nodes_ of those that are not zero
};

}  // namespace flexloop::system
