// Where a part is joined to a machine: nodes with six freedoms that lead sets of nodes of the mesh.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "fem/assembly/part_system.hpp"
#include "fem/mesh/mesh.hpp"

namespace flexloop::fem {

struct InterfaceRequest {
  std::string name;
  std::string set;                       // of nodes or elements; empty: `meshNode` is given
  std::optional<std::int64_t> meshNode;  // number in the mesh file
  std::optional<Eigen::Vector3d> at;     // of a set, mesh axes, m; without it the mean of its nodes
  bool spread = false;                   // averaging instead of rigid: the set stays free to deform
  int modes =
      0;  // of a set that is spread: interface modes; 0: its deformation is that of normal modes
};

struct PartInterface {
  std::string name;
  int node = 0;            // of the mesh
  int modes = 0;           // interface modes
  std::vector<int> set{};  // whose they are: nodes of the mesh
};

// A part whose matrices are given has no elements; each of its nodes has three or six freedoms.
struct GivenFreedoms {
  int perNode = 0;  // 0: the mesh has elements
};

// Adds a node and a spider for every set. One node of the mesh is taken as it is where it has rotations: on shells, beams and
// references of spiders. On solids a new node takes its place: it moves with the mesh node and turns as the nodes of the
// elements around do on average, by an averaging spider. A set of one node counts as that node. Given matrices with three
// freedoms per node say nothing about the nodes around: there a single node is refused.
//
// Fails, with the mesh unchanged, for a set that is missing, empty or without elements, for a node that two rigid interfaces
// would lead, and for one that already follows another. The result is in the order of the requests.
base::Result<std::vector<PartInterface>> addInterfaces(
    Mesh& mesh, const std::vector<InterfaceRequest>& requests, GivenFreedoms given = {});

// An interface must be able to carry a load in all six directions.
std::optional<base::Failure> checkInterfaces(const PartSystem& part,
                                             const std::vector<PartInterface>& interfaces);

}  // namespace flexloop::fem
