// Local models as one model that depends on the parameters (docs/theory/38_parameter_dependent_models.md,
// sections 38.4 and 38.5): the same states at all points, and splines through what they give.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/lpv/lpv_model.hpp"
#include "study/lpv/lpv_selection.hpp"

namespace flexloop::study {

struct LpvOptions {
  int order = 0;  // states
  bool isCubic = true;
};

struct LpvFit {
  control::LpvModel model;
  std::vector<std::string> notes;
  double slowest = 0.0, fastest = 0.0;  // [rad/s] of the roots that are kept, those at zero apart
};

// A local model for each point of the grid.
base::Result<LpvFit> fitLpv(const std::vector<LocalModel>& points, const LpvGrid& grid,
                            const LpvOptions& options);

// ‖H − H_p‖/‖H‖ over the frequencies, outputs × inputs (38.10), and the largest share at one frequency.
struct LpvError {
  std::vector<double> at;  // values of the parameters
  Eigen::MatrixXd mean, largest;
  bool isStable = true;         // the interpolated model, roots at zero apart
  bool machineIsStable = true;  // the machine itself
  std::vector<double> hz{};     // where both were compared
  std::vector<Eigen::MatrixXcd> machine{}, interpolated{};
};
// Roots at zero apart, which are those of free motions.
bool isStable(const linalg::StateMatrices& interpolated);
base::Result<LpvError> calcLpvError(const LocalModel& local, const control::LpvModel& model,
                                    const std::vector<double>& frequenciesHz);

}  // namespace flexloop::study
