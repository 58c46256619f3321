#include "control/sources/external_inputs.hpp"

#include <algorithm>
#include <utility>

namespace flexloop::control {

void ExternalInputs::add(std::string name, system::UnknownIndex signal, system::Builder& builder) {
  inputs_.push_back({std::move(name), signal, builder.addHistory(2)});
}

std::optional<int> ExternalInputs::find(const std::string& name) const {
  const auto found = std::find_if(inputs_.begin(), inputs_.end(),
                                  [&](const Input& input) { return input.name == name; });
  if (found == inputs_.end()) return std::nullopt;
  return static_cast<int>(found - inputs_.begin());
}

double ExternalInputs::value(const system::State& state, int element) const {
  return state.history[inputs_[element].slot];
}

void ExternalInputs::set(int element, double value, system::State& state) const {
  state.history[inputs_[element].slot] = value;
  setNext(element, value, state);
}

void ExternalInputs::setNext(int element, double value, system::State& state) const {
  state.history[inputs_[element].slot + 1] = value;
}

void ExternalInputs::addResidual(const system::Motion& motion, const system::Environment&,
                                 system::ResidualSums& sums) const {
  for (const Input& input : inputs_) {
    sums.scalars[input.signal.value] -= motion.history[input.slot];
  }
}

void ExternalInputs::calcResidual(const system::Motion& motion, const system::Environment&,
                                  int element, Eigen::VectorXd& local) const {
  local.resize(1);
  local[0] = -motion.history[inputs_[element].slot];
}

void ExternalInputs::calcTangents(const system::Motion&, const system::Environment&, int,
                                  system::Tangents& tangents) const {
  tangents.K.setZero(1, 1);
  tangents.C.setZero(1, 1);
  tangents.M.setZero(1, 1);
}

void ExternalInputs::sample(const system::Motion&, const std::vector<bool>&, int level,
                            system::State& state) const {
  if (level != 0) return;
  for (const Input& input : inputs_) state.history[input.slot] = state.history[input.slot + 1];
}

const ExternalInputs* findExternalInputs(const system::System& system) {
  for (const auto& set : system.sets()) {
    if (const auto* inputs = dynamic_cast<const ExternalInputs*>(set.get())) return inputs;
  }
  return nullptr;
}

}  // namespace flexloop::control
