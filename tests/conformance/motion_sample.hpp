// A motion of all nodes and scalars at which elements are tested: the numbers that
// system::Motion points to, and how they go on in time.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "system/element_set.hpp"
#include "system/system.hpp"

namespace flexloop::test {

struct MotionSample {
  double time = 0.0;
  std::vector<system::NodeMotion> nodes;  // ground too
  std::vector<double> value, rate, acceleration, history;
  std::vector<std::vector<double>> records;

  // Points into this sample.
  system::Motion motion() const;
  bool operator==(const MotionSample& other) const;
};

// Near the start of the system: frames moved by increments of about `spread`, with random twists,
// rates and scalars. Ground moves like any other node.
MotionSample makeRandomMotion(const system::System& system, std::uint32_t seed,
                              double spread = 0.4);

// The same motion after the time h, with constant second derivatives. Its configuration is right up
// to h³, with an error that is odd in h.
MotionSample advanced(const MotionSample& from, double h);

// All nodes moved by the same rigid motion G and, on top, by the same rigid velocity (ground axes).
MotionSample movedRigidly(const MotionSample& from, const math::Frame<double>& G,
                          const math::Vec6<double>& velocity);

MotionSample withoutMotion(MotionSample sample);      // all rates and accelerations are zero
MotionSample withReversedRates(MotionSample sample);  // velocities change sign

math::Vec6<double> makeRandomTwist(std::mt19937& generator, double size);

}  // namespace flexloop::test
