// Sizes by which moves, turns and forces of a machine are judged (docs/theory/09_time.md, section 9.9). Parts that nothing but
// signals and the ground connect are judged each by itself: what a light pendulum does has nothing to do with the mass,
// the place or the acceleration of a rocket beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/solvers/sparse_solver.hpp"
#include "system/system.hpp"

namespace flexloop::solve {

struct PartSize {
  double length = 0.0;  // the largest distance of a node from the origin, or radius of inertia
  double mass = 0.0;    // of a move: forces are judged against it times acceleration
  // Root mean squares, the largest so far, which halves with every eight nominal steps: of accelerations and of forces.
  double translation = 0.0, rotation = 0.0, force = 0.0;
  // Root mean squares of accelerations in the last steps: the largest, which halves with every nominal step.
  double recentTranslation = 0.0, recentRotation = 0.0;
  int translations = 0, rotations = 0, forces = 0;  // of them in the part

  template <class Self, class Visit>
  static void eachField(Self& self, Visit&& visit) {
    visit("length", self.length);
    visit("mass", self.mass);
    visit("translation", self.translation);
    visit("rotation", self.rotation);
    visit("force", self.force);
    visit("recent_translation", self.recentTranslation);
    visit("recent_rotation", self.recentRotation);
    visit("translations", self.translations);
    visit("rotations", self.rotations);
    visit("forces", self.forces);
  }
};

class PartSizes {
 public:
  PartSizes() = default;
  // By unknown of a motion or multiplier, its part; see findParts.
  PartSizes(const system::System& system, std::vector<int> parts);

  int count() const { return static_cast<int>(sizes_.size()); }
  int part(int unknown) const { return part_[unknown]; }
  const std::vector<int>& parts() const { return part_; }
  const PartSize& of(int unknown) const { return sizes_[part_[unknown]]; }
  const std::vector<PartSize>& all() const { return sizes_; }

  // At the start, from the masses.
  void measure(const system::State& state, const linalg::SparseMatrix& M);
  // By part, of the turns that have one.
  std::vector<double> calcMeanInertias(const linalg::SparseMatrix& M) const;
  // By part, the largest turn, or move relative to its length; infinite if one is no number.
  std::vector<double> findLargestMoves(const Eigen::VectorXd& moves) const;
  void findLargestMoves(const Eigen::VectorXd& moves, std::vector<double>& largest) const;
  // The state has these accelerations, and multipliers that are forces by these factors. Nothing is smaller than the
  // acceleration of gravity, and none of forces smaller than the share of mass times acceleration. Of what was seen in the
  // last steps, the share `kept` is left.
  void raise(const system::State& state, const Eigen::VectorXd& acceleration,
             const Eigen::VectorXd& gradient, double step, double forceShare, double kept);
  // To those of an earlier time. Throws std::invalid_argument where they are of another machine.
  void takeBack(const std::vector<PartSize>& sizes);
  // Lengths by unknown; the largest of all for those that are in no part.
  Eigen::VectorXd lengths() const;

 private:
  void raiseLengths(const system::State& state);

  enum class What : std::uint8_t { kMove, kTurn, kForce, kNothing };

  const system::System* system_ = nullptr;
  std::vector<int> part_;  // by unknown
  std::vector<What> what_;
  std::vector<PartSize> sizes_;
  std::vector<PartSize> sums_;  // workspace
};

}  // namespace flexloop::solve
