// A part as component mode synthesis sees it: matrices, boundary freedoms and rigid motions
// (docs/theory/30_component_modes.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "fem/reduction/reduction_pieces.hpp"
#include "linalg/symmetric/lowest_modes.hpp"

namespace flexloop::fem {

// A set of unknowns at an interface that deforms in some interface modes (section 30.8).
struct FlexibleSet {
  int group = 0;  // of boundary freedoms: the interface that follows its mean motion
  int modes = 0;
  std::vector<int> unknowns;  // rising; none of the boundary
};

struct Component {
  const linalg::SparseMatrix *K = nullptr, *M = nullptr;  // lower triangles
  int multipliers = 0;                                    // the last unknowns
  std::vector<int> boundary;  // unknowns that lead; the order is that of the reduced coordinates
  Eigen::MatrixXd rigid;      // R: motions without energy, by column; may have none
  Eigen::MatrixXd
      loads;  // forces on all unknowns whose response is wanted, by column; may have none
  std::vector<FlexibleSet> flexible;
  // About the size of the lowest eigenvalue that is not zero, 1/s²; 0: not known.
  double scale = 0.0;
  linalg::SymmetricOptions factors;
  std::function<std::string(int unknown)> name;  // for messages: "node 17, x"
  ReductionPieces pieces;                        // where stages that are done are kept

  std::string nameOf(int unknown) const {
    return name && unknown >= 0 ? name(unknown) : "unknown " + std::to_string(unknown);
  }

  int unknowns() const { return static_cast<int>(K->rows()); }
};

// The unknowns that are not in `held`, in their order.
std::vector<int> findOthers(int unknowns, const std::vector<int>& held);
// Multipliers whose conditions concern these unknowns only.
std::vector<int> findSettledMultipliers(const Component& component, const std::vector<int>& held);
// Rows and columns of a lower triangle; `kept` rises.
linalg::SparseMatrix extract(const linalg::SparseMatrix& lower, const std::vector<int>& kept);
// Y = A[rows, columns] of a symmetric matrix given by its lower triangle, as a dense matrix.
Eigen::MatrixXd extractColumns(const linalg::SparseMatrix& lower, const std::vector<int>& rows,
                               const std::vector<int>& columns);

}  // namespace flexloop::fem
