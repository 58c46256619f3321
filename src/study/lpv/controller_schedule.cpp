#include "study/lpv/controller_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "base/text_format.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/like_states.hpp"
#include "linalg/state_space/minimal_form.hpp"

namespace flexloop::study {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using linalg::StateMatrices;
using Complex = std::complex<double>;

// Neighbours with less in common are different controllers, and what is between them is neither.
constexpr double kLeastLikeness = 0.05;
constexpr int kFrequencies = 200;

control::LpvModel makeModel(const std::vector<double>& values,
                            const std::vector<StateMatrices>& systems, const ScheduleNames& names,
                            bool isCubic) {
  control::LpvModel model;
  model.axes = {{names.parameter, values}};
  model.inputs = names.inputs;
  model.outputs = names.outputs;
  model.isCubic = isCubic && values.size() > 2;
  const int n = systems.front().countStates();
  model.layout = {0, n, static_cast<int>(names.inputs.size()),
                  static_cast<int>(names.outputs.size())};
  const control::LpvLayout& at = model.layout;
  control::LpvRows rows(std::ssize(values), at.size());
  for (std::size_t p = 0; p < systems.size(); ++p) {
    const StateMatrices& s = systems[p];
    auto row = rows.row(static_cast<Index>(p));
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) row[at.other(i, k)] = s.A(i, k);
      for (int k = 0; k < at.inputs; ++k) row[at.input(i, k)] = s.B(i, k);
    }
    for (int i = 0; i < at.outputs; ++i) {
      for (int k = 0; k < n; ++k) row[at.output(i, k)] = s.C(i, k);
      for (int k = 0; k < at.inputs; ++k) row[at.direct(i, k)] = s.D(i, k);
    }
  }
  model.sets = control::makeSets(model.axes, rows, model.isCubic);
  return model;
}

}  // namespace

base::Result<ControllerSchedule> scheduleControllers(const std::vector<double>& values,
                                                     const std::vector<StateMatrices>& controllers,
                                                     const ScheduleNames& names, bool isCubic) {
  for (std::size_t i = 1; i < controllers.size(); ++i) {
    if (controllers[i].countStates() == controllers[0].countStates()) continue;
    return base::Failure{
        "the controller at " + names.parameter + " = " + base::numberText(values[i]) + " has " +
            std::to_string(controllers[i].countStates()) + " states, but that at " +
            base::numberText(values[0]) + " has " + std::to_string(controllers[0].countStates()),
        "give all of them the same number of states: '--order N' of `flexloop design` reduces "
        "them"};
  }
  const base::Result<linalg::LikeStates> like = linalg::findLikeStates(controllers);
  if (!like) return base::withContext("the controllers: ", like.failure());
  ControllerSchedule schedule;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    if (like.value().likeness[i] >= kLeastLikeness) continue;
    return base::Failure{
        "the controllers at " + names.parameter + " = " + base::numberText(values[i]) + " and " +
            base::numberText(values[i + 1]) + " cannot be paired: they have only " +
            base::formatText("%.0f %%", 100.0 * like.value().likeness[i]) +
            " of their states in common",
        "use more points, or a smaller range"};
  }
  schedule.model = makeModel(values, like.value().systems, names, isCubic);
  if (like.value().leftOut > 0) {
    schedule.notes.push_back(std::to_string(like.value().leftOut) +
                             " states of the controllers hardly do anything and are left out");
  }
  return schedule;
}

double calcScheduleError(const control::LpvModel& model, double value,
                         const StateMatrices& controller) {
  const StateMatrices s = control::evaluate(model, value);
  double slowest = std::numeric_limits<double>::infinity(), fastest = 0.0;
  if (controller.A.rows() > 0) {
    for (const Complex& root : linalg::findEigenvaluesOfReal(controller.A)) {
      fastest = std::max(fastest, std::abs(root));
    }
    for (const Complex& root : linalg::findEigenvaluesOfReal(controller.A)) {
      if (std::abs(root) > 1e-9 * fastest) slowest = std::min(slowest, std::abs(root));
    }
  }
  if (fastest == 0.0) slowest = fastest = 1.0;
  MatrixXd difference = MatrixXd::Zero(s.D.rows(), s.D.cols()), whole = difference;
  for (int f = 0; f < kFrequencies; ++f) {
    const double share = static_cast<double>(f) / (kFrequencies - 1);
    const Complex rate(0.0, 0.1 * slowest * std::pow(100.0 * fastest / slowest, share));
    const Eigen::MatrixXcd exact = linalg::calcResponse(controller, rate);
    difference += (linalg::calcResponse(s, rate) - exact).cwiseAbs2();
    whole += exact.cwiseAbs2();
  }
  double largest = 0.0;
  for (Index i = 0; i < whole.size(); ++i) {
    if (whole.data()[i] > 0.0) {
      largest = std::max(largest, std::sqrt(difference.data()[i] / whole.data()[i]));
    }
  }
  return largest;
}

}  // namespace flexloop::study
