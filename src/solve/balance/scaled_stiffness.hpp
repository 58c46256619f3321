// The stiffness with the constraints, in units in which a sign can be determined: the stiffness of every motion is one, and so
// is the largest entry of every constraint. A motion without stiffness has that which joints pass on to it
// (docs/theory/10_equilibrium.md, section 10.8).
#pragma once

#include <optional>
#include <vector>

#include "linalg/roots/neutral_directions.hpp"
#include "solve/balance/static_balance.hpp"

namespace flexloop::solve {

class ScaledStiffness {
 public:
  // Of rows and columns of motions and multipliers. `load` is the size of the applied forces, in newtons: what would yield to
  // them by far more than the machine's size has no stiffness but rounding.
  // What is no more than `noise`, by row, is rounding too.
  ScaledStiffness(const StaticBalance& balance, const linalg::SparseMatrix& part, double load = 0.0,
                  const Eigen::VectorXd& noise = {});

  int constraints() const;
  const Eigen::VectorXd& stiffness() const {
    return stiffness_;
  }  // of motions; zero where there is none
  // Whether it is positive on the constraints with a share of each motion's stiffness added.
  bool isPositive(double share) const;
  // By rounding, which other matrices of the same balance show.
  std::optional<linalg::SignCount> countSigns(
      const std::vector<linalg::SparseMatrix>& rounded) const;
  // Whether the forces of the part have a potential as far as the constraints allow motions. A torque on a hinge turns with the
  // hinge, which spoils the symmetry of motions that the hinge does not allow.
  bool hasPotential(const linalg::SparseMatrix& part) const;
  // Rows of the mechanical part, by all unknowns.
  Eigen::MatrixXd spread(const Eigen::MatrixXd& rows, Eigen::Index size) const;

 private:
  using Entry = linalg::SparseMatrix::InnerIterator;

  void findStiffness(double load, const Eigen::VectorXd& noise);
  double armOf(const Entry& it) const;
  bool passOn();
  void findScale(const StaticBalance& balance);
  linalg::SparseMatrix scaled(const linalg::SparseMatrix& part) const;

  linalg::SparseMatrix matrix_;
  double size_;  // of the machine
  std::vector<system::Kind> kinds_;
  std::vector<int> unknowns_, groups_;
  std::vector<bool> isConstraint_, isTurn_;
  Eigen::VectorXd own_, stiffness_, scale_;
};

}  // namespace flexloop::solve
