// The parts of a machine, for what is drawn and recorded of them: where each is, how it is deformed, and how it is stressed.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "math/se3.hpp"
#include "mechanics/parts/part_motion.hpp"
#include "mechanics/parts/part_recovery.hpp"
#include "mechanics/parts/reduced_matrices.hpp"
#include "system/state.hpp"
#include "system/system.hpp"

namespace flexloop::mechanics {

struct PartLayout {
  std::string name;
  PartPlace place;
  const ReducedMatrices* matrices;  // of the machine, which must outlive this
  const PartRecovery* recovery;     // null where nothing of it can be seen
  int firstCoordinate;              // of its z among those of all parts
  int firstMode;                    // of its modal coordinates among those of all parts

  int coordinates() const { return matrices->coordinates; }
};

// In the order of the machine.
std::vector<PartLayout> findParts(const system::System& system);
int countCoordinates(const std::vector<PartLayout>& parts);
int countModes(const std::vector<PartLayout>& parts);

// The modal coordinates of all parts in a state.
std::vector<double> readModes(const std::vector<PartLayout>& parts, const system::State& state);

// z of (31.1), from the frames of all nodes and the modal coordinates of all parts.
Eigen::VectorXd calcCoordinates(const PartLayout& part,
                                const std::vector<math::Frame<double>>& frames,
                                const double* modes);

// By how much the part bends, rad: the largest rotation of an interface against the first, its displacement by its distance or
// by the radius of gyration where that is larger, or the displacements by its modes in
// the mean over its mass, by its radius of gyration.
double calcBend(const PartLayout& part, const system::State& state);

// How z changes with small motions of the nodes (displacement and rotation in ground axes) and of the part's own modes.
struct NodeChange {
  math::Vec3<double> displacement, rotation;
};
Eigen::VectorXd calcCoordinateChange(const PartLayout& part,
                                     const std::vector<math::Frame<double>>& frames,
                                     const std::vector<NodeChange>& interfaces,
                                     const Eigen::VectorXd& modes);

// Φ z at the points of the surface, in the axes of the first interface, m.
Eigen::Matrix3Xd calcSurfaceDisplacements(const PartLayout& part, const Eigen::VectorXd& z);
// Equivalent stresses at the points of the surface (31.17), Pa: of shells those of the side that has more. Empty where there
// are none.
Eigen::VectorXd calcSurfaceStress(const PartLayout& part, const Eigen::VectorXd& z);

// The largest of them in a state, for each part that has any.
struct LargestStress {
  std::string part;
  double vonMises = 0.0;  // Pa
  Eigen::Vector3d at;     // in the undeformed part, from its first interface, m
  int points, allPoints;  // of the surface: those that were looked at, and all
};
std::vector<LargestStress> findLargestStresses(const system::System& system,
                                               const system::State& state);

}  // namespace flexloop::mechanics
