#include "system/sensor_set.hpp"

#include <array>

#include "system/jet_view.hpp"

namespace flexloop::system {

void SensorSet::add(const SignalRequest& request, const Measure& measure) {
  const int sensor = static_cast<int>(sensors_.size());
  sensors_.push_back(
      {request.name, request.unknown, &measure, measure.weights(request.component), request.rate});
  bool isFirst = true;
  for (Measure::Term& term : measure.terms()) {
    elements_.push_back({sensor, isFirst, std::move(term)});
    isFirst = false;
  }
}

UnknownIndex SensorSet::scalar(int element, int k) const {
  const std::vector<UnknownIndex>& scalars = elements_[element].term.scalars;
  return k < static_cast<int>(scalars.size()) ? scalars[k] : sensorOf(element).signal;
}

void SensorSet::addResidual(const Motion& motion, const Environment& environment,
                            ResidualSums& sums) const {
  std::array<double, Measure::kMostComponents> q;
  for (const Sensor& sensor : sensors_) {
    sensor.measure->calc(motion, environment, sensor.rate, q.data());
    double r = motion.value[sensor.signal.value];
    for (std::size_t i = 0; i < sensor.weights.size(); ++i) r -= sensor.weights[i] * q[i];
    sums.scalars[sensor.signal.value] += r;
  }
}

std::array<double, 4> SensorSet::calcAlong(const Motion& motion, const Environment& environment,
                                           const Element& element) const {
  const Sensor& sensor = sensors_[element.sensor];
  std::array<math::Jet, Measure::kMostComponents> q;
  sensor.measure->calcJets(motion, environment, element.term, {}, q.data());
  std::array<double, 4> sum{};
  for (std::size_t i = 0; i < sensor.weights.size(); ++i) {
    const std::array<double, 4> jet{q[i].value, q[i].first, q[i].second, q[i].third};
    for (int k = 0; k < 4; ++k) sum[k] += sensor.weights[i] * jet[k];
  }
  return sum;
}

void SensorSet::calcResidual(const Motion& motion, const Environment& environment, int element,
                             Eigen::VectorXd& local) const {
  const Sensor& sensor = sensorOf(element);
  const int n = freedoms(element);
  local.setZero(n);
  if (elements_[element].isFirst) local[n - 1] = motion.value[sensor.signal.value];
  local[n - 1] -= calcAlong(motion, environment, elements_[element])[sensor.rate ? 1 : 0];
}

void SensorSet::calcTangents(const Motion& motion, const Environment& environment, int element,
                             Tangents& tangents) const {
  const Sensor& sensor = sensorOf(element);
  const int n = freedoms(element);
  for (Eigen::MatrixXd* matrix : {&tangents.K, &tangents.C, &tangents.M}) matrix->setZero(n, n);
  if (elements_[element].isFirst) tangents.K(n - 1, n - 1) = 1.0;
  sensor.measure->subtractGradient(motion, environment, elements_[element].term, sensor.weights,
                                   sensor.rate, tangents);
}

void SensorSet::addTimeDerivatives(const Motion& motion, const Environment& environment,
                                   TimeDerivatives& derivatives) const {
  for (const Element& element : elements_) {
    const Sensor& sensor = sensors_[element.sensor];
    const int row = sensor.signal.value, order = sensor.rate ? 1 : 0;
    const std::array<double, 4> q = calcAlong(motion, environment, element);
    derivatives.first[row] += (element.isFirst ? motion.rate[row] : 0.0) - q[order + 1];
    derivatives.second[row] += (element.isFirst ? motion.acceleration[row] : 0.0) - q[order + 2];
  }
}

}  // namespace flexloop::system
