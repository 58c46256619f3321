// The motion of a reduced part in the axes of its first interface node, for any scalar: coordinates z of the other
// interfaces (31.1) and of the modes, with their rates and accelerations.
#pragma once

#include <array>
#include <vector>

#include "mechanics/parts/relative_motion.hpp"
#include "system/jet_view.hpp"

namespace flexloop::mechanics {

// What belongs to a part in the machine.
struct PartPlace {
  std::vector<system::NodeIndex> nodes;     // by interface
  std::vector<system::UnknownIndex> modes;  // by modal coordinate

  int freedoms() const { return static_cast<int>(6 * nodes.size() + modes.size()); }
};

template <class S>
using VectorOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;

template <class S>
struct PartMotion {
  MovingFrame<S> first;
  std::vector<RelativeMotion<S>> relative;  // of interfaces 2 … n
  VectorOf<S> z, dz, ddz;

  PartMotion(int interfaces, int modes) {
    relative.resize(interfaces - 1);
    for (VectorOf<S>* x : {&z, &dz, &ddz}) x->resize(6 * (interfaces - 1) + modes);
  }

  // From `frame(k)`, the motion of node k, and `scalar(j)`, the value, rate and acceleration of mode j.
  template <class Frames, class Scalars>
  void gather(const std::vector<math::Vec3<double>>& arms, const Frames& frame,
              const Scalars& scalar) {
    first = frame(0);
    const int others = static_cast<int>(relative.size());
    for (int k = 0; k < others; ++k) {
      relative[k] = calcRelativeMotion<S>(first, frame(k + 1), arms[k]);
      z.template segment<6>(6 * k) = relative[k].z;
      dz.template segment<6>(6 * k) = relative[k].rate;
      ddz.template segment<6>(6 * k) = relative[k].acceleration;
    }
    for (int i = 6 * others; i < z.size(); ++i) {
      const std::array<S, 3> q = scalar(i - 6 * others);
      z[i] = q[0];
      dz[i] = q[1];
      ddz[i] = q[2];
    }
  }
};

inline MovingFrame<double> frameOf(const system::Motion& motion, system::NodeIndex node) {
  const system::NodeMotion& n = motion.nodes[node.value];
  return {n.frame, n.twist, n.twistRate};
}

inline std::array<double, 3> scalarOf(const system::Motion& motion, system::UnknownIndex unknown) {
  const int u = unknown.value;
  return {motion.value[u], motion.rate[u], motion.acceleration[u]};
}

inline void gatherPart(const system::Motion& motion, const PartPlace& place,
                       const std::vector<math::Vec3<double>>& arms, PartMotion<double>& to) {
  to.gather(
      arms, [&](int k) { return frameOf(motion, place.nodes[k]); },
      [&](int j) { return scalarOf(motion, place.modes[j]); });
}

// With derivatives along the motion and in the directions of `seeds`, whose freedoms are those of the nodes and modes in
// their order.
PartMotion<math::Jet> makePartJets(const system::Motion& motion, const PartPlace& place,
                                   const std::vector<math::Vec3<double>>& arms,
                                   const system::JetSeeds& seeds);

}  // namespace flexloop::mechanics
