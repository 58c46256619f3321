// A machine with a controller u = K (y − r) (docs/theory/39_controller_design.md, section 39.9): its roots, its margins,
// its answers to steps, and what the controller does to the modes of the machine.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "analysis/design/controller_design.hpp"
#include "analysis/linear/loop_margins.hpp"
#include "base/result.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::analysis {

// The first outputs of the plant are measured; the others are of interest only.
struct ControlLoop {
  // From (d, r) to (y, u): disturbances that are added at the control inputs, and references of the measured outputs; all
  // outputs of the plant, and the controls. From sample to sample with a sampled controller.
  linalg::StateMatrices closed;
  std::optional<double> sample;  // [s]
  int controls = 0, measured = 0;
  // L = −K G at the control inputs, at s = iω, and what round-off makes of its entries.
  std::function<std::pair<Eigen::MatrixXcd, Eigen::MatrixXd>(double omega)> gain;
  std::vector<std::complex<double>> openRoots;  // of the plant, conjugates once
  bool hasWholeReference = true;                // r enters all of K
};

// With `sample` K is a system from sample to sample, and the plant is held in between.
base::Result<ControlLoop> makeLoop(const linalg::StateMatrices& plant,
                                   const linalg::StateMatrices& K, std::optional<double> sample);
// Of one control and one measured output. The derivative acts on the output only: a step of r would be an impulse.
base::Result<ControlLoop> makePidLoop(const linalg::StateMatrices& plant, const PidGains& gains);

// Continuous ones, s = ln(z)/T of a sampled loop; conjugates once. Empty where they were not found.
std::vector<std::complex<double>> findRoots(const ControlLoop& loop);
// Roots that only rounding moves off the imaginary axis are not counted as growing.
bool isStable(const std::vector<std::complex<double>>& roots);

// By control input, with all others closed: 1 + L_i = 1/[(1 + L)⁻¹]_ii.                            (39.24)
std::vector<LoopMargins> findMargins(const ControlLoop& loop);

struct StepFigures {
  int input = 0, output = 0;          // of `closed`
  double last = 0.0;                  // where it ends
  double peak = 0.0, peakTime = 0.0;  // the value of largest size
  double settling =
      0.0;  // [s] after which it stays within 2 % of `last`, or of the peak where it ends at zero
  std::vector<double> time{}, value{};
};
// All outputs after a step at each disturbance, and each measured output after a step of its reference. Nothing unless all
// motions decay.
std::vector<StepFigures> calcSteps(const ControlLoop& loop);

// A mode of the plant and what has become of it.
struct ModeChange {
  std::complex<double> open, closed;
};
// Oscillations of the plant that have less damping in the closed loop, those that lost the largest share first.
std::vector<ModeChange> findSpillover(const std::vector<std::complex<double>>& open,
                                      const std::vector<std::complex<double>>& closed);

}  // namespace flexloop::analysis
