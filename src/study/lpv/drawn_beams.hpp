// Beams that are drawn through their nodes while a parameter changes (docs/theory/38_parameter_dependent_models.md, section
// 38.9). Of a straight chain of beams whose length stays the same, a node is at another piece of matter at every value if its
// distance from the ends changes, as a clamp is through which a beam slides. Shapes of two values are then compared where
// the matter is, and not node by node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/linear/linear_model.hpp"
#include "math/se3.hpp"
#include "study/lpv/observed_rows.hpp"

namespace flexloop::study {

// Nodes and beams of a machine at one value of its parameters.
struct BeamMatter {
  struct Element {
    std::vector<int> nodes;
    Eigen::MatrixXd M;  // six freedoms for each node, in its axes
  };
  // Beams that go on in one another, from end to end; where more than two meet, the one that goes straight on follows.
  struct Chain {
    std::string name;  // of its first beam
    std::vector<int> nodes;
    std::vector<double> places;  // of the nodes: distance from the first along the chain [m]
    std::vector<Element> elements;
  };

  std::vector<std::string> names;           // of the nodes
  std::vector<math::Frame<double>> frames;  // of the nodes
  std::vector<bool> moves;                  // by node
  std::vector<Chain> chains;
  linalg::SparseMatrix
      spread;  // motions of all nodes, six each in their axes, from the displacements of the masses
};

BeamMatter readBeamMatter(const model::Model& model, const system::State& state,
                          const analysis::LinearModel& linear, const ObservedRows& rows);

// Why it is not known which matter of one point is where at the other; `parameter` is for the message.
std::optional<std::string> findObstacle(const BeamMatter& a, const BeamMatter& b,
                                        const std::string& parameter);

// What the matter of the beams adds to the product U_aᴴ M U_b of shapes that are compared node by node (38.20): zero where no
// node slides.
Eigen::MatrixXcd calcDrawnProduct(const BeamMatter& a, const Eigen::MatrixXcd& shapesOfA,
                                  const BeamMatter& b, const Eigen::MatrixXcd& shapesOfB);

}  // namespace flexloop::study
