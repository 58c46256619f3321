// What the roots λ of a whole machine are tuned for (docs/theory/39_controller_design.md, section 39.10): the least damping ratio,
// or the slowest decay. Of the worst values g_i a smooth bound is taken, whose gradient follows from dλ/dp:
//
//     g = (1/β) ln Σ exp(β g_i),   g_i = Re λ_i/|λ_i|   or   g_i = Re λ_i/rate                      (39.26)
#pragma once

#include <complex>
#include <vector>

#include "study/mode_point.hpp"
#include "study/sensitivity.hpp"

namespace flexloop::study {

enum class ModeGoal { kDamping, kSettling };

struct GoalSettings {
  ModeGoal goal = ModeGoal::kDamping;
  double highestHz = 0.0;  // faster motions do not count; 0: all do
  double rate = 1.0;       // [1/s] unit of the decay
  double sharpness = 30.0; // β
};

// By mode; those that do not count are left out: free motions and what is too fast.
struct GoalRoot {
  int mode = 0;
  std::complex<double> root;
  double value = 0.0;  // g_i
};
std::vector<GoalRoot> rateRoots(const std::vector<std::complex<double>>& roots,
                                const GoalSettings& settings);

// The worst g_i, and the smooth bound of all.
double findWorst(const std::vector<GoalRoot>& rated);
double calcBound(const std::vector<GoalRoot>& rated, double sharpness);

// By parameter; nothing where a root that counts has no derivative.
std::optional<Eigen::VectorXd> calcGradient(const SensitivityResult& sensitivities,
                                            const Settings& parameters,
                                            const GoalSettings& settings);

}  // namespace flexloop::study
