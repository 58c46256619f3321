#include "mechanics/parts/part_layout.hpp"

#include <algorithm>
#include <cmath>

#include "mechanics/parts/foreshortening.hpp"
#include "mechanics/parts/reduced_bodies.hpp"
#include "mechanics/parts/stress_measures.hpp"

namespace flexloop::mechanics {

using Eigen::VectorXd;
using math::Frame;
using math::Vec3;
using math::Vec6;

namespace {

// Rows times z, without the columns of the first interface, which does not move in its own axes.
Eigen::VectorXf multiply(const Eigen::MatrixXf& rows, const VectorXd& z) {
  return rows.rightCols(z.size()) * z.cast<float>();
}

void raiseToVonMises(const Eigen::VectorXf& stresses, VectorXd& largest) {
  for (Eigen::Index i = 0; i < largest.size(); ++i) {
    const Vec6<double> s = stresses.segment<6>(6 * i).cast<double>();
    largest[i] = std::max(largest[i], calcVonMisesStress<double>(s));
  }
}

}  // namespace

std::vector<PartLayout> findParts(const system::System& system) {
  std::vector<PartLayout> parts;
  for (const auto& set : system.sets()) {
    const auto* bodies = dynamic_cast<const ReducedBodies*>(set.get());
    if (bodies == nullptr) continue;
    for (int i = 0; i < bodies->size(); ++i) {
      parts.push_back({bodies->name(i), bodies->place(i), &bodies->matrices(i), bodies->recovery(i),
                       countCoordinates(parts), countModes(parts)});
    }
  }
  return parts;
}

int countCoordinates(const std::vector<PartLayout>& parts) {
  return parts.empty() ? 0 : parts.back().firstCoordinate + parts.back().coordinates();
}

int countModes(const std::vector<PartLayout>& parts) {
  return parts.empty() ? 0 : parts.back().firstMode + parts.back().matrices->modes;
}

std::vector<double> readModes(const std::vector<PartLayout>& parts, const system::State& state) {
  std::vector<double> modes;
  for (const PartLayout& part : parts) {
    for (const system::UnknownIndex mode : part.place.modes)
      modes.push_back(state.value[mode.value]);
  }
  return modes;
}

VectorXd calcCoordinates(const PartLayout& part, const std::vector<Frame<double>>& frames,
                         const double* modes) {
  VectorXd z(part.coordinates());
  const int others = part.matrices->interfaces - 1;
  const MovingFrame<double> first{frames[part.place.nodes[0].value], Vec6<double>::Zero(),
                                  Vec6<double>::Zero()};
  for (int k = 0; k < others; ++k) {
    const MovingFrame<double> other{frames[part.place.nodes[k + 1].value], Vec6<double>::Zero(),
                                    Vec6<double>::Zero()};
    z.segment<6>(6 * k) = calcRelativeMotion<double>(first, other, part.matrices->arms[k]).z;
  }
  for (int j = 0; j < part.matrices->modes; ++j) z[6 * others + j] = modes[part.firstMode + j];
  return z;
}

// The mean square of the displacements of modes alone is qᵀ M_qq q / m.
double calcBend(const PartLayout& part, const system::State& state) {
  const ReducedMatrices& m = *part.matrices;
  const Frame<double>& first = state.frames[part.place.nodes[0].value];
  const Vec3<double> centre = m.moment / m.mass;
  const double squareRadius =
      0.5 * m.rigidMass.bottomRightCorner<3, 3>().trace() / m.mass - centre.squaredNorm();
  double largest = 0.0;
  for (std::size_t k = 1; k < part.place.nodes.size(); ++k) {
    const Frame<double>& other = state.frames[part.place.nodes[k].value];
    const Vec3<double> turn =
        math::logSO3<double>(math::Mat3<double>(first.R.transpose() * other.R));
    const Vec3<double>& arm = m.arms[k - 1];
    const Vec3<double> moved = first.R.transpose() * (other.x - first.x) - arm;
    // An interface may be next to the first, but not so all of the part.
    const double size = std::sqrt(std::max(arm.squaredNorm(), squareRadius));
    largest = std::max({largest, turn.norm(), size > 0.0 ? moved.norm() / size : 0.0});
  }
  double square = 0.0;
  for (int j = 0; j < m.modes; ++j) {
    const double q = state.value[part.place.modes[j].value];
    const Eigen::Index row = m.velocities() - m.modes + j;
    square += m.M.dense()(row, row) * q * q / m.mass;
  }
  return squareRadius > 0.0 ? std::max(largest, std::sqrt(square / squareRadius)) : largest;
}

// Rates of z are linear in the twists of the nodes (31.2), so a small motion is a twist that lasts for a unit of time.
VectorXd calcCoordinateChange(const PartLayout& part, const std::vector<Frame<double>>& frames,
                              const std::vector<NodeChange>& interfaces, const VectorXd& modes) {
  const auto moving = [&](int k) -> MovingFrame<double> {
    const Frame<double>& frame = frames[part.place.nodes[k].value];
    return {frame,
            math::joined<double>(frame.R.transpose() * interfaces[k].displacement,
                                 frame.R.transpose() * interfaces[k].rotation),
            Vec6<double>::Zero()};
  };
  VectorXd change(part.coordinates());
  const int others = part.matrices->interfaces - 1;
  const MovingFrame<double> first = moving(0);
  for (int k = 0; k < others; ++k) {
    change.segment<6>(6 * k) =
        calcRelativeMotion<double>(first, moving(k + 1), part.matrices->arms[k]).rate;
  }
  change.tail(part.matrices->modes) = modes;
  return change;
}

Eigen::Matrix3Xd calcSurfaceDisplacements(const PartLayout& part, const VectorXd& z) {
  const Eigen::MatrixXf& rows = part.recovery->surface.displacement;
  return multiply(rows, z).cast<double>().reshaped(3, rows.rows() / 3);
}

VectorXd calcSurfaceStress(const PartLayout& part, const VectorXd& z) {
  const PartSurface& surface = part.recovery->surface;
  VectorXd largest = VectorXd::Zero(surface.stress.rows() / 6);
  if (largest.size() == 0) return largest;
  const VectorXd strain = foreshorten<double>(*part.matrices, z);
  raiseToVonMises(multiply(surface.stress, strain), largest);
  if (surface.stressBelow.rows() > 0)
    raiseToVonMises(multiply(surface.stressBelow, strain), largest);
  return largest;
}

std::vector<LargestStress> findLargestStresses(const system::System& system,
                                               const system::State& state) {
  const std::vector<PartLayout> parts = findParts(system);
  const std::vector<double> modes = readModes(parts, state);
  std::vector<LargestStress> all;
  for (const PartLayout& part : parts) {
    const VectorXd stress =
        calcSurfaceStress(part, calcCoordinates(part, state.frames, modes.data()));
    if (stress.size() == 0) continue;
    Eigen::Index where = 0;
    const double largest = stress.maxCoeff(&where);
    const PartSurface& surface = part.recovery->surface;
    all.push_back({part.name, largest, surface.points[where], static_cast<int>(stress.size()),
                   surface.allPoints});
  }
  return all;
}

}  // namespace flexloop::mechanics
