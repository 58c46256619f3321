// What a measure sees, as jets (math/jet.hpp): with derivatives along the motion, and with partial
// derivatives by its local freedoms, twelve at a time. The motion holds no derivative of accelerations;
// they count as constant.
#pragma once

#include <array>

#include "math/jet.hpp"
#include "system/element_set.hpp"

namespace flexloop::system {

// Which local freedom each direction is, and of which order: value, rate or acceleration.
struct JetSeeds {
  enum class Order { kValue, kRate, kAcceleration };
  struct Direction {
    Order order = Order::kValue;
    int freedom = -1;  // none
  };
  std::array<Direction, math::Jet::kDirections> directions;
};

// Directions `first`, first + 1, … of those of `freedoms` local freedoms: all values, then all rates,
// then all accelerations, but no more than `count` in all.
JetSeeds makeSeeds(int first, int count, int freedoms);

// Node k of the local view: R' = Rω̂, R'' = R(ω̂² + ω̂'), x' = Rv, and on.
void makeNodeJets(const math::Frame<double>& frame, const math::Vec6<double>& twist,
                  const math::Vec6<double>& twistRate, int k, const JetSeeds& seeds,
                  math::Frame<math::Jet>& frameJet, math::Vec6<math::Jet>& twistJet,
                  math::Vec6<math::Jet>& rateJet);

// A scalar of the local view: value, rate and acceleration of the freedom.
std::array<math::Jet, 3> makeScalarJets(const std::array<double, 3>& at, int freedom,
                                        const JetSeeds& seeds);

template <int Nodes, int Scalars, int History>
void makeJets(const Local<double, Nodes, Scalars, History>& at, const JetSeeds& seeds,
              Local<math::Jet, Nodes, Scalars, History>& to) {
  for (int k = 0; k < Nodes; ++k) {
    makeNodeJets(at.frame[k], at.twist[k], at.twistRate[k], k, seeds, to.frame[k], to.twist[k],
                 to.twistRate[k]);
  }
  for (int k = 0; k < Scalars; ++k) {
    const auto jets =
        makeScalarJets({at.value[k], at.rate[k], at.acceleration[k]}, 6 * Nodes + k, seeds);
    to.value[k] = jets[0];
    to.rate[k] = jets[1];
    to.acceleration[k] = jets[2];
  }
  for (int k = 0; k < History; ++k) to.history[k] = math::Jet(at.history[k]);
  to.time = math::Jet(at.time, 1.0, 0.0, 0.0);
}

}  // namespace flexloop::system
