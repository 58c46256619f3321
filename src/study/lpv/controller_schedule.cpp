#include "study/lpv/controller_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "base/text_format.hpp"
#include "linalg/dense/eigenvalues.hpp"
#include "linalg/state_space/discretization.hpp"
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

control::LpvModel makeModel(const LpvGrid& grid, const std::vector<StateMatrices>& systems,
                            const ScheduleNames& names, bool isCubic) {
  control::LpvModel model;
  bool isLine = true;
  for (const SweepAxis& axis : grid.axes()) {
    model.axes.push_back({axis.name, axis.values});
    isLine = isLine && axis.values.size() == 2;
  }
  model.inputs = names.inputs;
  model.outputs = names.outputs;
  model.isCubic = isCubic && !isLine;
  const int n = systems.front().countStates();
  model.layout = {0, n, static_cast<int>(names.inputs.size()),
                  static_cast<int>(names.outputs.size())};
  const control::LpvLayout& at = model.layout;
  control::LpvRows rows(std::ssize(systems), at.size());
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

base::Result<ControllerSchedule> scheduleControllers(const LpvGrid& grid,
                                                     const std::vector<StateMatrices>& controllers,
                                                     const ScheduleNames& names, bool isCubic,
                                                     double sample) {
  const auto at = [&](std::size_t point) {
    return grid.describe(grid.point(static_cast<int>(point)));
  };
  for (std::size_t i = 1; i < controllers.size(); ++i) {
    if (controllers[i].countStates() == controllers[0].countStates()) continue;
    return base::Failure{
        "the controller at " + at(i) + " has " + std::to_string(controllers[i].countStates()) +
            " states, but that at " + at(0) + " has " +
            std::to_string(controllers[0].countStates()),
        "give all of them the same number of states: '--order N' of `flexloop design` reduces "
        "them"};
  }
  std::vector<StateMatrices> inTime = controllers;
  for (std::size_t i = 0; sample > 0.0 && i < inTime.size(); ++i) {
    const auto undone = linalg::undoTustin(controllers[i], sample);
    if (!undone) return base::withContext(at(i) + ": ", undone.failure());
    inTime[i] = undone.value();
  }
  const base::Result<linalg::LikeStates> like = linalg::findLikeStates(inTime, grid.walk());
  if (!like) return base::withContext("the controllers: ", like.failure());
  ControllerSchedule schedule;
  const auto steps = grid.walk();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (like.value().likeness[i] >= kLeastLikeness) continue;
    const auto [one, other] = std::minmax(steps[i].first, steps[i].second);
    return base::Failure{"the controllers at " + at(one) + " and at " + at(other) +
                             " cannot be paired: they have only " +
                             base::formatText("%.0f %%", 100.0 * like.value().likeness[i]) +
                             " of their states in common",
                         "use more points, or a smaller range"};
  }
  std::vector<StateMatrices> systems = like.value().systems;
  for (StateMatrices& system : systems) {
    if (!(sample > 0.0)) break;
    const auto sampled = linalg::discretizeTustin(system, sample);
    if (!sampled) return sampled.failure();
    system = sampled.value();
  }
  schedule.model = makeModel(grid, systems, names, isCubic);
  schedule.model.sample = sample;
  if (like.value().leftOut > 0) {
    schedule.notes.push_back(std::to_string(like.value().leftOut) +
                             " states of the controllers hardly do anything and are left out");
  }
  return schedule;
}

double calcScheduleError(const control::LpvModel& model, const std::vector<double>& values,
                         const StateMatrices& given) {
  StateMatrices s = control::evaluate(model, values), controller = given;
  for (StateMatrices* system : {&s, &controller}) {
    if (!(model.sample > 0.0)) break;
    const auto undone = linalg::undoTustin(*system, model.sample);
    if (!undone) return std::numeric_limits<double>::infinity();
    *system = undone.value();
  }
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
