#include "fmu/machine.hpp"

#include <Eigen/Core>

#include "analysis/linear/instant_response.hpp"
#include "api/driven_model.hpp"
#include "api/failed.hpp"
#include "api/study_source.hpp"
#include "base/diagnostics.hpp"

namespace flexloop::fmu {

base::Failure describeException(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const base::InputError*>(&exception)) {
    return {error->diagnostics().toText()};
  }
  if (const auto* failed = dynamic_cast<const api::Failed*>(&exception)) return failed->failure();
  return {exception.what(), {}, base::FailureKind::kOther};
}

Machine::Machine(std::shared_ptr<const TakenModel> taken) : taken_(std::move(taken)) {
  Machine::reset();
}

void Machine::reset() {
  start_ = time_ = 0.0;
  inputs_.assign(taken_->inputs.size(), 0.0);
  parameters_.clear();
  for (const TakenParameter& one : taken_->parameters) parameters_.push_back(one.value);
  model_.reset();
}

// A parameter that has not been changed keeps its formula.
std::optional<base::Failure> Machine::load() {
  study::Settings changed;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const TakenParameter& one = taken_->parameters[k];
    if (!one.isCalculated && parameters_[k] != one.value) {
      changed.push_back({one.name, parameters_[k]});
    }
  }
  try {
    model_ = std::make_unique<const model::Model>(api::loadDrivenModel(
        api::withSettings(taken_->source, changed), taken_->inputs, taken_->outputs));
  } catch (const std::exception& error) {
    return base::withContext("with these parameters the model cannot be made: ",
                             describeException(error));
  }
  inputSignals_.clear();
  outputSignals_.clear();
  for (const std::string& name : taken_->inputs) {
    inputSignals_.push_back(model_->findSignal(name).value());
  }
  for (const std::string& name : taken_->outputs) {
    outputSignals_.push_back(model_->findSignal(name).value());
  }
  return std::nullopt;
}

base::Result<double> Machine::parameter(std::size_t k) {
  if (!taken_->parameters[k].isCalculated) return parameters_[k];
  if (!hasModel()) {
    if (auto failure = load()) return *failure;
  }
  for (const auto& [name, value] : model_->description().parameters) {
    if (name == taken_->parameters[k].name) return value;
  }
  return parameters_[k];
}

base::Result<double> Machine::output(std::size_t k) {
  const base::Result<const system::State*> state = solved();
  if (!state) return state.failure();
  return state.value()->value[outputSignals_[k].value];
}

base::Result<std::vector<double>> Machine::derivatives(std::span<const std::size_t> outputs,
                                                       std::span<const std::size_t> inputs) {
  const base::Result<const system::State*> state = solved();
  if (!state) return state.failure();
  std::vector<system::UnknownIndex> from, to;
  for (const std::size_t k : inputs) from.push_back(inputSignals_[k]);
  for (const std::size_t k : outputs) to.push_back(outputSignals_[k]);
  const base::Result<Eigen::MatrixXd> D =
      analysis::calcInstantResponse(*model_, *state.value(), from, to);
  if (!D) return D.failure();
  std::vector<double> rows;
  for (Eigen::Index i = 0; i < D.value().rows(); ++i) {
    for (Eigen::Index j = 0; j < D.value().cols(); ++j) rows.push_back(D.value()(i, j));
  }
  return rows;
}

}  // namespace flexloop::fmu
