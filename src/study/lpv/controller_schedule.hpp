// Linear controllers that were given at several values of one to three parameters, as one that depends on them
// (docs/theory/38_parameter_dependent_models.md, section 38.7).
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/lpv/lpv_model.hpp"
#include "linalg/state_space/state_matrices.hpp"
#include "study/lpv/lpv_grid.hpp"

namespace flexloop::study {

struct ScheduleNames {
  std::vector<std::string> inputs, outputs;  // of the controllers
};

struct ControllerSchedule {
  control::LpvModel model;
  std::vector<std::string> notes;
};

// One at each point of the grid; the same signals and the same number of states everywhere. With `sample` [s] all of them are
// systems from sample to sample, and so is what is made.
base::Result<ControllerSchedule> scheduleControllers(
    const LpvGrid& grid, const std::vector<linalg::StateMatrices>& controllers,
    const ScheduleNames& names, bool isCubic, double sample = 0.0);

// ‖K − K_p‖/‖K‖ over frequencies from a tenth of the slowest root of K to ten times its fastest: the largest of all inputs
// and outputs. Of sampled ones by their equals in time (38.21), whose frequencies go to infinity before half the sampling rate.
double calcScheduleError(const control::LpvModel& model, const std::vector<double>& values,
                         const linalg::StateMatrices& controller);

}  // namespace flexloop::study
