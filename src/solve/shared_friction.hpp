// How contacts that stick share what they hold (docs/theory/33_impacts.md, section 33.5). A rigid body on several rough points is held by more
// constraints than it has motions, so their forces are not determined; what the compliance of section 9.6 gives them may be more than one point can
// hold while others could hold more.
#pragma once

#include <array>
#include <vector>

#include <Eigen/Core>

#include "system/assembler.hpp"
#include "system/state.hpp"
#include "system/switching.hpp"

namespace flexloop::solve {

// Forces across the normal of contacts that stick, two by two, and the limit of each pair. The columns of A are what a unit of each does to the motions.
struct HeldForces {
  Eigen::VectorXd forces;
  Eigen::VectorXd limits;
  Eigen::MatrixXd A;
};

// What to add to the forces, with A x = 0, so that the largest by its limit is as small as possible: in every group of contacts that can share,
//
//     (33.11)  min max |f_i + x_i|/L_i
//
// Zero in groups where nothing exceeds its limit, and, if only that is wanted, where something still does.
Eigen::VectorXd shareAmong(const HeldForces& held, bool onlyIfEnough);

// What each of those that stick has to carry besides, if one of them carries more than it can; empty: nothing is to be changed.
struct FrictionShare {
  const system::Switch* of = nullptr;
  std::array<double, 2> force{};
};
std::vector<FrictionShare> findShares(system::Assembler& assembler,
                                      const std::vector<system::Switch>& switches,
                                      const system::State& state, bool onlyIfEnough);
void addShares(const std::vector<FrictionShare>& shares, system::State& state);

}  // namespace flexloop::solve
