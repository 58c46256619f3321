#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/json.hpp"
#include "reports/design_text.hpp"

namespace flexloop::reports {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Json = nlohmann::ordered_json;
using Complex = std::complex<double>;

constexpr double kTurn = 2.0 * std::numbers::pi;

Json toJson(const MatrixXd& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    rows.push_back(Json::array());
    for (Index k = 0; k < matrix.cols(); ++k) rows.back().push_back(matrix(i, k) + 0.0);
  }
  return rows;
}

Json numberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json toJson(const Complex& root) {
  const double size = std::abs(root);
  return {{"eigenvalue", {root.real(), root.imag()}},
          {"frequency_hz", root.imag() / kTurn},
          {"damping_ratio", size > 0.0 ? -root.real() / size : 0.0}};
}

Json toJson(const analysis::LoopMargins& margins, const std::string& input) {
  Json json{{"input", input}};
  const auto* gain = margins.smallestGain();
  const auto* phase = margins.smallestPhase();
  const auto delay = margins.smallestDelay();
  json["gain_margin"] = gain == nullptr
                            ? Json(nullptr)
                            : Json{{"factor", gain->factor}, {"frequency_hz", gain->frequencyHz}};
  json["phase_margin"] =
      phase == nullptr ? Json(nullptr)
                       : Json{{"degrees", phase->degrees}, {"frequency_hz", phase->frequencyHz}};
  json["delay_margin"] = delay ? Json(*delay) : Json(nullptr);
  json["disk_margin"] = {
      {"alpha", margins.disk.alpha},
      {"frequency_hz", margins.disk.frequencyHz},
      {"gain", {margins.disk.lowestGain, numberOrNull(margins.disk.highestGain)}},
      {"degrees", margins.disk.degrees}};
  return json;
}

Json stepsOf(const DesignReport& report) {
  Json steps = Json::array();
  for (const analysis::StepFigures& step : report.loop->steps) {
    steps.push_back({{"input", nameStepInput(report, step.input)},
                     {"output", nameStepOutput(report, step.output)},
                     {"final", step.last},
                     {"peak", step.peak},
                     {"peak_time", step.peakTime},
                     {"settling_time", step.settling}});
  }
  return steps;
}

void addLoop(const DesignReport& report, Json& json) {
  const LoopReport& loop = *report.loop;
  std::vector<Complex> roots = loop.roots;
  std::sort(roots.begin(), roots.end(), [](const Complex& a, const Complex& b) {
    return std::abs(a.imag()) != std::abs(b.imag()) ? std::abs(a.imag()) < std::abs(b.imag())
                                                    : std::abs(a) < std::abs(b);
  });
  json["closed_loop"]["stable"] = loop.isStable;
  json["closed_loop"]["modes"] = Json::array();
  for (const Complex& root : roots) json["closed_loop"]["modes"].push_back(toJson(root));
  if (loop.sensitivity) json["highest_sensitivity"] = loop.sensitivity->gain;
  if (loop.isStable) {
    json["margins"] = Json::array();
    for (std::size_t i = 0; i < loop.margins.size(); ++i) {
      json["margins"].push_back(toJson(loop.margins[i], report.inputs[i]));
    }
  }
  json["spillover"] = Json::array();
  for (const analysis::ModeChange& change : loop.spillover) {
    json["spillover"].push_back({{"open", toJson(change.open)}, {"closed", toJson(change.closed)}});
  }
  json["steps"] = stepsOf(report);
}

void addMethod(const DesignReport& report, Json& json) {
  if (report.feedback) {
    json["K"] = toJson(report.feedback->K);
    json["S"] = toJson(report.feedback->S);
  }
  if (report.pid) {
    json["kp"] = report.pid->kp;
    json["ki"] = report.pid->ki;
    json["kd"] = report.pid->kd;
  }
  if (report.filter) {
    json["filter"] = {{"rate", report.filter->rate},
                      {"damping", report.filter->damping},
                      {"gain", report.filter->gain}};
  }
  if (report.notch) {
    json["notch"] = {{"rate", report.notch->rate},
                     {"zero_damping", report.notch->zeroDamping},
                     {"pole_damping", report.notch->poleDamping}};
  }
  if (report.shaper) {
    json["times"] = report.shaper->times;
    json["amplitudes"] = report.shaper->amplitudes;
  }
  if (report.value) json["value"] = *report.value;
  if (report.optimum) json["gamma"] = *report.optimum;
}

}  // namespace

std::string makeDesignJson(const DesignReport& report) {
  Json json;
  json["method"] = report.method;
  if (!report.shaper) {
    json["inputs"] = report.inputs;
    json["outputs"] = report.outputs;
    if (!report.errors.empty()) json["errors"] = report.errors;
  }
  addMethod(report, json);
  if (report.reduction) {
    json["reduction_bound"] = report.reduction->bound;
    json["reduced_value"] =
        report.reduction->value ? Json(*report.reduction->value) : Json(nullptr);
  }
  if (report.controller) {
    const linalg::StateMatrices& K = *report.controller;
    json["controller"] = {
        {"A", toJson(K.A)}, {"B", toJson(K.B)}, {"C", toJson(K.C)}, {"D", toJson(K.D)}};
  }
  if (report.loop) addLoop(report, json);
  json["block"] = report.block;
  return json.dump() + "\n";
}

}  // namespace flexloop::reports
