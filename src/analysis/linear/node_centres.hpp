// The points of nodes whose translations are measured where a machine accelerates (docs/theory/18_eigenproblem.md, section 18.1).
#pragma once

#include <vector>

#include "analysis/linear/turning_axes.hpp"

namespace flexloop::analysis {

// By node that has an angular acceleration, its centre of mass in node axes [m]; zero for others, and where masses couple it with
// other nodes.
std::vector<Eigen::Vector3d> findCentres(const system::System& system, const system::State& state,
                                         const linalg::SparseMatrix& M);

// As calcBrackets, with translations of `centre`, node axes; (18.2).
NodeBrackets calcBracketsAt(const Eigen::Vector3d& centre, const system::System& system,
                            std::size_t node, const system::State& state, Axes axes);

}  // namespace flexloop::analysis
