// Which unknowns of P(s) u = F w depend on which, by the pattern of P alone (docs/theory/19_responses.md, section 19.6).
//
// Every unknown has an equation that determines it together with those in the same loop; loops are listed in an order
// in which each needs only those behind it. What follows from the pattern holds for all s and to the last digit.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "linalg/roots/delay_pencil.hpp"

namespace flexloop::linalg {

class Dependence {
 public:
  Dependence(const QuadraticPencil& pencil, const DelayTerms& delays);

  // Whether the entry in this equation and column can feed back to itself.
  bool isInLoop(int equation, int unknown) const {
    return loopOfEquation_[equation] == loop_[unknown];
  }
  // By unknown: whether inputs with the columns F change it.
  std::vector<bool> findReached(const Eigen::MatrixXd& F) const;
  // By unknown: whether one of the outputs needs it.
  std::vector<bool> findSeen(const std::vector<int>& outputs) const;
  // By equation: whether it is one of those that determine the chosen unknowns.
  std::vector<bool> findEquations(const std::vector<bool>& unknowns) const;

 private:
  std::vector<int> loop_, loopOfEquation_;
  std::vector<std::vector<int>> needs_;  // by loop: later loops on which it depends
};

}  // namespace flexloop::linalg
