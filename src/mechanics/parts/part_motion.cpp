#include "mechanics/parts/part_motion.hpp"

namespace flexloop::mechanics {

using math::Jet;

PartMotion<Jet> makePartJets(const system::Motion& motion, const PartPlace& place,
                             const std::vector<math::Vec3<double>>& arms,
                             const system::JetSeeds& seeds) {
  const int nodes = static_cast<int>(place.nodes.size());
  PartMotion<Jet> part(nodes, static_cast<int>(place.modes.size()));
  part.gather(
      arms,
      [&](int k) {
        const system::NodeMotion& node = motion.nodes[place.nodes[k].value];
        MovingFrame<Jet> jets;
        system::makeNodeJets(node.frame, node.twist, node.twistRate, k, seeds, jets.frame,
                             jets.twist, jets.twistRate);
        return jets;
      },
      [&](int j) {
        return system::makeScalarJets(scalarOf(motion, place.modes[j]), 6 * nodes + j, seeds);
      });
  return part;
}

}  // namespace flexloop::mechanics
