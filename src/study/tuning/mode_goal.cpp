#include "study/tuning/mode_goal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace flexloop::study {
namespace {

using Complex = std::complex<double>;

// Below this share of the largest weight a root has no say in the gradient, whether it has a derivative or not.
constexpr double kNoSay = 1e-6;

std::vector<double> calcWeights(const std::vector<GoalRoot>& rated, double sharpness) {
  const double worst = findWorst(rated);
  std::vector<double> weights;
  double sum = 0.0;
  for (const GoalRoot& root : rated) {
    weights.push_back(std::exp(sharpness * (root.value - worst)));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<GoalRoot> rateRoots(const std::vector<Complex>& roots, const GoalSettings& settings) {
  const double fastest = settings.highestHz > 0.0 ? 2.0 * std::numbers::pi * settings.highestHz
                                                  : std::numeric_limits<double>::infinity();
  std::vector<GoalRoot> rated;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const double size = std::abs(roots[i]);
    if (size == 0.0 || size > fastest) continue;
    const double unit = settings.goal == ModeGoal::kDamping ? size : settings.rate;
    rated.push_back({static_cast<int>(i), roots[i], roots[i].real() / unit});
  }
  return rated;
}

double findWorst(const std::vector<GoalRoot>& rated) {
  double worst = -std::numeric_limits<double>::infinity();
  for (const GoalRoot& root : rated) worst = std::max(worst, root.value);
  return worst;
}

double calcBound(const std::vector<GoalRoot>& rated, double sharpness) {
  const double worst = findWorst(rated);
  double sum = 0.0;
  for (const GoalRoot& root : rated) sum += std::exp(sharpness * (root.value - worst));
  return worst + std::log(sum) / sharpness;
}

std::optional<Eigen::VectorXd> calcGradient(const SensitivityResult& sensitivities,
                                            const Settings& parameters,
                                            const GoalSettings& settings) {
  std::vector<Complex> roots;
  for (const ModeSensitivity& mode : sensitivities.modes) roots.push_back(mode.eigenvalue);
  const std::vector<GoalRoot> rated = rateRoots(roots, settings);
  const std::vector<double> weights = calcWeights(rated, settings.sharpness);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(std::ssize(parameters));
  for (std::size_t i = 0; i < rated.size(); ++i) {
    const ModeSensitivity& mode = sensitivities.modes[rated[i].mode];
    if (weights[i] < kNoSay) continue;
    if (!mode.obstacle.empty()) return std::nullopt;
    for (const Sensitivity& entry : mode.entries) {
      const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                          [&](const Setting& s) { return s.name == entry.name; });
      if (parameter == parameters.end()) continue;
      const double change = settings.goal == ModeGoal::kDamping
                                ? -calcDampingChange(mode.eigenvalue, entry.derivative)
                                : entry.derivative.real() / settings.rate;
      gradient[parameter - parameters.begin()] += weights[i] * change;
    }
  }
  if (!gradient.allFinite() || !sensitivities.skipped.empty()) return std::nullopt;
  return gradient;
}

}  // namespace flexloop::study
