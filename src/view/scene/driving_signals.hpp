// The signals that loads and actuators follow, so that their arrows have the right length at every time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace flexloop::view {

// A force or torque is `factor` times the signal; without a name it is constant.
struct DrivingSignal {
  std::string name;
  double factor = 1.0;
};

// Those of a load or an actuator, the best first: any of them determines the whole course.
std::vector<DrivingSignal> findDrivingSignals(const system::Item& item);

// Those that are functions of time alone: their values need not be recorded.
std::vector<std::string> listDrivingSources(const model::Model& model);

// At some times; nothing if no source has the name.
std::optional<std::vector<double>> calcSource(const model::Model& model, const std::string& name,
                                              const std::vector<double>& times);

}  // namespace flexloop::view
