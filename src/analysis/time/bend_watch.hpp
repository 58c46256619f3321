// Watches whether the deformation of flexible parts stays small, as their equations assume (docs/theory/31_reduced_bodies.md,
// section 31.2): errors grow with half the square of the angle by which a part bends.
#pragma once

#include <string>
#include <vector>

#include "mechanics/parts/part_layout.hpp"

namespace flexloop::analysis {

class BendWatch {
 public:
  explicit BendWatch(const system::System& system);

  // The end of a step. One in eight is looked at.
  void add(const system::State& state);
  // In this state, whatever the step.
  void look(const system::State& state);
  // What is said; nothing where all parts keep their shape.
  std::vector<std::string> notes(bool withTime) const;

 private:
  struct Largest {
    double angle = 0.0, time = 0.0;  // rad, s
  };
  std::vector<mechanics::PartLayout> parts_;
  std::vector<Largest> largest_;
  int steps_ = 0;
};

}  // namespace flexloop::analysis
