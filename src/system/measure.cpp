#include "system/measure.hpp"

#include <algorithm>
#include <array>

#include "system/jet_view.hpp"

namespace flexloop::system {

using math::Jet;

void Measure::setDirection(const math::Vec3<double>& direction) {
  weights_.assign(direction.begin(), direction.end());
}

void Measure::setComponent(int component) {
  weights_ = weights(component);
}

std::vector<std::string> Measure::components() const {
  return weights_.empty() ? names_ : std::vector<std::string>{""};
}

std::vector<double> Measure::weights(int component) const {
  if (!weights_.empty()) return weights_;
  std::vector<double> weights(names_.size(), 0.0);
  weights[component] = 1.0;
  return weights;
}

void Measure::store(const double* q, double* to) const {
  if (weights_.empty()) {
    std::copy(q, q + size(), to);
    return;
  }
  *to = 0.0;
  for (int i = size() - 1; i >= 0; --i) {
    if (weights_[i] != 0.0) *to = weights_[i] * q[i] + *to;
  }
}

void Measure::calcValue(const Motion& motion, double* value) const {
  std::array<double, kMostComponents> q;
  calc(motion, motion.environment, false, q.data());
  store(q.data(), value);
}

void Measure::calcRate(const Motion& motion, double* rate) const {
  std::array<double, kMostComponents> q;
  calc(motion, motion.environment, true, q.data());
  store(q.data(), rate);
}

// What has a rate does not depend on accelerations, but its rate does.
void Measure::subtractGradient(const Motion& motion, const Environment& environment,
                               const Term& term, const std::vector<double>& weights, bool rate,
                               Tangents& tangents) const {
  const int freedoms = static_cast<int>(tangents.K.cols()) - 1, row = freedoms;
  const int directions = (hasRate() && !rate ? 2 : 3) * freedoms;
  const std::array<Eigen::MatrixXd*, 3> matrices{&tangents.K, &tangents.C, &tangents.M};
  std::array<Jet, kMostComponents> q;
  for (int first = 0; first < directions; first += Jet::kDirections) {
    calcJets(motion, environment, term, makeSeeds(first, directions, freedoms), q.data());
    const int last = std::min(first + Jet::kDirections, directions);
    for (int j = first; j < last; ++j) {
      double& entry = (*matrices[j / freedoms])(row, j % freedoms);
      for (int i = 0; i < size(); ++i) {
        entry -= weights[i] * (rate ? q[i].dFirst : q[i].d)[j - first];
      }
    }
  }
}

}  // namespace flexloop::system
