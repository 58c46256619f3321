// Where the nodes of a beam are: `elements` equal elements of order p, with their nodes at the
// Gauss–Lobatto points, and a node at every point of the beam that the model refers to.
//
// A point that is no node splits its element: it, and the inner nodes that the element has anyway,
// become the ends of smaller elements of the same order. So the nodes `beam.k` never move.
#pragma once

#include <vector>

namespace flexloop::mechanics {

// Points of a beam closer than this fraction of its length are the same.
inline constexpr double kSameFraction = 1e-9;

struct BeamMesh {
  int order = 1;                  // p; element e has the nodes e·p … e·p + p
  std::vector<double> fractions;  // of the length, by node, from 0 to 1
  // By node: k for the inner node `beam.k`, zero for the first end, p·elements for the second; −1
  // for a node that is there because of a point.
  std::vector<int> numbers;

  int nodes() const { return static_cast<int>(fractions.size()); }
  int elements() const { return (nodes() - 1) / order; }
  double startOf(int element) const { return fractions[element * order]; }
  double endOf(int element) const { return fractions[(element + 1) * order]; }
};

// `points` are fractions of the length, ascending.
BeamMesh makeBeamMesh(int elements, int order, const std::vector<double>& points);

// The element that contains the point; at a node the one after it.
int findElement(const BeamMesh& mesh, double fraction);

// The node at the point, or −1.
int findMeshNode(const BeamMesh& mesh, double fraction);

// The share of the length that belongs to each node by Gauss–Lobatto quadrature over the elements.
std::vector<double> calcShares(const BeamMesh& mesh);

}  // namespace flexloop::mechanics
