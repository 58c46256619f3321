// Watches how far nodes turn in a step while their velocities change across the axis of the turn.
//
// The scheme adds rates as components in axes of the node, those of rotations always and those of translations where steps
// go along screws. A vector that stays as it is in ground turns in these axes by θ = hω in a step, and of its change hα the step
// errs by h|θ × (θ × α)|/12, the error of a mean over a turn (docs/theory/09_time.md, section 9.10). Free spin about
// a principal axis has α ∥ ω, so that no angle is too large for it.
#pragma once

#include <string>
#include <vector>

#include "solve/time/time_stepper.hpp"
#include "system/system.hpp"

namespace flexloop::analysis {

class TurnWatch {
 public:
  explicit TurnWatch(const system::System& system);

  // The end of a step of length h.
  void add(const system::State& end, double h, const solve::TimeStepper& stepper);
  // What is said about the run; nothing where all turns were small.
  std::vector<std::string> notes() const;

 private:
  // A vector that turns under the axes of a node.
  struct Vector {
    int node = 0;
    bool isRotation = false;
    double error = 0.0, change = 0.0;  // sums over the steps
    double size = 0.0;  // the largest |α|/|ω|: of a vector that the node turns under
    double turn = 0.0, step = 0.0, time = 0.0;  // of the step with the largest turn
  };
  void addTo(Vector& vector, const math::Vec3<double>& omega, const math::Vec3<double>& alpha,
             double h, double time, double open) const;
  static bool isWrong(const Vector& vector);
  std::string describe(const Vector& vector) const;

  const system::System& system_;
  std::vector<Vector> vectors_;
};

}  // namespace flexloop::analysis
