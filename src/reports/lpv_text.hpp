// Parameter-dependent models, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "control/lpv/lpv_model.hpp"
#include "study/lpv/affine_form.hpp"
#include "study/lpv/lpv_fit.hpp"

namespace flexloop::reports {

struct LpvReport {
  control::LpvModel model;
  double lowHz = 0.0, highHz = 0.0;     // where responses were compared
  std::vector<study::LpvError> points;  // at the points of the model
  std::vector<study::LpvError> between;
};

// The largest mean error over all inputs and outputs.
double largestOf(const std::vector<study::LpvError>& errors);

std::vector<std::string> describeLpv(const control::LpvModel& model);
// With `lists`, the error at every value between the points.
std::vector<std::string> describeLpvErrors(const LpvReport& report, bool lists);

// Poles, zeros and gains of the affine form; nothing of the other.
std::vector<std::string> describeAffine(const std::vector<study::AffineResponse>& responses);

void writeLpvJson(const std::string& path, const LpvReport& report,
                  const std::vector<study::AffineResponse>& affine = {});
// One value per row, with the errors of every response.
void writeLpvCsv(const std::string& path, const LpvReport& report);

// Responses of the machine and of the model at values between the points, and the errors over the parameter.
void writeLpvSvg(const std::string& path, const LpvReport& report);

// Parameters with their points, inputs, outputs and the number of states.
std::string makeLpvFileJson(const control::LpvModel& model);

// `{"A": …, "B": …, "C": …, "D": …, "inputs": …, "outputs": …}` at one point.
std::string makeLpvAtJson(const control::LpvModel& model, const std::vector<double>& values);

// A, B, C and D at all points, as arrays with three dimensions.
void writeLpvMat(const std::string& path, const control::LpvModel& model);

}  // namespace flexloop::reports
