// The nodes that belong to the rows of matrices of another program, as CSV:
//
//   node,x,y,z[,dofs][,sets]
//   17,0,0,0.1[,xyz][,foot edge]
//
// `node` is the number of the node, x, y and z its place in the unit of length of the part. The rows of K and M are those
// of the nodes in the order of the file: for each its freedoms in the order of `dofs`, letters x y z for displacements and
// a b c for rotations about them (xyzabc, also written as 123456 as by Abaqus and Nastran). Without that column each node
// has x y z if the matrices have three rows per node, and all six if they have six. `sets` are the node sets that the node
// belongs to, separated by blanks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"

namespace flexloop::fem {

struct NodeTable {
  std::vector<std::int64_t> ids;
  std::vector<Eigen::Vector3d> points;    // m
  std::vector<std::array<int, 6>> rowOf;  // row of x y z rx ry rz; -1: the node has no such freedom
  int rows = 0;
  std::map<std::string, std::vector<int>> sets;  // indices of nodes, rising
};

// `rows`: of the matrices, by which freedoms are counted where the file does not list them.
base::Result<NodeTable> readNodeTable(const std::string& path, double lengthUnit, int rows);
base::Result<NodeTable> readNodeTableText(const std::string& text, const std::string& path,
                                          double lengthUnit, int rows);

}  // namespace flexloop::fem
