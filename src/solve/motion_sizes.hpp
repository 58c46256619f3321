// Sizes of the accelerations of every node and of the forces in every joint, by which corrections are judged
// (docs/theory/09_time.md, section 9.9). They fade within some steps, so that a blow is forgotten, and what a node does counts
// for others as far as its forces reach them in a step.
#pragma once

#include <vector>

#include "solve/part_sizes.hpp"

namespace flexloop::solve {

class MotionSizes {
 public:
  MotionSizes() = default;
  MotionSizes(const system::System& system, const linalg::SparseMatrix& pattern);

  // At the start, from the masses.
  void measure(const PartSizes& parts, const linalg::SparseMatrix& M);
  // Of new tangents: what the accelerations of a node make of those of others.
  void couple(const linalg::SparseMatrix& S);

  struct Motion {
    const system::State& state;
    const Eigen::VectorXd& acceleration;
    const Eigen::VectorXd& gradient;  // by multiplier: the force of one
    double step = 0.0;
    double forceShare = 1.0;  // forces are not smaller than this share of mass times acceleration
  };
  // Of a size, what is left after so much of a nominal step.
  static double calcKept(double time);
  // At the start of a step, after so much of a nominal step.
  void follow(const PartSizes& parts, const Motion& motion, double time);
  // An iterate of the step, for as long as it lasts.
  void include(const PartSizes& parts, const Motion& motion);

  // Of an acceleration, or of the force of a multiplier.
  double of(int unknown) const { return size_[unknown]; }
  // Mass or inertia of the node that an unknown belongs to; that of the part where it has none.
  double inertia(int unknown) const { return inertia_[unknown]; }
  // Its place on the diagonal of the last tangents.
  double diagonal(int unknown) const { return diagonal_[unknown]; }

  // What a step that fails has to take back.
  struct Seen {
    std::vector<double> moves, turns, forces;  // by node
  };
  const Seen& seen() const { return seen_; }
  void takeBack(const Seen& seen) { seen_ = seen; }

  // For a checkpoint, and back.
  std::vector<double> record() const;
  const double* restore(const double* next);

 private:
  void look(const Motion& motion, double kept, Seen& seen) const;
  void refresh(const PartSizes& parts, const Motion& motion, const Seen& seen);
  void joinNodes(int node, int other);
  void spread(const Seen& seen);
  void normalize();
  void sizeForces(const PartSizes& parts, double forceShare, const Seen& seen);
  int findLink(int group, int other) const;

  const system::System* system_ = nullptr;
  std::vector<int>
      group_;  // by unknown: 2i for moves of node i, 2i + 1 for its turns; negative: none
  // What other groups are in the equations of a group, or across a joint, and by how much.
  struct Link {
    int other = 0;
    double share = 0.0;
    double joint = 0.0;  // across one, from the masses
  };
  std::vector<int> firstLink_;  // by group, and the end
  std::vector<Link> links_;
  std::vector<int> multipliers_, firstJoined_, joined_;  // nodes that every multiplier acts on
  std::vector<double> inertia_, diagonal_;               // by unknown
  std::vector<double> mass_, turn_, radius_;             // by node: mass, inertia, radius
  std::vector<double> size_;                             // by unknown
  std::vector<double> groupSize_;                        // by group
  Seen seen_, reached_;
};

}  // namespace flexloop::solve
