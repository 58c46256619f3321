// What a model consists of, before anything is simulated.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "math/se3.hpp"
#include "model/model.hpp"
#include "system/registry.hpp"

namespace flexloop::analysis {

struct MassProperties {
  double mass = 0.0;                                        // kg
  math::Vec3<double> centre = math::Vec3<double>::Zero();   // m, ground axes
  math::Mat3<double> inertia = math::Mat3<double>::Zero();  // kg m², about the centre
};

// Of all bodies and beams together in the given configuration.
MassProperties calcMassProperties(const system::System& system, const system::State& state);

struct CheckReport {
  std::vector<std::pair<std::string, std::vector<std::string>>> items;  // names by section
  int nodes = 0;  // with the inner nodes of beams, without ground
  std::vector<std::pair<std::string, int>> elements;  // by type
  MassProperties mass;
  int freedoms = 0;                // of motion
  int constraints = 0;             // equations
  int independentConstraints = 0;  // those that do not follow from others
  int mobility() const { return freedoms - independentConstraints; }
  // For every constraint that follows from others, the equations that depend on each other.
  std::vector<std::vector<std::string>> redundantGroups;
  int states = 0;  // of controllers
  int signals = 0;
  std::vector<std::string> boxes;  // black boxes, whose code was not run
  bool hasDrives = false;          // joints whose coordinate is prescribed
  base::Diagnostics findings;      // what cannot work or is hardly meant
};

CheckReport checkModel(const model::Model& model, const system::Registry& registry);

}  // namespace flexloop::analysis
