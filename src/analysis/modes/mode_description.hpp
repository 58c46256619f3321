// What a mode is, in words and shares (docs/theory/22_mode_descriptions.md).
#pragma once

#include <string>
#include <vector>

#include "analysis/modes/mode_energy.hpp"

namespace flexloop::analysis {

struct Share {
  std::string name;
  double value = 0.0;
};

struct ModeDescription {
  std::string name;  // for people: "arm bending + hinge1 servo"
  // |s|² zᴴMz, zᴴKz and what loops are as springs, by the sum of their sizes.
  double kinetic = 0.0, strain = 0.0, control = 0.0;
  std::vector<Share> bodies;    // kinetic energy by body and beam; sum 1
  std::vector<Share> springs;   // strain energy by beam, spring and joint, of strain and control
  std::vector<Share> loops;     // work of actuators, of the sizes of all energies
  std::vector<Share> freedoms;  // the largest shares of kinetic energy
  std::vector<Share> damping;   // parts of the damping ratio by origin; empty where it has none
};

// One for each of the modes. Without `damped`, modes were found without damping and none is reported.
std::vector<ModeDescription> describeModes(const model::Model& model, const system::State& state,
                                           const std::vector<Mode>& modes, bool damped);

}  // namespace flexloop::analysis
