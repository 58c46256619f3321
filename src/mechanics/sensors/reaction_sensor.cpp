#include "mechanics/sensors/reaction_sensor.hpp"

#include <utility>

namespace flexloop::mechanics {

using math::Taylor2;
using math::Vec3;
using system::Environment;
using system::Motion;

void ReactionSensorSet::add(std::string name, const Reaction& reaction,
                            const Vec3<double>& direction, system::UnknownIndex signal) {
  sensors_.push_back({std::move(name), reaction, direction, signal});
}

system::UnknownIndex ReactionSensorSet::scalar(int element, int k) const {
  const Sensor& sensor = sensors_[element];
  return k < sensor.reaction.scalars() ? sensor.reaction.scalar(k) : sensor.signal;
}

void ReactionSensorSet::addResidual(const Motion& motion, const Environment& environment,
                                    system::ResidualSums& sums) const {
  for (const Sensor& sensor : sensors_) {
    const int row = sensor.signal.value;
    sums.scalars[row] +=
        motion.value[row] - sensor.direction.dot(sensor.reaction.calc(motion, environment));
  }
}

void ReactionSensorSet::calcResidual(const Motion& motion, const Environment& environment,
                                     int element, Eigen::VectorXd& local) const {
  const Sensor& sensor = sensors_[element];
  local.setZero(6 * nodesPerElement() + scalars(element));
  local[local.size() - 1] = motion.value[sensor.signal.value] -
                            sensor.direction.dot(sensor.reaction.calc(motion, environment));
}

void ReactionSensorSet::calcTangents(const Motion& motion, const Environment& environment,
                                     int element, system::Tangents& tangents) const {
  const Sensor& sensor = sensors_[element];
  const int n = 6 * nodesPerElement() + scalars(element);
  for (Eigen::MatrixXd* matrix : {&tangents.K, &tangents.C, &tangents.M}) matrix->setZero(n, n);
  tangents.K(n - 1, n - 1) = 1.0;
  sensor.reaction.subtractGradient(sensor.direction, motion, environment, tangents);
}

void ReactionSensorSet::addTimeDerivatives(const Motion& motion, const Environment& environment,
                                           system::TimeDerivatives& derivatives) const {
  for (const Sensor& sensor : sensors_) {
    const int row = sensor.signal.value;
    const Vec3<Taylor2> g = sensor.reaction.calcAlong(motion, environment);
    double first = 0.0, second = 0.0;
    for (int i = 0; i < 3; ++i) {
      first += sensor.direction[i] * g[i].first;
      second += sensor.direction[i] * g[i].second;
    }
    derivatives.first[row] += motion.rate[row] - first;
    derivatives.second[row] += motion.acceleration[row] - second;
  }
}

}  // namespace flexloop::mechanics
