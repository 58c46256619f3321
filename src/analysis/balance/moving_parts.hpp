// The parts of a machine that move as one at the start: nodes with the same velocity field. In steady motion (10.5)
// each part keeps its field while the nodes are displaced.
#pragma once

#include <string>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

enum class PartMotion {
  kAsOne,    // displaced nodes go on with the field of their part: a blade that bends
  kInPlace,  // they stay where they are and spin as before: a shaft that sags in its bearings
};

class MovingParts {
 public:
  // At a consistent start.
  MovingParts(const system::System& system, const system::State& start, PartMotion kind);

  double speed() const { return speed_; }  // [rad/s] of the fastest part
  bool isAtRest() const;
  // Names two nodes of a beam that do not move as one; empty if there are none.
  std::string findSplitBeam() const;

  // Velocities, `factor` times those of the start, and the accelerations with which they stay.
  void setMotion(double factor, system::State& state) const;
  // How rates and accelerations change with the unknowns if the motion stays; U and U' of (10.6).
  struct Tangents {
    linalg::SparseMatrix rate, acceleration;
  };
  Tangents calcTangents(const system::State& state) const;
  // The velocities of each moving part alone, as columns.
  Eigen::MatrixXd calcFields(const system::State& state) const;
  // Where the nodes are after this time.
  void goOn(double time, system::State& state) const;

 private:
  using Vec6 = math::Vec6<double>;

  struct Part {
    Vec6 field = Vec6::Zero();  // twist in ground axes, of the point at the origin
    int carrier = -1;  // node at which it is joined to another part and whose twist it keeps
    Vec6 carried = Vec6::Zero();
  };

  int findPart(const Vec6& field, double size, double fastest) const;  // [m], [m/s]
  void findCarriers(const system::State& start);
  Vec6 calcTwist(std::size_t node, const system::State& state) const;

  const system::System& system_;
  PartMotion kind_;
  std::vector<Part> parts_;
  std::vector<int> partOf_;   // by node
  std::vector<Vec6> twists_;  // of the start, in the axes of each node
  double speed_ = 0.0;
};

}  // namespace flexloop::analysis
