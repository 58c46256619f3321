// Linear controllers that were given at several values of a parameter, as one that depends on it
// (docs/theory/38_parameter_dependent_models.md, section 38.7).
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/lpv/lpv_model.hpp"
#include "linalg/state_space/state_matrices.hpp"

namespace flexloop::study {

struct ScheduleNames {
  std::string parameter;
  std::vector<std::string> inputs, outputs;  // of the controllers
};

struct ControllerSchedule {
  control::LpvModel model;
  std::vector<std::string> notes;
};

// At least two values, rising; the same signals and the same number of states everywhere.
base::Result<ControllerSchedule> scheduleControllers(
    const std::vector<double>& values, const std::vector<linalg::StateMatrices>& controllers,
    const ScheduleNames& names, bool isCubic);

// ‖K − K_p‖/‖K‖ over frequencies from a tenth of the slowest root of K to ten times its fastest: the largest of all inputs
// and outputs.
double calcScheduleError(const control::LpvModel& model, double value,
                         const linalg::StateMatrices& controller);

}  // namespace flexloop::study
