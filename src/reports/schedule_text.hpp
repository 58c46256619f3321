// Scheduled controllers in the loop with their machine, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "control/lpv/lpv_model.hpp"

namespace flexloop::reports {

// The machine at one value of each parameter, with the controller that the schedule gives there.
struct SchedulePoint {
  std::vector<double> at;
  bool isPoint = false;  // where a controller was designed
  bool isStable = false;
  double damping = 0.0, hz = 0.0;  // of the least damped oscillation
  double disk = 0.0;               // least disk margin of all control inputs
};

struct ScheduleReport {
  control::LpvModel model;
  std::vector<SchedulePoint> loops;  // of one parameter rising
  std::string block;                 // text of the model
};

std::vector<std::string> describeSchedule(const ScheduleReport& report);
std::string makeScheduleJson(const ScheduleReport& report);

}  // namespace flexloop::reports
