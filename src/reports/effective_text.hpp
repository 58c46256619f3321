// The effective matrices of a machine with PID-like controllers, for other programs.
#pragma once

#include <string>

#include "analysis/linear/effective_matrices.hpp"

namespace flexloop::reports {

// `{"freedoms": [names], "M_eff": {"size": n, "rows": […], "columns": […], "values": […]}, …}` with M_eff,
// C_eff, K_eff, Q_eff and, of the controllers alone, G_acc, G_vel, G_pos, G_ssee. Rows and columns count
// from zero; `kinds` distinguishes motions from the multipliers of constraints.
void writeEffectiveMatrices(const std::string& path, const model::Model& model,
                            const analysis::LinearModel& linear,
                            const analysis::EffectiveMatrices& matrices);

}  // namespace flexloop::reports
