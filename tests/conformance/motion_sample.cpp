#include "conformance/motion_sample.hpp"

#include "math/se3.hpp"

namespace flexloop::test {

using math::Frame;
using math::Vec6;

system::Motion MotionSample::motion() const {
  system::Motion motion;
  motion.time = time;
  motion.nodes = nodes;
  motion.value = value.data();
  motion.rate = rate.data();
  motion.acceleration = acceleration.data();
  motion.history = history.data();
  motion.records = records.data();
  return motion;
}

bool MotionSample::operator==(const MotionSample& other) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const system::NodeMotion &a = nodes[i], &b = other.nodes[i];
    if (a.frame.R != b.frame.R || a.frame.x != b.frame.x) return false;
    if (a.twist != b.twist || a.twistRate != b.twistRate) return false;
  }
  return time == other.time && value == other.value && rate == other.rate &&
         acceleration == other.acceleration && history == other.history && records == other.records;
}

Vec6<double> makeRandomTwist(std::mt19937& generator, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  Vec6<double> v;
  for (int i = 0; i < 6; ++i) v[i] = number(generator);
  return v;
}

MotionSample makeRandomMotion(const system::System& system, std::uint32_t seed, double spread) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  MotionSample sample;
  sample.time = 0.6 + 0.5 * number(generator);
  for (const Frame<double>& frame : system.start().frames) {
    system::NodeMotion node;
    node.frame = math::compose(frame, math::expSE3<double>(makeRandomTwist(generator, spread)));
    node.twist = makeRandomTwist(generator, 1.5);
    node.twistRate = makeRandomTwist(generator, 3.0);
    sample.nodes.push_back(node);
  }
  for (int u = 0; u < system.unknowns(); ++u) {
    sample.value.push_back(number(generator));
    sample.rate.push_back(number(generator));
    sample.acceleration.push_back(number(generator));
  }
  sample.records = system.start().records;
  for (const double h : system.start().history) sample.history.push_back(h + number(generator));
  return sample;
}

MotionSample advanced(const MotionSample& from, double h) {
  MotionSample to = from;
  to.time += h;
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    const system::NodeMotion& node = from.nodes[i];
    const Vec6<double> increment = h * node.twist + 0.5 * h * h * node.twistRate;
    to.nodes[i].frame = math::compose(node.frame, math::expSE3<double>(increment));
    to.nodes[i].twist += h * node.twistRate;
  }
  for (std::size_t u = 0; u < to.value.size(); ++u) {
    to.value[u] += h * from.rate[u] + 0.5 * h * h * from.acceleration[u];
    to.rate[u] += h * from.acceleration[u];
  }
  return to;
}

MotionSample movedRigidly(const MotionSample& from, const Frame<double>& G,
                          const Vec6<double>& velocity) {
  MotionSample to = from;
  for (system::NodeMotion& node : to.nodes) {
    node.twist += math::applyAdjointInverse<double>(node.frame, velocity);
    node.frame = math::compose(G, node.frame);
  }
  return to;
}

MotionSample withoutMotion(MotionSample sample) {
  for (system::NodeMotion& node : sample.nodes) {
    node.twist.setZero();
    node.twistRate.setZero();
  }
  sample.rate.assign(sample.rate.size(), 0.0);
  sample.acceleration.assign(sample.acceleration.size(), 0.0);
  return sample;
}

MotionSample withReversedRates(MotionSample sample) {
  for (system::NodeMotion& node : sample.nodes) node.twist = -node.twist;
  for (double& rate : sample.rate) rate = -rate;
  return sample;
}

}  // namespace flexloop::test
