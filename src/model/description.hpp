// A model as read: plain values that have been checked one by one and against the registry, and that no
// one has turned into elements yet.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include "base/diagnostics.hpp"
#include "system/item.hpp"

namespace flexloop::model {

// What shall be recorded.
struct OutputRequest {
  base::Place place;
  // The name of a signal (theta1, theta1.rate, box.torque), or a sensor that is described on the spot and
  // is an item of section `sensors`. Its name lives in the name space of sensors, blocks and actuators.
  std::variant<std::string, system::Item> what;
};

struct Description {
  std::string file;  // as in messages
  std::string title;
  std::vector<std::pair<std::string, double>> parameters;  // SI, in the order of the file
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();       // m/s², ground axes
  bool hasGravity = false;
  std::string formulation = "local";  // of the nodes that do not say their own
  std::vector<system::Item> items;    // of all sections, in the order of the file
  std::vector<OutputRequest> outputs;
  bool outputsGiven = false;  // false: every sensor and every actuator is meant
  // Further names of signals, each with the name that its block gives it.
  std::vector<std::pair<std::string, std::string>> signalNames;
  // Sensors that shall be signals although nothing in the model reads them.
  std::vector<std::string> wantedSignals;
  base::Diagnostics warnings;  // what is not wrong but hardly meant
};

}  // namespace flexloop::model
