// Where the freedoms of an element are among the groups of a BlockMatrix.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "fem/assembly/freedom_map.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

// Members and indices as BlockMatrix::add takes them. Where freedoms follow from others, the matrix is first taken to
// TᵀAT; without such freedoms T has no rows.
struct ElementPlaces {
  std::vector<int> members;
  std::vector<int> indices;
  Eigen::MatrixXd T;

  // The matrix to add: A itself or `buffer`.
  const Eigen::MatrixXd& project(const Eigen::MatrixXd& A, Eigen::MatrixXd& buffer) const;
};

// Among the unknowns. `nodes` have `perNode` freedoms each.
void findUnknownPlaces(const FreedomMap& map, const int* nodes, int count, int perNode,
                       ElementPlaces& places);
// Among the nodal freedoms, of which `groups` has one group per node.
void findNodalPlaces(const RowGroups& groups, const int* nodes, int count, int perNode,
                     ElementPlaces& places);

// By element, and by point mass after them: the groups of the unknowns that it acts on, ascending, each once.
Lists findElementGroups(const Mesh& mesh, const FreedomMap& map);

}  // namespace flexloop::fem
